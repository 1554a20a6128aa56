#include "cli/report_output.hpp"

#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

namespace adacvar::cli {
namespace {

struct Options {
  std::string data = {};
  double alpha = 0.1;
  bool fast = false;
  std::vector<double> split = {};

  static void describe(auto&& option) {
    option("data", &Options::data, "data");
    option("alpha", &Options::alpha, Bounds{.low = 0, .high = 1}, "alpha");
    option("fast", &Options::fast, "fast");
    option("split", &Options::split, Bounds{.low = 0, .high = 1}, "split");
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

}  // namespace
}  // namespace adacvar::cli
