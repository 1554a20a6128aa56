// The program's texts: help, suggestions, names of formats, notes. Key words, not whole
// sentences.

#include "support/run_on_terminal.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using namespace std::string_literals;
using support::Outcome;

class Words : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    std::istringstream in(arguments);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return support::run_program(ADACVAR_PROGRAM, words, folder_.path());
  }
  void write(const std::string& name, const std::string& bytes) const {
    (void)folder_.write(name, bytes);
  }
  void write_numbers(const std::string& name, int rows = 60) const {
    std::string text = "price,Size,y\n";
    for (int i = 1; i <= rows; ++i) {
      text +=
          std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(i * 5 % 17) + "\n";
    }
    write(name, text);
  }

  support::TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_F(Words, help_of_a_command_is_that_of_its_option) {
  for (const std::string command : {"train", "compare", "data make"}) {
    const Outcome help = run("help " + command);
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.out, run(command + " --help").out);
    EXPECT_TRUE(has(help.out, "Usage: adacvar " + command)) << help.out;
  }
  EXPECT_EQ(run("help").out, run("--help").out);
  const Outcome unknown = run("help trian");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "did you mean train?")) << unknown.err;
}

struct Given {
  std::string arguments;
  int code;
  std::string word;
};

TEST_F(Words, near_names_are_suggested) {
  write_numbers("t.csv");
  write("c.toml", "[train]\nalhpa = 0.1\n");
  write("classes.csv", "x,c\n1,yes\n2,no\n3,yes\n4,no\n5,yes\n6,no\n7,yes\n8,no\n9,yes\n10,no\n");
  write("other.csv", "x,c\n1,Yes\n2,no\n");
  for (const Given& given : std::vector<Given>{
           {"train t.csv --target Y", 3, "did you mean y?"},
           {"train t.csv --target y --drop prize", 3, "did you mean price?"},
           {"train t.csv --target y --categorical size", 3, "did you mean Size?"},
           {"train paretto", 3, "did you mean pareto?"},
           {"data make paretto", 2, "did you mean pareto?"},
           {"data fetch abalon", 2, "did you mean abalone?"},
           {"reproduce convex --sets bosten", 2, "did you mean boston?"},
           {"reproduce convecs", 2, "did you mean convex?"},
           {"train t.csv --target y --algorithm adacvr", 2, "did you mean adacvar?"},
           {"train t.csv --target y --loss sqared", 2, "did you mean squared?"},
           {"train t.csv --target y --config c.toml", 2, "did you mean alpha?"},
           {"train t.csv --target y --aplha 1", 2, "did you mean --alpha?"},
           {"train classes.csv --target c --test-data other.csv", 3, "did you mean yes?"},
       }) {
    const Outcome outcome = run(given.arguments);
    EXPECT_EQ(outcome.code, given.code) << given.arguments;
    EXPECT_TRUE(has(outcome.err, given.word)) << given.arguments << "\n" << outcome.err;
  }
  EXPECT_FALSE(has(run("train t.csv --target zebra").err, "did you mean"));
}

TEST_F(Words, formats_that_are_not_read_are_named) {
  const std::string zip = "PK\x03\x04"s + std::string(22, '\x01');
  write("a", "BZh91AY&SY\x12\x34\x56\x78\x9a"s);
  write("b", zip + "\x05\0\0\0a.csvrest"s);
  write("c", zip + "\x13\0\0\0[Content_Types].xml...xl/workbook.xml"s);
  write("d", zip + "\x05\0\0\0x.npyrest"s);
  write("e", "\x28\xb5\x2f\xfd\x24\x01");
  write("f", "PAR1\x15\x04");
  write("g", "\xff\xfex\0,\0y\0\n\0"s);
  write("h", "@relation iris\n@attribute x numeric\n@data\n1\n");
  write("i", "1:0.5 3:2\n2:1\n");
  for (const auto& [name, word] :
       std::vector<std::pair<std::string, std::string>>{{"a", "bzip2"},
                                                        {"b", "zip"},
                                                        {"c", "Excel"},
                                                        {"d", "NPZ"},
                                                        {"e", "Zstandard"},
                                                        {"f", "Parquet"},
                                                        {"g", "UTF-16"},
                                                        {"h", "ARFF"},
                                                        {"i", "without labels"}}) {
    for (const std::string command : {"train ", "data describe "}) {
      const Outcome outcome = run(command + name);
      EXPECT_EQ(outcome.code, 3) << name;
      EXPECT_TRUE(has(outcome.err, word)) << outcome.err;
    }
  }
}

