#include "risk/histogram.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace adacvar {
namespace {

using Counts = std::vector<double>;

TEST(BinEdges, are_even_or_in_even_ratios) {
  EXPECT_EQ(bin_edges(0, 4, 4, false), (std::vector<double>{0, 1, 2, 3, 4}));
  const std::vector<double> ratios = bin_edges(0.01, 100, 4, true);
  ASSERT_EQ(ratios.size(), 5U);
  EXPECT_EQ(ratios.front(), 0.01);
  EXPECT_NEAR(ratios[1], 0.1, 1e-15);
  EXPECT_NEAR(ratios[2], 1, 1e-14);
  EXPECT_EQ(ratios.back(), 100);
}

TEST(BinEdges, need_a_range) {
  EXPECT_THROW((void)bin_edges(1, 1, 4, false), OptionError);
  EXPECT_THROW((void)bin_edges(0, 1, 4, true), OptionError);
  EXPECT_THROW((void)bin_edges(0, 1, 0, false), OptionError);
  EXPECT_THROW((void)bin_edges(0, std::numeric_limits<double>::infinity(), 4, false), OptionError);
}

TEST(Histogram, an_edge_begins_its_bin_and_losses_beyond_count_at_the_ends) {
  const std::vector<double> losses = {-5, 0, 0.5, 1, 1.5, 3, 99};
  EXPECT_EQ(histogram(losses, {0, 1, 2, 3}).counts, (Counts{3, 2, 2}));
  EXPECT_EQ(histogram({}, {0, 1}).counts, Counts{0});
}

TEST(Histogram, bad_input_is_refused) {
  const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW((void)histogram(nan, {0, 1}), DataError);
  EXPECT_THROW((void)histogram({}, {0}), OptionError);
}

}  // namespace
}  // namespace adacvar
