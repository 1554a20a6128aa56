#include "cli/report_output.hpp"

#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace adacvar::cli {
namespace {

struct Options {
  std::string data = {};
  double alpha = 0.1;
  bool fast = false;
  std::vector<double> split = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"data", &Options::data, "data"},
        {"alpha", &Options::alpha, Bounds{.low = 0, .high = 1}, "alpha"},
        {"fast", &Options::fast, "fast"},
        {"split", &Options::split, Bounds{.low = 0, .high = 1}, "split"},
    };
    return all;
  }
};

TEST(Origin, the_command_has_what_differs_from_the_defaults) {
  Options options;
  OptionList list;
  list.add("Data", options);
  list.set_position("data", 1);
  options = {.data = "my file.csv", .alpha = 0.05, .fast = true, .split = {0.5, 0.5, 0}};
  const PageOrigin origin = origin_of("train", list);
  EXPECT_EQ(origin.command, "adacvar train 'my file.csv' --alpha 0.05 --fast --split 0.5,0.5,0");
  ASSERT_EQ(origin.options.size(), 4U);
  EXPECT_EQ(origin.options[1].value, "0.05");
  EXPECT_EQ(origin.options[1].default_value, "0.1");
}

TEST(ShellWord, is_quoted_where_a_shell_would_read_it) {
  EXPECT_EQ(shell_word("a-b_c.csv"), "a-b_c.csv");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(CheckReport, makes_the_folder_of_figures_or_says_why_not) {
  const support::TemporaryFolder folder;
  const std::string figures = (folder.path() / "a" / "b").string();
  check_report({.figures = figures});
  EXPECT_TRUE(std::filesystem::is_directory(figures));
  EXPECT_THROW(check_report({.report = (folder.path() / "none" / "r.html").string()}), OptionError);
  EXPECT_THROW(check_report({.figures = "/dev/null/x"}), OptionError);
}

struct SourceChoice {
  std::string data = {};
  std::string data_dir = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"data", &SourceChoice::data, "data"},
        {"data-dir", &SourceChoice::data_dir, "folder"},
    };
    return all;
  }
};

TEST(Origin, the_command_says_where_named_sets_came_from) {
  SourceChoice options;
  OptionList list;
  list.add("Data", options);
  list.set_position("data", 1);
  ASSERT_EQ(::setenv("ADACVAR_DATA", "/somewhere/my data", 1), 0);
  options.data = "abalone";
  PageOrigin origin = origin_of("train", list, {"abalone", ""});
  EXPECT_EQ(origin.command, "adacvar train abalone --data-dir '/somewhere/my data'");
  ASSERT_EQ(origin.facts.size(), 1U);
  EXPECT_EQ(origin.facts[0].second, "/somewhere/my data");
  options.data_dir = "given";
  origin = origin_of("train", list, {"abalone"});
  EXPECT_EQ(origin.command, "adacvar train abalone --data-dir given");
  EXPECT_EQ(origin.facts[0].second, "given");
  options = {.data = "mine.csv"};
  origin = origin_of("train", list, {"mine.csv"});
  EXPECT_EQ(origin.command, "adacvar train mine.csv");
  EXPECT_TRUE(origin.facts.empty());
  ASSERT_EQ(::unsetenv("ADACVAR_DATA"), 0);
}

TEST(WriteFigures, removes_those_of_before_and_nothing_else) {
  const support::TemporaryFolder folder;
  const auto exists = [&](const char* name) {
    return std::filesystem::exists(folder.path() / name);
  };
  write_figures(folder.path(), {{"one.svg", "<svg></svg>\n"}, {"two.svg", "<svg></svg>\n"}});
  std::filesystem::copy(folder.path() / "two.svg", folder.path() / "kept copy.svg");
  (void)folder.write("mine.svg", "<svg></svg>\n");
  (void)folder.write("empty.svg", "");
  write_figures(folder.path(), {{"one.svg", "<svg></svg>\n"}});
  EXPECT_TRUE(exists("one.svg"));
  EXPECT_FALSE(exists("two.svg"));
  EXPECT_TRUE(exists("kept copy.svg"));
  EXPECT_TRUE(exists("mine.svg"));
  EXPECT_TRUE(exists("empty.svg"));
}

}  // namespace
}  // namespace adacvar::cli
