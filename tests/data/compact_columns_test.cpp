#include "data/compact_columns.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t bytes_each(std::initializer_list<double> numbers) {
  return CompactNumbers(numbers).bytes_each();
}

TEST(CompactNumbers, take_as_few_bytes_as_they_need) {
  EXPECT_EQ(bytes_each({0, 5, -9, kNan}), 1U);
  EXPECT_EQ(bytes_each({1.5, -12.6}), 1U);
  EXPECT_EQ(bytes_each({0.01, 327.66}), 2U);
  EXPECT_EQ(bytes_each({1, 2, 1000}), 2U);
  EXPECT_EQ(bytes_each({123.4567}), 4U);
  EXPECT_EQ(bytes_each({0.000000001}), 1U);
  EXPECT_EQ(bytes_each({34359738368}), 4U) << "a float";
  EXPECT_EQ(bytes_each({1, -0.0}), 4U) << "a float has both zeros";
  EXPECT_EQ(bytes_each({0.1, 1234567890}), 8U);
  EXPECT_EQ(bytes_each({1.0 / 3}), 8U);
  EXPECT_EQ(bytes_each({1e300}), 8U);
}

/// Numbers as files have them: digits, decimals, missing ones, some of any size.
double random_number(Rng& rng, std::uint64_t kind) {
  const auto whole = static_cast<double>(rng.below(2001)) - 1000;
  switch (kind) {
    case 0:
      return std::round(whole / 100);
    case 1:
      return whole / 100;
    case 2:
      return whole * 4321;
    case 3:
      return whole * 4321 / 1e6;
    case 4:
      return static_cast<double>(static_cast<float>(rng.uniform()));
    case 5:
      return rng.uniform() * std::pow(10.0, whole);
    case 6:
      return whole < 0 ? -0.0 : 0.0;
    default:
      return kNan;
  }
}

TEST(CompactNumbers, come_back_bit_by_bit) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto kinds = static_cast<std::uint32_t>(1 + rng.below(8));
    std::vector<double> twin;
    CompactNumbers numbers;
    if (rng.below(2) == 0) numbers.reserve(rng.below(50));
    for (std::uint64_t block = rng.below(5) + 1; block > 0; --block) {
      std::vector<double> next;
      const std::uint64_t kind = rng.below(kinds);
      for (std::uint64_t i = rng.below(20); i > 0; --i) {
        next.push_back(random_number(rng, rng.below(10) == 0 ? rng.below(8) : kind));
      }
      numbers.append(next);
      twin.insert(twin.end(), next.begin(), next.end());
    }
    ASSERT_EQ(numbers.size(), twin.size());
    for (std::size_t i = 0; i < twin.size(); ++i) {
      ASSERT_TRUE(std::isnan(twin[i]) ? std::isnan(numbers[i])
                                      : std::bit_cast<std::uint64_t>(numbers[i]) ==
                                            std::bit_cast<std::uint64_t>(twin[i]))
          << seed << ": " << twin[i] << " became " << numbers[i];
    }
  }
}

TEST(CompactNumbers, compare_by_value) {
  EXPECT_EQ((CompactNumbers{1, 2}), CompactNumbers(std::vector<double>{1, 2}));
  EXPECT_NE((CompactNumbers{1, 2}), (CompactNumbers{1, 2, 3}));
  EXPECT_NE((CompactNumbers{kNan}), (CompactNumbers{kNan}));
  EXPECT_TRUE(CompactNumbers().empty());
}

TEST(CompactNames, come_back_over_many_pages) {
  CompactNames names;
  std::vector<std::string> twin;
  for (std::size_t i = 0; i < 20'000; ++i) {
    twin.push_back(i % 7 == 0 ? "" : std::string(i % 40, 'a') + std::to_string(i));
    names.push_back(twin.back());
  }
  ASSERT_EQ(names.size(), twin.size());
  EXPECT_TRUE(names == twin);
  EXPECT_EQ(names[4095], twin[4095]);
  EXPECT_EQ(names[4096], twin[4096]);
  EXPECT_EQ((CompactNames{"a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE((CompactNames{"a", "b"}) == (std::vector<std::string>{"a", "c"}));
}

}  // namespace
}  // namespace adacvar
