#include "report/histogram_text.hpp"

#include "report/text_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace adacvar {
namespace {

Evaluation evaluation_of(std::vector<double> losses) {
  Evaluation evaluation;
  evaluation.loss = "squared";
  evaluation.alpha = 0.1;
  evaluation.detail.part = "test";
  evaluation.detail.losses = std::move(losses);
  return evaluation;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(HistogramText, marks_are_below_their_bars) {
  // 64 bins over [0, 64]: the mean 7.4 in the eighth, VaR 1 in the second, the CVaR in the last.
  const auto lines = lines_of(histogram_text(evaluation_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 64}), {}));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[1], "test rows, squared loss (bars: log of the count; m mean, v VaR, C CVaR)");
  EXPECT_EQ(lines[2], "  at 0.1     @" + std::string(61, ' ') + "-");
  EXPECT_EQ(lines[3].find('v'), 12U + 1);
  EXPECT_EQ(lines[3].find('m'), 12U + 7);
  EXPECT_EQ(lines[3].find('C'), 12U + 63);
  EXPECT_EQ(lines[4], "            0" + std::string(61, ' ') + "64");
}

TEST(HistogramText, fits_80_columns_in_any_style_and_no_line_ends_in_a_blank) {
  std::vector<double> losses;
  for (int i = 1; i < 2000; ++i) losses.push_back(1e12 / (i * i));
  for (const bool unicode : {false, true}) {
    for (const std::string& line :
         lines_of(histogram_text(evaluation_of(losses), {.unicode = unicode}))) {
      EXPECT_LE(text_width(line), 80U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(HistogramText, colour_is_used_only_when_asked_for) {
  const Evaluation evaluation = evaluation_of({1, 2, 3});
  EXPECT_EQ(histogram_text(evaluation, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(histogram_text(evaluation, {.colour = true}).find("\x1b[33m"), std::string::npos);
}

TEST(HistogramText, losses_that_are_all_the_same_or_zero_are_drawn) {
  for (const double loss : {0.0, 5.0, -2.0, 1e300}) {
    EXPECT_NE(histogram_text(evaluation_of({loss, loss}), {}).find('@'), std::string::npos) << loss;
  }
}

TEST(HistogramText, is_at_a_tail_share_that_was_asked_for) {
  Evaluation evaluation = evaluation_of({1, 2, 3});
  evaluation.all.risk = {{.alpha = 1}};
  EXPECT_NE(histogram_text(evaluation, {}).find("  at 1 "), std::string::npos);
  evaluation.all.risk = {{.alpha = 0.05}, {.alpha = 0.1}};
  EXPECT_NE(histogram_text(evaluation, {}).find("  at 0.1 "), std::string::npos);
}

}  // namespace
}  // namespace adacvar
