#include "report/curve_text.hpp"

#include "report/text_table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace adacvar {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TextPlot falling_line() {
  return {.x_label = "cost",
          .y_label = "gain",
          .curves = {{.x = {0, 10}, .y = {0, -20}}},
          .marks = {{0, 0, 'm'}, {10, -20, 'C'}}};
}

TEST(CurveText, letters_are_where_their_points_are) {
  const auto lines = lines_of(curve_text(falling_line(), {}));
  ASSERT_EQ(lines.size(), 19U);  // label, 16 lines, axis, its numbers
  EXPECT_EQ(lines[0], "gain");
  EXPECT_EQ(lines[1].substr(0, 10), "       0|m");
  EXPECT_EQ(lines[16].substr(0, 9), "     -20|");
  EXPECT_EQ(lines[16].find('C'), 9U + 65);
  EXPECT_NE(lines[18].find("cost"), std::string::npos);
  EXPECT_TRUE(lines[18].ends_with("10"));
  // The line is drawn without gaps: every row has a character of it.
  for (std::size_t i = 1; i <= 16; ++i) EXPECT_GT(lines[i].size(), 9U) << i;
}

TEST(CurveText, the_first_of_two_letters_at_a_place_is_shown) {
  TextPlot plot = falling_line();
  plot.marks = {{5, -10, 'K'}, {5, -10, '5'}};
  const std::string text = curve_text(plot, {});
  EXPECT_NE(text.find('K'), std::string::npos);
  EXPECT_EQ(text.find('5'), std::string::npos);
}

TEST(CurveText, fits_80_columns_in_any_style) {
  for (const bool unicode : {false, true}) {
    TextPlot plot = falling_line();
    plot.curves.push_back({.x = {-1e6, 2e6}, .y = {1e-7, -123456.789}, .dotted = true});
    for (const std::string& line : lines_of(curve_text(plot, {.unicode = unicode}))) {
      EXPECT_LE(text_width(line), kTerminalWidth) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
  const std::string coloured = curve_text(falling_line(), {.colour = true, .unicode = true});
  EXPECT_NE(coloured.find("\x1b[33m"), std::string::npos);
}

TEST(CurveText, one_point_and_no_points) {
  TextPlot plot = falling_line();
  plot.curves = {{.x = {3}, .y = {4}}};
  plot.marks = {};
  EXPECT_EQ(lines_of(curve_text(plot, {})).size(), 19U);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot.curves = {{.x = {nan, 1}, .y = {1, nan}}};
  EXPECT_EQ(curve_text(plot, {}), "");
}

}  // namespace
}  // namespace adacvar