TEST_F(Words, damaged_models_are_refused_without_json_exceptions) {
  write_numbers("t.csv");
  ASSERT_EQ(run("train t.csv --target y --epochs 2 --model m.json --quiet").code, 0);
  nlohmann::json good = nlohmann::json::parse(support::content_of(folder_.path() / "m.json"));
  good.erase("crc64");  // it would refuse every change before the values are looked at
  std::vector<nlohmann::json> damaged;
  for (const auto& [key, value] : good.items()) {
    if (key == "program") continue;
    damaged.push_back(good);
    damaged.back()[key] = nlohmann::json::array({nullptr});
    if (key != "training") {  // earlier versions did not write it
      damaged.push_back(good);
      damaged.back().erase(key);
    }
    if (!value.is_object()) continue;
    for (const auto& [inner, ignored] : value.items()) {
      damaged.push_back(good);
      damaged.back()[key][inner] = nlohmann::json::array({nlohmann::json::object()});
    }
  }
  for (const nlohmann::json& model : damaged) {
    write("bad.json", model.dump());
    const Outcome outcome = run("predict bad.json t.csv");
    EXPECT_EQ(outcome.code, 3) << model.dump();
    EXPECT_TRUE(has(outcome.err, "bad.json")) << outcome.err;
    EXPECT_FALSE(has(outcome.err, "json.exception")) << outcome.err;
  }
}

TEST_F(Words, reading_a_large_file_shows_on_a_terminal_only) {
  std::string text = "x,y\n";
  while (text.size() < 33'000'000) {
    for (int i = 0; i < 1000; ++i) {
      text += std::to_string(i) + ".123456789012," + std::to_string(i % 17) + ".5\n";
    }
  }
  write("large.csv", text);
  write("small.csv", text.substr(0, text.find('\n', 100'000) + 1));
  const auto shown = [&](const std::vector<std::string>& words) {
    return support::run_on_terminal(ADACVAR_PROGRAM, words, folder_.path());
  };
  const Outcome large = shown({"data", "describe", "large.csv"});
  EXPECT_EQ(large.code, 0);
  EXPECT_TRUE(has(large.err, "reading, 33 of 33 MB")) << large.err;
  EXPECT_TRUE(has(large.out, "x"));
  EXPECT_FALSE(has(shown({"data", "describe", "small.csv"}).err, "reading"));
  const std::vector<std::string> train = {"train",    "large.csv", "--target", "y",
                                          "--epochs", "1",         "--batch",  "64"};
  EXPECT_TRUE(has(shown(train).err, "reading, 33 of 33 MB"));
  std::vector<std::string> quiet = train;
  quiet.emplace_back("--quiet");
  EXPECT_FALSE(has(shown(quiet).err, "reading"));
  EXPECT_FALSE(has(run("data describe large.csv").err, "reading"));
}

// Indistinguishable classes: at a small alpha the best model predicts equal probabilities.
std::string coins(int classes) {
  std::string text = "x,c\n";
  for (int i = 0; i < 240; ++i) {
    text += std::to_string(i * 7 % 13) + "," + static_cast<char>('a' + i % classes) + "\n";
  }
  return text;
}

TEST_F(Words, uniform_optimum_is_noted_first_even_when_quiet) {
  for (const int classes : {2, 3}) {
    write("coins.csv", coins(classes));
    const std::string words = "= log " + std::to_string(classes);
    for (const std::string command :
         {"train coins.csv --target c --alpha 0.1 --epochs 2 --quiet",
          "train coins.csv --target c --alpha 0.1 --algorithm exact --quiet",
          "compare coins.csv --target c --alpha 0.1 --epochs 2 --quiet"}) {
      const Outcome outcome = run(command);
      EXPECT_TRUE(has(outcome.err, words)) << command << "\n" << outcome.err;
      EXPECT_TRUE(outcome.err.starts_with("note: at alpha")) << outcome.err;
    }
    // Both to one file: before the tables.
    const std::string both = "adacvar.txt";
    const Outcome shell = support::run_program(
        "/bin/sh",
        {"-c", std::string("'") + ADACVAR_PROGRAM +
                   "' compare coins.csv --target c --alpha 0.1 --epochs 2 > " + both + " 2>&1"},
        folder_.path());
    const std::string text = support::content_of(folder_.path() / both);
    ASSERT_TRUE(has(text, words)) << shell.err << text;
    EXPECT_LT(text.find(words), text.find("rows: ")) << text;
    const nlohmann::json json =
        nlohmann::json::parse(run("train coins.csv --target c --alpha 0.1 --epochs 2 --json").out);
    EXPECT_TRUE(has(json.at("notes").at(0).get<std::string>(), words));
  }
}

TEST_F(Words, selecting_by_accuracy_shows_accuracies) {
  write("coins.csv", coins(2));
  const std::string command = "train coins.csv --target c --epochs 1 --threads 1 --tune";
  const Outcome outcome = run(command + " --select accuracy");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "validation accuracy 0.")) << outcome.err;
  EXPECT_FALSE(has(outcome.err, "validation CVaR")) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "by validation accuracy 0.")) << outcome.out;
  EXPECT_TRUE(has(run(command).err, "validation CVaR"));
  const nlohmann::json json =
      nlohmann::json::parse(run(command + " --select accuracy --json --quiet").out);
  EXPECT_EQ(json.at("selected_by"), "accuracy");
}

}  // namespace
}  // namespace adacvar
