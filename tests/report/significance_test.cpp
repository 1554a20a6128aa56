#include "report/significance.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;

TEST(MeanSd, is_that_of_the_sample) {
  const MeanSd figure = mean_sd(Values{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(figure.mean, 2.5);
  EXPECT_DOUBLE_EQ(figure.sd, std::sqrt(5.0 / 3.0));
  EXPECT_EQ(mean_sd(Values{7}).sd, 0.0);
}

TEST(PairedTTest, agrees_with_the_closed_form_for_four_degrees_of_freedom) {
  // Differences -1, 0, -1, -1, 0: mean -0.6, sd sqrt(0.3), t = sqrt(6), and with 4 degrees of
  // freedom p = 1 - t / sqrt(t^2 + 4) (1 + 2 / (t^2 + 4)).
  const double expected = 1 - std::sqrt(0.6) * 1.2;
  EXPECT_NEAR(paired_t_test(Values{1, 2, 3, 4, 5}, Values{2, 2, 4, 5, 5}), expected, 1e-12);
  EXPECT_NEAR(paired_t_test(Values{2, 2, 4, 5, 5}, Values{1, 2, 3, 4, 5}), expected, 1e-12);
}

TEST(PairedTTest, equal_differences_leave_no_doubt) {
  EXPECT_EQ(paired_t_test(Values{1, 2}, Values{1, 2}), 1.0);
  EXPECT_EQ(paired_t_test(Values{1, 2}, Values{2, 3}), 0.0);
  EXPECT_EQ(paired_t_test(Values{1}, Values{2}), 0.0);
}

TEST(PairedTTest, needs_pairs) {
  EXPECT_THROW((void)paired_t_test(Values{1, 2}, Values{1}), OptionError);
  EXPECT_THROW((void)paired_t_test(Values{}, Values{}), OptionError);
}

TEST(BestSet, has_the_best_and_those_not_significantly_different) {
  const std::vector<Values> scores = {
      {1.0, 1.1, 0.9, 1.0, 1.0}, {5, 5.1, 4.9, 5, 5}, {1.1, 1.0, 1.0, 0.9, 1.1}, {}};
  EXPECT_EQ(best_set(scores, false), (std::vector{true, false, true, false}));
  EXPECT_EQ(best_set(scores, true), (std::vector{false, true, false, false}));
}

TEST(NormaliseScores, goes_from_zero_to_one_as_in_the_paper) {
  const auto scores = normalise_scores({{2, 4}, {1, 1}, {5, 5}, {}});
  EXPECT_DOUBLE_EQ(scores[0].mean, 0.5);  // (3 - 1) / (5 - 1)
  EXPECT_DOUBLE_EQ(scores[0].sd, std::sqrt(2.0) / 5);
  EXPECT_EQ(scores[1].mean, 0.0);
  EXPECT_EQ(scores[2].mean, 1.0);
  EXPECT_TRUE(std::isnan(scores[3].mean));
  EXPECT_EQ(normalise_scores({{3, 3}, {3, 3}})[0].mean, 0.0);
}

}  // namespace
}  // namespace adacvar
