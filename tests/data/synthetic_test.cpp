#include "data/synthetic.hpp"
#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using Numbers = std::vector<double>;
using support::message_of;

constexpr std::array kTheta = {0.25, -0.25, 0.5, 0.7, -0.75};

double mean(const auto& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double covariance(const auto& a, const auto& b) {
  Numbers products(a.size());
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  for (std::size_t i = 0; i < a.size(); ++i) products[i] = (a[i] - mean_a) * (b[i] - mean_b);
  return mean(products);
}

Numbers noise(const Table& table) {
  const CompactNumbers& targets = table.columns.back().numbers;
  Numbers left(targets.begin(), targets.end());
  for (std::size_t c = 0; c < kTheta.size(); ++c) {
    for (std::size_t i = 0; i < left.size(); ++i)
      left[i] -= kTheta[c] * table.columns[c].numbers[i];
  }
  return left;
}

// 100,000 rows: standard errors are about 0.003 for means and 0.0045 for covariances. The bounds
// are four of them or more; the seed is fixed.
TEST(Synthetic, normal_has_its_moments) {
  const Table table = make_synthetic("normal", {.rows = 100'000, .seed = 1});
  EXPECT_EQ(column_names(table), "x1, x2, x3, x4, x5, y");
  for (std::size_t a = 0; a < 5; ++a) {
    EXPECT_NEAR(mean(table.columns[a].numbers), 0, 0.015);
    for (std::size_t b = 0; b < 5; ++b) {
      EXPECT_NEAR(covariance(table.columns[a].numbers, table.columns[b].numbers),
                  a == b ? 1.0 : 0.9, 0.02);
    }
  }
  const Numbers left = noise(table);
  EXPECT_NEAR(mean(left), 0, 0.0015);
  EXPECT_NEAR(covariance(left, left), 0.01, 0.0002);
  // Within one, two, three standard deviations.
  for (const auto& [bound, share] : {std::pair(0.1, 0.6827), {0.2, 0.9545}, {0.3, 0.9973}}) {
    const auto inside =
        std::ranges::count_if(left, [b = bound](double value) { return std::abs(value) < b; });
    EXPECT_NEAR(static_cast<double>(inside) / 1e5, share, 0.006);
  }
}

TEST(Synthetic, pareto_noise_has_its_tail) {
  const Numbers left = noise(make_synthetic("pareto", {.rows = 100'000, .seed = 1}));
  EXPECT_NEAR(mean(left), 0, 0.0015);
  EXPECT_GE(*std::ranges::min_element(left), -0.05 - 1e-12);
  for (const double p : {0.1, 0.5, 1.0, 3.0}) {
    const auto above =
        std::ranges::count_if(left, [p](double value) { return value / 0.1 + 0.5 > p; });
    EXPECT_NEAR(static_cast<double>(above) / 1e5, std::pow(1 + p, -3), 0.006) << p;
  }
}

TEST(Synthetic, sinc_features_are_bumps_of_one_x) {
  const Table table = make_synthetic("sinc", {.rows = 50'000, .seed = 3});
  ASSERT_EQ(table.columns.size(), 11U);
  const CompactNumbers& y = table.columns.back().numbers;
  EXPECT_NEAR(mean(y), 0.05, 0.006);  // the integral of sinc over [-10, 10] is about 1, over 20
  EXPECT_NEAR(covariance(y, y), 0.04 + 0.05 - 0.0025, 0.003);
  for (std::size_t c = 0; c < 10; ++c) {
    const CompactNumbers& feature = table.columns[c].numbers;
    EXPECT_GE(*std::ranges::min_element(feature), 0);
    EXPECT_LE(*std::ranges::max_element(feature), 1);
    EXPECT_GT(*std::ranges::max_element(feature), 0.5);
  }
}

TEST(Synthetic, seeds_and_sizes) {
  const auto column = [](std::string_view name, std::size_t rows, std::uint64_t seed) {
    return make_synthetic(name, {.rows = rows, .seed = seed}).columns[0].numbers;
  };
  EXPECT_EQ(make_synthetic("normal").rows, 10'000U);
  for (const std::string_view name : synthetic_names()) {
    EXPECT_EQ(column(name, 10, 7), column(name, 10, 7));
    EXPECT_NE(column(name, 10, 7), column(name, 10, 8));
    // More rows leave the first ones as they are.
    const CompactNumbers few = column(name, 10, 7);
    const CompactNumbers many = column(name, 20, 7);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << name;
  }
}

// Changing these draws is an entry in CHANGELOG.
TEST(Synthetic, the_same_bits_everywhere) {
  const auto first = [](std::string_view name) {
    return make_synthetic(name, {.rows = 1, .seed = 42}).columns.back().numbers[0];
  };
  EXPECT_EQ(first("normal"), -0x1.1f7643848fa74p-1);
  EXPECT_EQ(first("pareto"), -0x1.66155d1f085dcp-2);
  EXPECT_EQ(first("sinc"), 0x1.b63ec0182c10ep-3);
}

TEST(Synthetic, bad_options_are_refused) {
  EXPECT_PRED2(support::has_words, message_of<OptionError>([] { return make_synthetic("moons"); }),
               "synthetic set = 'moons' ... normal, pareto, sinc");
  EXPECT_PRED2(support::has_words,
               message_of<OptionError>([] { return make_synthetic("sinc", {.rows = 0}); }),
               "rows = 0 ... [1, 4294967294]");
}

}  // namespace
}  // namespace adacvar
