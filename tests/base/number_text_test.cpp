#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace adacvar {
namespace {

TEST(NumberText, has_four_significant_digits) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(3.14159), "3.142");
  EXPECT_EQ(number_text(-12.3456), "-12.35");
  EXPECT_EQ(number_text(9999.4), "9999");
  EXPECT_EQ(number_text(0.00012345), "0.0001234");  // to even: the double is a little less
}

TEST(NumberText, is_whole_from_ten_thousand_on) {
  EXPECT_EQ(number_text(9999.6), "10000");  // four digits would be 1e+04
  EXPECT_EQ(number_text(-9999.5), "-10000");
  EXPECT_EQ(number_text(10'000), "10000");
  EXPECT_EQ(number_text(123'456.7), "123457");
  EXPECT_EQ(number_text(999'999'999), "999999999");
}

TEST(NumberText, is_a_power_of_ten_where_very_large_or_small) {
  EXPECT_EQ(number_text(1e9), "1e+09");
  EXPECT_EQ(number_text(-1.23456e12), "-1.235e+12");
  EXPECT_EQ(number_text(0.000012345678), "1.235e-05");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberText, fits_eleven_places) {
  for (double value = 1e-300; value < 1e300; value *= 3.7) {
    EXPECT_LE(number_text(-value).size(), 11U) << value;
    EXPECT_NEAR(std::stod(number_text(value)) / value, 1, 5.001e-4);
  }
}

TEST(CountText, has_commas_between_thousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(12'345), "12,345");
  EXPECT_EQ(count_text(100'000), "100,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace adacvar
