// A command neither overwrites its input nor writes a file twice: refused before any work.

#include "support/made_images.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using support::content_of;
using support::Outcome;
using support::TemporaryFolder;

Outcome run_line(const TemporaryFolder& folder, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return support::run_program(ADACVAR_PROGRAM, words, folder.path());
}

std::string table() {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + "," + std::to_string(i * 5 % 17) + "\n";
  }
  return text;
}

class Overwriting : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"data.csv", "more.csv", "hard.csv", "figs/losses.svg"}) {
      fs::create_directories((folder_.path() / name).parent_path());
      (void)folder_.write(name, table());
    }
    (void)folder_.write("run.toml", "target = \"y\"\n");
    fs::create_symlink("data.csv", folder_.path() / "link.csv");
    fs::remove(folder_.path() / "hard.csv");
    fs::create_hard_link(folder_.path() / "data.csv", folder_.path() / "hard.csv");
    ASSERT_EQ(run_line(folder_, "train more.csv --target y --epochs 1 --model model.json").code, 0);
    before_ = contents();
  }

  std::map<std::string, std::string> contents() {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      const std::string name = fs::relative(entry.path(), folder_.path()).string();
      if (entry.is_regular_file() && name != ".out" && name != ".err") {
        found[name] = content_of(entry.path());
      }
    }
    return found;
  }

  void expect_refused(const std::string& line, const std::string& one, const std::string& other) {
    const Outcome outcome = run_line(folder_, line);
    EXPECT_EQ(outcome.code, 2) << line << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << line;
    for (const std::string& words : {std::string("would overwrite"), one, other}) {
      EXPECT_NE(outcome.err.find(words), std::string::npos) << line << "\n" << outcome.err;
    }
    EXPECT_EQ(contents(), before_) << line;
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> before_;
};

TEST_F(Overwriting, an_input_is_no_output) {
  const std::string train = "train data.csv --target y --epochs 1";
  for (const char* output : {"model", "report", "trace", "checkpoint"}) {
    for (const char* name :
         {"data.csv", "./data.csv", "figs/../data.csv", "link.csv", "hard.csv"}) {
      expect_refused(train + " --" + output + " " + name, std::string(output) + " = ", "data = ");
    }
  }
  expect_refused(train + " --model more.csv --test-data more.csv", "model = ", "test-data = ");
  expect_refused(train + " --model more.csv --valid-data ./more.csv", "model = ", "valid-data = ");
  expect_refused(train + " --report run.toml --config run.toml", "report = ", "config = ");
  expect_refused("compare data.csv --target y --report data.csv", "report = ", "data = ");
  expect_refused("train link.csv --target y --model data.csv", "model = ", "data = ");
  expect_refused("train figs/losses.svg --target y --figures figs", "figures = ", "data = ");
  expect_refused("train figs/losses.svg --target y --figures ./figs/.", "figures = ", "data = ");
  expect_refused("evaluate model.json data.csv --report model.json", "report = ", "model = ");
  expect_refused("evaluate model.json data.csv --report data.csv", "report = ", "data = ");
  expect_refused("evaluate model.json data.csv --against more.csv --report more.csv",
                 "report = ", "against = ");
  expect_refused("predict model.json data.csv -o model.json", "output = ", "model = ");
  expect_refused("predict model.json data.csv -o hard.csv", "output = ", "data = ");
  // Models are written to a folder under names that are not known before.
  expect_refused("compare model.json --target y --model .", "model = ", "data = ");
  expect_refused("compare data.csv --target y --model data.csv", "model = ", "data = ");
  expect_refused("compare data.csv --target y --model figs --report figs/x.json", "model",
                 "report");
}

TEST_F(Overwriting, two_outputs_are_two_files) {
  const std::string train = "train data.csv --target y --epochs 1";
  expect_refused(train + " --model m.json --report m.json", "model = ", "report = ");
  expect_refused(train + " --model m.json --trace figs/../m.json", "model = ", "trace = ");
  expect_refused(train + " --model model.json --checkpoint ./model.json", "model", "checkpoint");
  expect_refused(train + " --report figs/a.svg --figures figs", "figures = ", "report = ");
  expect_refused(train + " --checkpoint both --figures both", "figures = ", "checkpoint = ");
  expect_refused("reproduce convex --sets normal --out r --report r/tables.md", "out = ", "report");
}

TEST_F(Overwriting, the_weights_of_a_network_belong_to_its_model) {
  (void)folder_.write("m.json.pt", "weights");
  before_ = contents();
  expect_refused("train data.csv --target y --network mlp --model m.json --report m.json.pt",
                 "model = ", "report = ");
  expect_refused("train data.csv --target y --network m.json.pt --model m.json",
                 "model = ", "network = ");
  expect_refused("predict m.json data.csv -o m.json.pt", "output = ", "model = ");
}

TEST_F(Overwriting, files_of_named_sets_and_labels_are_inputs) {
  (void)folder_.write("a-images-idx3", support::idx_images(2, 1, 1, {1, 2}));
  (void)folder_.write("a-labels-idx1", support::idx_labels({0, 1}));
  fs::create_directories(folder_.path() / "sets/abalone");
  const std::string listed = run_line(folder_, "data list --data-dir sets").out;
  ASSERT_NE(listed.find("abalone"), std::string::npos);
  before_ = contents();
  expect_refused("train a-images-idx3 --model a-labels-idx1", "model = ", "data = ");
  // Files of a missing set count as inputs, too: the error names the first.
  const Outcome missing = run_line(folder_, "train abalone --data-dir sets");
  EXPECT_EQ(missing.code, 3);
  const std::string path = missing.err.substr(9, missing.err.find(": ", 9) - 9);
  ASSERT_TRUE(path.starts_with("sets/")) << missing.err;
  expect_refused("train abalone --data-dir sets --model " + path, "model = ", "data = ");
}

TEST_F(Overwriting, what_standard_output_goes_to_counts_too) {
  const std::string line =
      ADACVAR_PROGRAM " predict model.json data.csv >> data.csv; echo $? > code";
  (void)support::run_program("/bin/sh", {"-c", line}, folder_.path());
  EXPECT_EQ(content_of(folder_.path() / "code"), "2\n");
  EXPECT_EQ(content_of(folder_.path() / "data.csv"), table());
}

TEST_F(Overwriting, normal_use_passes) {
  const std::string train = "train more.csv --target y --epochs 1 --quiet";
  EXPECT_EQ(run_line(folder_, train + " --model model.json").code, 0) << "from an earlier run";
  EXPECT_EQ(run_line(folder_, train + " --test-data more.csv --split 0.8,0.2,0").code, 0)
      << "one file may be read twice";
  EXPECT_EQ(run_line(folder_,
                     "train figs/losses.svg --target y --epochs 1 --model figs/m.json "
                     "--report figs/r.html --quiet")
                .code,
            0);
  fs::create_directories(folder_.path() / "figs2");
  EXPECT_EQ(run_line(folder_,
                     "compare more.csv --target y --epochs 1 --figures figs2 --report "
                     "figs2/r.html --quiet")
                .code,
            0);
  const std::string pipes = ADACVAR_PROGRAM
      " train /dev/stdin --target y --epochs 1 --quiet < more.csv > /dev/null 2> /dev/null";
  EXPECT_EQ(support::run_program("/bin/sh", {"-c", pipes}, folder_.path()).code, 0);
}

}  // namespace
}  // namespace adacvar
