#include <adacvar/risk/distribution_summary.hpp>

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

TEST(DistributionSummary, the_uniform_distribution_has_all_rows_and_alpha_in_the_tail) {
  const std::vector<double> distribution(10, 0.1);
  const std::vector<double> losses = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const DistributionSummary summary = summarise_distribution(distribution, losses, 0.2);
  EXPECT_NEAR(summary.effective_rows, 10, 1e-12);
  EXPECT_NEAR(summary.tail_share, 0.2, 1e-12);
  EXPECT_NEAR(summary.entropy, std::log(10.0), 1e-12);
}

TEST(DistributionSummary, rows_of_probability_0_do_not_count) {
  const DistributionSummary summary = summarise_distribution(std::vector{0.0, 0.5, 0.5, 0.0},
                                                             std::vector{9.0, 1.0, 2.0, 3.0}, 0.25);
  EXPECT_NEAR(summary.effective_rows, 2, 1e-12);
  EXPECT_EQ(summary.tail_share, 0);
  EXPECT_NEAR(summary.entropy, std::log(2.0), 1e-12);
}

TEST(DistributionSummary, lengths_must_agree) {
  EXPECT_THROW((void)summarise_distribution(std::vector{1.0}, std::vector{1.0, 2.0}, 0.5),
               OptionError);
}

}  // namespace
}  // namespace adacvar
