#include "report/chart_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace adacvar {
namespace {

ChartAxis axis_over(std::vector<double> values, bool log = false, bool whole_ticks = true) {
  ValueRange range{.log = log};
  range.add(values);
  return {range, whole_ticks};
}

std::vector<std::string> texts(const ChartAxis& axis) {
  std::vector<std::string> result;
  for (const double tick : axis.ticks()) result.push_back(axis.text(tick));
  return result;
}

using Texts = std::vector<std::string>;

TEST(ChartAxis, ticks_are_round_and_hold_the_values) {
  EXPECT_EQ(texts(axis_over({0, 0.87})), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts(axis_over({-0.5, 0.9})), (Texts{"-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(texts(axis_over({0, 47000})),
            (Texts{"0", "10,000", "20,000", "30,000", "40,000", "50,000"}));
  EXPECT_EQ(texts(axis_over({0, 2e9})), (Texts{"0", "5e8", "1e9", "1.5e9", "2e9"}));
}

TEST(ChartAxis, without_whole_ticks_it_ends_at_the_values) {
  const ChartAxis axis = axis_over({3, 47}, false, false);
  EXPECT_EQ(axis.low(), 3);
  EXPECT_EQ(axis.high(), 47);
  EXPECT_EQ(texts(axis), (Texts{"10", "20", "30", "40"}));
  EXPECT_EQ(axis.position(3), 0);
  EXPECT_EQ(axis.position(25), 0.5);
  EXPECT_EQ(axis.position(47), 1);
}

TEST(ChartAxis, a_logarithmic_axis_has_powers_of_ten_or_between_them_2_and_5) {
  EXPECT_EQ(texts(axis_over({1e-5, 1}, true)),
            (Texts{"1e-5", "0.0001", "0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(texts(axis_over({0.012, 0.3}, true)),
            (Texts{"0.01", "0.02", "0.05", "0.1", "0.2", "0.5"}));
  EXPECT_NEAR(axis_over({1e-4, 1}, true).position(0.01), 0.5, 1e-12);
}

TEST(ChartAxis, values_it_cannot_show_are_left_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const ChartAxis axis = axis_over({nan, 1, infinity, 2, -infinity});
  EXPECT_EQ(axis.low(), 1);
  EXPECT_EQ(axis.high(), 2);
  EXPECT_FALSE(axis.can_show(nan));
  EXPECT_FALSE(axis_over({1, 10}, true).can_show(0));
  EXPECT_EQ(axis_over({-5, 0, 1, 10}, true).low(), 1);
}

TEST(ChartAxis, every_range_gives_an_axis_of_some_length) {
  for (const bool log : {false, true}) {
    for (const bool whole : {false, true}) {
      for (const std::vector<double>& values : {std::vector<double>{},
                                                {0},
                                                {5},
                                                {-5},
                                                {0, 0},
                                                {1e300, -1e300},
                                                {1e-300, 1e300},
                                                {5e-324},
                                                {1e16, 1e16 + 2},
                                                {1, 1 + 1e-15},
                                                {1e308},
                                                {0, 1e-310}}) {
        const ChartAxis axis = axis_over(values, log, whole);
        EXPECT_LT(axis.low(), axis.high());
        EXPECT_TRUE(std::isfinite(axis.position(axis.high())));
        EXPECT_LE(axis.ticks().size(), 20U);
        for (const double tick : axis.ticks()) EXPECT_FALSE(axis.text(tick).empty());
      }
    }
  }
}

}  // namespace
}  // namespace adacvar
