// The command best as a user runs it, with the parts that are built.

#include "report/text_table.hpp"
#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::content_of;
using support::has_words;
using support::Outcome;
using support::TemporaryFolder;

Outcome run(const TemporaryFolder& folder, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return support::run_program(ADACVAR_PROGRAM, words, folder.path());
}

/// Categories, missing values, and a curve that no line follows.
void write_table(const TemporaryFolder& folder, int rows) {
  std::string text = "x,colour,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = std::fmod(i * 0.618034, 1.0);
    const double z = std::fmod(i * 0.414214, 1.0);
    const char* const colour = i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : "";
    const double noise = std::fmod(i * 0.732051, 1.0) - 0.5;
    text += std::to_string(x) + "," + colour + "," + (i % 7 == 0 ? "" : std::to_string(z)) + "," +
            std::to_string(std::sin(6 * x) + (i % 3 == 0 ? 1 : 0) + (0.1 + z) * noise) + "\n";
  }
  (void)folder.write("t.csv", text);
}

TEST(BestCommand, table_json_and_model_agree) {
  const TemporaryFolder folder;
  write_table(folder, 300);
  const Outcome outcome =
      run(folder, "best t.csv --target y --json --model m.json --guarantee 0.9 --loss-max 50");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["rows"]["train"], 240);
  double weights = 0;
  for (const json& base : found["bases"]) weights += base["weight"].get<double>();
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_GT(found["guarantee"]["cvar"], found["risk"]["test"]["cvar"]);
  // The text of the same result, without the program's progress, fits a terminal.
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("note: ")) continue;
    EXPECT_LE(text_width(line), kTerminalWidth) << line;
  }
  const Outcome evaluated = run(folder, "evaluate m.json t.csv --part test --json --quiet");
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_DOUBLE_EQ(json::parse(evaluated.out)["mean"].get<double>(),
                   found["risk"]["test"]["mean"].get<double>());
  EXPECT_EQ(run(folder, "predict m.json t.csv -o p.csv").code, 0);
}

TEST(BestCommand, same_bytes_on_one_and_two_threads_and_after_a_kill) {
  const TemporaryFolder folder;
  write_table(folder, 120);
  ASSERT_EQ(run(folder, "best t.csv --target y -q --threads 1 --model one.json").code, 0);
  ASSERT_EQ(run(folder, "best t.csv --target y -q --threads 2 --model two.json").code, 0);
  EXPECT_TRUE(content_of(folder.path() / "one.json") == content_of(folder.path() / "two.json"));
  // As after a kill: some models are done.
  ASSERT_EQ(run(folder, "best t.csv --target y -q --checkpoint done --model x.json").code, 0);
  std::size_t removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "done")) {
    if (++removed % 2 == 0) std::filesystem::remove(entry.path());
  }
  EXPECT_GE(removed, 8U);
  ASSERT_EQ(run(folder, "best t.csv --target y -q --checkpoint done --model three.json").code, 0);
  EXPECT_TRUE(content_of(folder.path() / "one.json") == content_of(folder.path() / "three.json"));
}

TEST(BestCommand, is_a_row_of_a_comparison) {
  const TemporaryFolder folder;
  write_table(folder, 150);
  const Outcome outcome =
      run(folder, "compare t.csv --target y --best --epochs 2 --json --quiet --report r.html");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json last = json::parse(outcome.out)["runs"].back();
  EXPECT_EQ(last["label"], "best");
  EXPECT_GT(last["risk"]["test"]["cvar"], 0);
  EXPECT_EQ(run(folder, "compare t.csv --target y --best --repeats 2").code, 2);
}

TEST(BestCommand, limit_on_the_time_leaves_bases_out) {
  const TemporaryFolder folder;
  write_table(folder, 200);
  const Outcome outcome = run(folder, "best t.csv --target y --time 0.001s --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_TRUE(found["interrupted"]);
  EXPECT_EQ(found["bases"].size(), 1U);
  EXPECT_TRUE(has_words(outcome.err, "left out: ... linear")) << outcome.err;
}

TEST(BestCommand, report) {
  const TemporaryFolder folder;
  write_table(folder, 300);
  const Outcome outcome =
      run(folder,
          "best t.csv --target y --mean-budget 0.1 --guarantee 0.9 --loss-max 50 -q "
          "--report r.html --figures fig");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "r.html");
  for (const char* const title :
       {"Models and their weights", "Mean budgets", "Losses", "Tail shares",
        "Predicted against actual", "Worst rows", "Reproduce this run"}) {
    EXPECT_NE(page.find(std::string(">") + title + "</h2>"), std::string::npos) << title;
  }
  EXPECT_TRUE(has_words(page, "With 90 % confidence ... adacvar best t.csv --target y"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "fig" / "weights.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "fig" / "frontier.svg"));
}

TEST(BestCommand, tables_of_tiny_losses_fit_a_terminal) {
  const TemporaryFolder folder;
  std::string text = "a,b,y\n";
  for (int i = 0; i < 400; ++i) {
    text +=
        std::to_string(i % 2) + "," + std::to_string(i % 20) + (i % 2 == 0 ? ",no\n" : ",yes\n");
  }
  (void)folder.write("t.csv", text);
  const Outcome outcome = run(folder, "best t.csv --target y -q");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has_words(outcome.out, "e-0")) << outcome.out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), kTerminalWidth);
}

TEST(BestCommand, says_what_a_signal_left) {
  const TemporaryFolder folder;
  write_table(folder, 2000);
  const support::RunningProgram program(ADACVAR_PROGRAM,
                                        {"best", "t.csv", "--target", "y", "--folds", "100",
                                         "--checkpoint", "done", "--threads", "1"},
                                        folder.path());
  while (program.printed_so_far().find("fold 1 of 100") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_TRUE(has_words(outcome.err, "no result ... 'done' ... resumes")) << outcome.err;
}

TEST(BestCommand, bad_input) {
  const TemporaryFolder folder;
  write_table(folder, 30);
  const auto refused = [&](const std::string& line, int code, const std::string& words) {
    const Outcome outcome = run(folder, line);
    EXPECT_EQ(outcome.code, code) << line;
    EXPECT_TRUE(has_words(outcome.err, words)) << line << "\n" << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "m.json"));
  };
  refused("best t.csv --model m.json", 2, "target");
  refused("best t.csv --target y --folds 1 --model m.json", 2, "folds = 1");
  refused("best t.csv --target y --folds 20 --model m.json", 3, "t.csv: ... 24 ... 20 folds");
  refused("best t.csv --target y --loss-max 3 --model m.json", 2, "loss-max ... guarantee");
  refused("best t.csv --target y --guarantee 0.9 --model m.json", 2, "loss-max");
  refused("best t.csv --target y --mean-budget -1% --model m.json", 2, "mean-budget");
  refused("best none.csv --target y --model m.json", 3, "none.csv");
  refused("best t.csv --target y --trees --model m.json", 2, "--trees");
  refused("best t.csv --target y --model t.csv", 2, "t.csv");
}

}  // namespace
}  // namespace adacvar
