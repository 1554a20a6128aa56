#include <adacvar/base/rng.hpp>

#include "base/portable_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

namespace adacvar {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kLeastNormal = std::numeric_limits<double>::min();

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Distance from `exact` in units of its last place as a double.
double ulps(double value, long double exact) {
  const double near = std::max(std::abs(static_cast<double>(exact)), kLeastNormal);
  const double unit = std::nextafter(near, kInf) - near;
  return static_cast<double>(std::abs(value - exact) / unit);
}

/// Errors are measured against the C library's long double.
class PortableMath : public testing::Test {
 protected:
  void SetUp() override {
    if (std::numeric_limits<long double>::digits < 64) {
      GTEST_SKIP() << "long double is no more exact than double here";
    }
  }

  template <class Function, class Exact>
  static void expect_ulps_below(double limit, Function function, Exact exact,
                                const std::vector<double>& arguments) {
    double worst = 0;
    double worst_at = 0;
    for (const double x : arguments) {
      const double error = ulps(function(x), exact(static_cast<long double>(x)));
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    }
    EXPECT_LT(worst, limit) << "at " << worst_at;
  }
};

/// Even in [low, high], then its ends and their neighbours inside.
std::vector<double> arguments_in(double low, double high, std::size_t count) {
  Rng rng(std::bit_cast<std::uint64_t>(low), std::bit_cast<std::uint64_t>(high));
  std::vector<double> arguments(count);
  for (double& x : arguments) x = low + (high - low) * rng.uniform();
  for (const double x : {low, std::nextafter(low, high), high, std::nextafter(high, low)}) {
    arguments.push_back(x);
  }
  return arguments;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Values of every magnitude from 1e-300 to 1, both signs.
std::vector<double> small_arguments() {
  std::vector<double> arguments{0.0, -0.0, kTiny, -kTiny, kLeastNormal, -kLeastNormal};
  for (double x = 1; x > 1e-300; x *= 0.7) {
    arguments.push_back(x);
    arguments.push_back(-x);
  }
  return arguments;
}

/// Where the reduction of exp changes its multiple of log 2.
std::vector<double> halves_of_log_2(int from, int to) {
  std::vector<double> arguments;
  for (int n = from; n <= to; ++n) {
    const double x = (n + 0.5) * std::numbers::ln2;
    for (const double near : {x, std::nextafter(x, kInf), std::nextafter(x, -kInf)}) {
      arguments.push_back(near);
    }
  }
  return arguments;
}

TEST_F(PortableMath, exp_is_within_2_units_in_the_last_place) {
  std::vector<double> arguments = small_arguments();
  append(arguments, arguments_in(-708, 709, 300'000));
  append(arguments, arguments_in(-2, 2, 300'000));
  append(arguments, halves_of_log_2(-1021, 1022));
  expect_ulps_below(
      2, portable::exp, [](long double x) { return std::exp(x); }, arguments);
}

TEST_F(PortableMath, sigmoid_is_within_4_units_in_the_last_place) {
  std::vector<double> arguments = small_arguments();
  append(arguments, arguments_in(-708, 708, 300'000));
  append(arguments, arguments_in(-40, 40, 300'000));
  append(arguments, arguments_in(-2, 2, 300'000));
  append(arguments, halves_of_log_2(-1021, 1020));
  expect_ulps_below(
      4, portable::sigmoid, [](long double z) { return 1 / (1 + std::exp(-z)); }, arguments);
}

TEST_F(PortableMath, log_is_within_4_units_in_the_last_place) {
  std::vector<double> arguments{kLeastNormal, kMax, std::nextafter(1, 0), std::nextafter(1, 2)};
  Rng rng(1);
  for (int i = 0; i < 300'000; ++i) {
    // Even over the bit patterns of positive normal numbers.
    const std::uint64_t pattern =
        bits(kLeastNormal) + rng() % (bits(kMax) - bits(kLeastNormal) + 1);
    arguments.push_back(std::bit_cast<double>(pattern));
  }
  append(arguments, arguments_in(0.5, 2, 300'000));
  for (double distance = 0.5; distance > 1e-16; distance *= 0.9) {
    arguments.push_back(1 + distance);
    arguments.push_back(1 - distance);
  }
  for (int e = -1021; e <= 1023; ++e) {
    // Powers of 2, and the border where the exponent changes.
    for (const double m : {1.0, std::numbers::sqrt2, std::numbers::sqrt2 / 2}) {
      const double x = std::ldexp(m, e);
      arguments.push_back(x);
      arguments.push_back(std::nextafter(x, kMax));
      arguments.push_back(std::max(std::nextafter(x, 0), kLeastNormal));
    }
  }
  expect_ulps_below(
      4, portable::log, [](long double x) { return std::log(x); }, arguments);
}

TEST_F(PortableMath, log1p_is_within_4_units_in_the_last_place) {
  std::vector<double> arguments = arguments_in(0, 1, 300'000);
  append(arguments, {0.0, 1.0, std::nextafter(1, 0)});
  for (double small = 0.5; small > kLeastNormal; small *= 0.9) arguments.push_back(small);
  std::vector<double> values = arguments;
  portable::log1p_in_place(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(ulps(values[i], std::log1p(static_cast<long double>(arguments[i]))), 4)
        << arguments[i];
  }
}

TEST_F(PortableMath, sine_and_cosine_are_within_1e_minus_15) {
  std::vector<double> angles = small_arguments();
  append(angles, arguments_in(-1e5, 1e5, 300'000));
  append(angles, arguments_in(-7, 7, 300'000));
  for (int n = -120'000; n <= 120'000; n += n > -100 && n < 100 ? 1 : 37) {
    const double angle = n * (std::numbers::pi / 4);  // where the quarter changes, and zeros
    for (const double near : {angle, std::nextafter(angle, kInf), std::nextafter(angle, -kInf)}) {
      angles.push_back(near);
    }
  }
  double worst = 0;
  for (const double angle : angles) {
    const auto [s, c] = portable::sin_cos(angle);
    const auto exact = static_cast<long double>(angle);
    worst = std::max({worst, static_cast<double>(std::abs(s - std::sin(exact))),
                      static_cast<double>(std::abs(c - std::cos(exact)))});
  }
  EXPECT_LT(worst, 1e-15);
}

TEST_F(PortableMath, sine_and_cosine_of_a_turn_are_within_1e_minus_15) {
  const auto error_at = [](std::uint64_t numerator, std::uint64_t denominator) {
    const long double angle = 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(numerator % denominator) /
                              static_cast<long double>(denominator);
    const auto [s, c] = portable::sin_cos_turn(numerator, denominator);
    return std::max(static_cast<double>(std::abs(s - std::sin(angle))),
                    static_cast<double>(std::abs(c - std::cos(angle))));
  };
  double worst = 0;
  for (std::uint64_t denominator = 1; denominator <= 300; ++denominator) {
    for (std::uint64_t numerator = 0; numerator <= 2 * denominator; ++numerator) {
      worst = std::max(worst, error_at(numerator, denominator));
    }
  }
  Rng rng(2);
  for (int i = 0; i < 300'000; ++i) {
    const std::uint64_t denominator = 1 + (rng() >> (4 + rng.below(60)));  // up to 2^60
    worst = std::max(worst, error_at(rng(), denominator));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(PortableMathEdges, exp_saturates_where_it_says) {
  EXPECT_EQ(portable::exp(0.0), 1.0);
  EXPECT_EQ(portable::exp(-0.0), 1.0);
  EXPECT_EQ(portable::exp(kTiny), 1.0);
  EXPECT_GT(portable::exp(-708.0), kLeastNormal);
  EXPECT_EQ(bits(portable::exp(std::nextafter(-708, -709))), 0U);
  EXPECT_EQ(bits(portable::exp(-709.0)), 0U);
  EXPECT_EQ(bits(portable::exp(-1e300)), 0U);
  EXPECT_EQ(bits(portable::exp(-kInf)), 0U);
  const double largest = portable::exp(709.0);
  EXPECT_TRUE(std::isfinite(largest));
  EXPECT_EQ(portable::exp(std::nextafter(709, 710)), kInf);
  EXPECT_EQ(portable::exp(1e300), kInf);
  EXPECT_EQ(portable::exp(kInf), kInf);
}

TEST(PortableMathEdges, sigmoid_ends_at_0_and_1) {
  EXPECT_EQ(portable::sigmoid(0.0), 0.5);
  EXPECT_EQ(portable::sigmoid(-0.0), 0.5);
  EXPECT_EQ(portable::sigmoid(40.0), 1.0);
  EXPECT_EQ(portable::sigmoid(1e300), 1.0);
  EXPECT_EQ(portable::sigmoid(kInf), 1.0);
  // 1 / (1 + e^746) is nearer to 0 than to the smallest subnormal number.
  EXPECT_EQ(portable::sigmoid(-746.0), 0.0);
  EXPECT_EQ(portable::sigmoid(-1e300), 0.0);
  EXPECT_EQ(portable::sigmoid(-kInf), 0.0);
}

TEST(PortableMathEdges, log_of_1_is_0) { EXPECT_EQ(bits(portable::log(1.0)), 0U); }

TEST(PortableMathEdges, quarters_of_a_turn_are_exact) {
  for (const std::uint64_t denominator : {4U, 8U, 12U, 1000U, 1U << 30U}) {
    const double sines[] = {0, 1, 0, -1};
    const double cosines[] = {1, 0, -1, 0};
    for (std::uint64_t quarter = 0; quarter < 12; ++quarter) {
      const auto [s, c] = portable::sin_cos_turn(quarter * (denominator / 4), denominator);
      EXPECT_EQ(s, sines[quarter % 4]) << quarter << "/4";
      EXPECT_EQ(c, cosines[quarter % 4]) << quarter << "/4";
    }
  }
  const auto [s, c] = portable::sin_cos(0.0);
  EXPECT_EQ(s, 0.0);
  EXPECT_EQ(c, 1.0);
}

TEST(PortableMathEdges, turns_are_the_same_however_the_fraction_is_written) {
  // 3 does not divide a power of 2: whatever is rounded is rounded alike.
  for (std::uint64_t numerator = 0; numerator < 3; ++numerator) {
    const auto plain = portable::sin_cos_turn(numerator, 3);
    for (const std::uint64_t factor : {2U, 4U, 1U << 20U}) {
      const auto scaled = portable::sin_cos_turn(numerator * factor, 3 * factor);
      const auto later = portable::sin_cos_turn(numerator + 3 * factor, 3);
      EXPECT_EQ(bits(scaled.sin), bits(plain.sin));
      EXPECT_EQ(bits(scaled.cos), bits(plain.cos));
      EXPECT_EQ(bits(later.sin), bits(plain.sin));
      EXPECT_EQ(bits(later.cos), bits(plain.cos));
    }
  }
}

TEST(ExpAndLogInPlace, give_the_same_bits_as_one_at_a_time_at_every_length) {
  Rng rng(4);
  for (std::size_t length = 0; length <= 13; ++length) {
    std::vector<double> powers(length);
    for (double& x : powers) x = 1600 * rng.uniform() - 800;
    std::vector<double> logs(length);
    for (double& x : logs)
      x = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.below(2000)) - 1000);
    const std::vector<double> exponents = powers;
    const std::vector<double> numbers = logs;
    portable::exp_in_place(powers);
    portable::log_in_place(logs);
    for (std::size_t i = 0; i < length; ++i) {
      EXPECT_EQ(bits(powers[i]), bits(portable::exp(exponents[i]))) << exponents[i];
      EXPECT_EQ(bits(logs[i]), bits(portable::log(numbers[i]))) << numbers[i];
    }
  }
}

TEST(Log1pInPlace, gives_the_same_bits_in_every_place) {
  std::vector<double> together{0.1, 0.5, 0.9, 1.0, 0.1, 0.5, 0.9};
  portable::log1p_in_place(together);
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(bits(together[i]), bits(together[i + 4]));
}

TEST(PortableMathEdges, what_is_not_a_number_stays_so) {
  std::vector<double> values(3, std::numeric_limits<double>::quiet_NaN());
  portable::exp_in_place(values);
  portable::sigmoid_in_place(values);
  portable::log1p_in_place(values);
  for (const double value : values) EXPECT_TRUE(std::isnan(value));
}

TEST(SigmoidInPlace, gives_the_same_bits_as_one_at_a_time_at_every_length) {
  Rng rng(3);
  for (int round = 0; round < 5000; ++round) {
    for (std::size_t length = 0; length <= 9; ++length) {
      for (std::size_t offset = 0; offset < 4; ++offset) {  // every alignment of the first value
        std::vector<double> values(16);
        for (double& value : values) {
          const double edges[] = {0.0, -0.0, kInf, -kInf, 709, -709, 708.5, -708.5, kTiny, 1e300};
          const std::uint32_t kind = rng.below(20);
          value = kind < 10 ? edges[kind] : 100 * (rng.uniform() - 0.5) * (1 + kind % 3 * 7);
        }
        std::vector<double> one_by_one = values;
        for (std::size_t i = offset; i < offset + length; ++i) {
          one_by_one[i] = portable::sigmoid(one_by_one[i]);
        }
        portable::sigmoid_in_place(std::span(values).subspan(offset, length));
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(bits(values[i]), bits(one_by_one[i])) << i << " of " << length;
        }
      }
    }
  }
}

// The same on every platform; found with Python's floats, operation by operation. Runs that were
// recorded with their seed depend on these: a change is a CHANGELOG entry.
struct Pinned {
  double argument;
  std::uint64_t value;
};

TEST(PortableMathBits, exp_never_changes) {
  for (const auto& [x, value] : {
           Pinned{1, 0x4005bf0a8b145769},
           Pinned{-1, 0x3fd78b56362cef38},
           Pinned{0.1, 0x3ff1aec7b35a00d4},
           Pinned{-45, 0x3be0e5b73d1ff53d},
           Pinned{123.456, 0x4b11428e1cbc0142},
           Pinned{-708, 0x0017c8ab2288c9ab},
           Pinned{709, 0x7fdd422d2be5dc9a},
           Pinned{1e-10, 0x3ff000000006df38},
       }) {
    EXPECT_EQ(bits(portable::exp(x)), value) << x;
  }
}

TEST(PortableMathBits, sigmoid_never_changes) {
  const std::vector<Pinned> pinned{
      {1, 0x3fe764d4f5d5a2bd},       {-1, 0x3fd136561454ba86}, {0.3, 0x3fe261d545e46a8b},
      {-45, 0x3be0e5b73d1ff53e},     {20, 0x3feffffffee4b79a}, {36, 0x3feffffffffffffe},
      {-700.25, 0x00caf5fe9a485c8d},
  };
  std::vector<double> together;
  for (const auto& [z, value] : pinned) {
    EXPECT_EQ(bits(portable::sigmoid(z)), value) << z;
    together.push_back(z);
  }
  portable::sigmoid_in_place(together);
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    EXPECT_EQ(bits(together[i]), pinned[i].value) << pinned[i].argument;
  }
}

TEST(PortableMathBits, log_never_changes) {
  for (const auto& [x, value] : {
           Pinned{2, 0x3fe62e42fefa39ef},
           Pinned{0.1, 0xc0026bb1bbb55515},
           Pinned{3, 0x3ff193ea7aad030b},
           Pinned{1e-300, 0xc085963447f87fb5},
           Pinned{1e300, 0x4085963447f87fb5},
           Pinned{0.99999, 0xbee4f8bc681df715},
       }) {
    EXPECT_EQ(bits(portable::log(x)), value) << x;
  }
}

TEST(PortableMathBits, sine_and_cosine_never_change) {
  struct Row {
    double angle;
    std::uint64_t sin;
    std::uint64_t cos;
  };
  for (const auto& [angle, sin, cos] : {
           Row{1, 0x3feaed548f090cee, 0x3fe14a280fb5068c},
           Row{-2.5, 0xbfe326af0dcfcab0, 0xbfe9a2f7ef858b7d},
           Row{1000, 0x3fea75cc150a206c, 0x3fe1ff026793f1bb},
           Row{99999.5, 0x3fe055f282f41bda, 0xbfeb8428c9f69a31},
           Row{-12345.678, 0x3fe687d5890974a5, 0x3fe6b94c3bbe24b8},
       }) {
    const auto value = portable::sin_cos(angle);
    EXPECT_EQ(bits(value.sin), sin) << angle;
    EXPECT_EQ(bits(value.cos), cos) << angle;
  }
}

TEST(PortableMathBits, turns_never_change) {
  struct Row {
    std::uint64_t numerator;
    std::uint64_t denominator;
    std::uint64_t sin;
    std::uint64_t cos;
  };
  for (const auto& [numerator, denominator, sin, cos] : {
           Row{1, 3, 0x3febb67ae8584cab, 0xbfdfffffffffffff},
           Row{1, 7, 0x3fe904c37505de4b, 0x3fe3f3a0e28bedd1},
           Row{5, 12, 0x3fdfffffffffffff, 0xbfebb67ae8584cab},
           Row{123, 1009, 0x3fe62ece4a3095b1, 0x3fe7103cf93da614},
           Row{999999, 1000003, 0xbefa5a7fa50a2553, 0x3fefffffffd497e1},
       }) {
    const auto value = portable::sin_cos_turn(numerator, denominator);
    EXPECT_EQ(bits(value.sin), sin) << numerator << "/" << denominator;
    EXPECT_EQ(bits(value.cos), cos) << numerator << "/" << denominator;
  }
}

}  // namespace
}  // namespace adacvar
