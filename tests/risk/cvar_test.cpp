#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Losses = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

/// alpha as a fraction of integers and row weights as integers, so that a reference can compute
/// exactly where the tail ends. `alpha()` is the value a user would pass.
struct Sample {
  Losses losses;
  std::vector<int> weights;
  int numerator = 1;
  int denominator = 1;

  [[nodiscard]] double alpha() const { return static_cast<double>(numerator) / denominator; }
  [[nodiscard]] Losses real_weights() const { return {weights.begin(), weights.end()}; }
  [[nodiscard]] long long total() const {
    return std::accumulate(weights.begin(), weights.end(), 0LL);
  }
  /// `relative` of the largest loss, and the spacing of denormal numbers.
  [[nodiscard]] double accuracy(double relative) const {
    double largest = 0;
    for (const double loss : losses) largest = std::max(largest, std::abs(loss));
    return relative * largest + kTiny;
  }
};

std::ostream& operator<<(std::ostream& out, const Sample& s) {
  out << "alpha = " << s.numerator << "/" << s.denominator << ", (loss, weight):";
  for (std::size_t i = 0; i < s.losses.size(); ++i) {
    out << " (" << s.losses[i] << ", " << s.weights[i] << ")";
  }
  return out;
}

/// The maximum of q'L over 0 <= q_i <= p_i / alpha, sum q = 1, by trying every vertex of that
/// polytope: a set of rows at their caps and at most one row between 0 and its cap. Feasibility is
/// checked in integers: p_i / alpha = w_i * denominator / (total * numerator).
double linear_program(const Sample& s) {
  const std::size_t n = s.losses.size();
  const long long whole = s.total() * s.numerator;
  const auto cap = [&](std::size_t i) {
    return static_cast<long long>(s.weights[i]) * s.denominator;
  };
  long double best = -std::numeric_limits<long double>::infinity();
  for (std::size_t at_cap = 0; at_cap < (std::size_t{1} << n); ++at_cap) {
    const auto chosen = [&](std::size_t i) { return (at_cap >> i & 1U) != 0; };
    long long used = 0;
    long double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!chosen(i)) continue;
      used += cap(i);
      value += static_cast<long double>(cap(i)) * s.losses[i];
    }
    if (used == whole) best = std::max(best, value);
    for (std::size_t j = 0; j < n && used < whole; ++j) {
      if (chosen(j) || whole - used > cap(j)) continue;
      best = std::max(best, value + static_cast<long double>(whole - used) * s.losses[j]);
    }
  }
  return static_cast<double>(best / static_cast<long double>(whole));
}

/// l + E[max(L - l, 0)] / alpha
long double rockafellar_uryasev(const Sample& s, double l) {
  long double excess = 0;
  for (std::size_t i = 0; i < s.losses.size(); ++i) {
    if (s.losses[i] > l) excess += s.weights[i] * (static_cast<long double>(s.losses[i]) - l);
  }
  const auto whole = static_cast<long double>(s.total()) * s.numerator;
  return l + excess * s.denominator / whole;
}

/// The smallest loss (of a row with weight) above which the share is at most alpha.
double smallest_border(const Sample& s) {
  double smallest = kInf;
  for (std::size_t j = 0; j < s.losses.size(); ++j) {
    long long above = 0;
    for (std::size_t i = 0; i < s.losses.size(); ++i) {
      if (s.losses[i] > s.losses[j]) above += s.weights[i];
    }
    if (s.weights[j] > 0 && above * s.denominator <= s.total() * s.numerator) {
      smallest = std::min(smallest, s.losses[j]);
    }
  }
  return smallest;
}

int draw_below(Rng& rng, long long bound) {
  return static_cast<int>(rng.below(static_cast<std::uint32_t>(bound)));
}

constexpr int kTies = 1;
constexpr int kBothSigns = 7;
constexpr int kShapes = 8;

double draw_loss(Rng& rng, int shape) {
  const double u = rng.uniform();
  const double sign = rng.below(2) == 0 ? -1 : 1;
  switch (shape) {
    case 0:
      return u;
    case kTies:
      return std::floor(3 * u);
    case 2:
      return 0.1;
    case 3:  // huge range
      return sign * std::exp2(1900 * u - 950);
    case 4:  // denormal
      return std::floor(5 * u) * kTiny;
    case 5:  // far from 0
      return 1e9 + u;
    case 6:  // outliers below
      return u < 0.25 ? -1e300 : u;
    default:
      return sign * u;
  }
}

Sample draw_sample(Rng& rng, int max_size, bool weighted) {
  Sample s;
  const int shape = draw_below(rng, kShapes);
  const int n = 1 + draw_below(rng, max_size);
  for (int i = 0; i < n; ++i) {
    s.losses.push_back(draw_loss(rng, shape));
    s.weights.push_back(weighted ? draw_below(rng, 4) : 1);
  }
  const bool dominated = weighted && rng.below(4) == 0;
  if (dominated || s.total() == 0) s.weights[rng.below(static_cast<std::uint32_t>(n))] = 1000;
  switch (rng.below(4)) {
    case 0:  // near 0 or 1
      s.denominator = 1000000;
      s.numerator = rng.below(2) == 0 ? 1 : 999999;
      break;
    case 1:  // the tail is whole
      s.denominator = static_cast<int>(s.total());
      s.numerator = 1 + draw_below(rng, s.denominator);
      break;
    default:
      s.denominator = 1 + draw_below(rng, 1000);
      s.numerator = 1 + draw_below(rng, s.denominator);
  }
  return s;
}

TailRisk risk_of(const Sample& s, bool weighted) {
  return weighted ? tail_risk(s.losses, s.real_weights(), s.alpha())
                  : tail_risk(s.losses, s.alpha());
}

double dot(const Losses& a, const Losses& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(sum);
}

// Numbers to check on paper.

TEST(Cvar, whole_tail_is_the_mean_of_the_worst_rows) {
  const Losses losses{3, 9, 1, 7, 5};
  EXPECT_EQ(tail_risk(losses, 0.4), (TailRisk{.mean = 5, .var = 5, .cvar = 8}));  // (9 + 7) / 2
  EXPECT_EQ(cvar(losses, 0.6), 7);                                                // 21 / 3
}

TEST(Cvar, border_loss_counts_by_fraction) {
  // Tail of 2.5 rows: 40 + 30 + 0.5 * 20 = 80, over 2.5.
  const Losses losses{10, 40, 20, 0, 30};
  EXPECT_EQ(tail_risk(losses, 0.5), (TailRisk{.mean = 20, .var = 20, .cvar = 32}));
  EXPECT_EQ(worst_case_weights(losses, 0.5), (Losses{0, 0.4, 0.2, 0, 0.4}));
}

TEST(Cvar, ties_on_the_border_share_the_remaining_mass) {
  // Tail of 3 rows: 9 and two thirds of each of the three 4s.
  const Losses losses{4, 9, 4, 1, 4, 0};
  EXPECT_EQ(value_at_risk(losses, 0.5), 4);
  EXPECT_EQ(cvar(losses, 0.5), 17.0 / 3);
  const Losses q = worst_case_weights(losses, 0.5);
  const Losses expected{2.0 / 9, 1.0 / 3, 2.0 / 9, 0, 2.0 / 9, 0};
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_DOUBLE_EQ(q[i], expected[i]) << "row " << i;
}

TEST(Cvar, weights_count_rows_by_their_share) {
  // Shares 1/8, 4/8, 2/8, 1/8; tail of 4/8: all of 6 and 5, then 1/8 of 4.
  const Losses losses{6, 4, 5, 1};
  const Losses weights{1, 4, 2, 1};
  EXPECT_EQ(tail_risk(losses, weights, 0.5),
            (TailRisk{.mean = 33.0 / 8, .var = 4, .cvar = (6 + 2 * 5 + 4) / 4.0}));
  EXPECT_EQ(worst_case_weights(losses, weights, 0.5), (Losses{0.25, 0.25, 0.5, 0}));
}

TEST(Cvar, tied_rows_share_in_proportion_to_their_weights) {
  // Tail of 6 out of 12: 8 has 2, the rows of 3 share 4 as 1 : 3 : 4.
  const Losses losses{3, 8, 3, 2, 3};
  const Losses weights{1, 2, 3, 2, 4};
  const Losses q = worst_case_weights(losses, weights, 0.5);
  const Losses expected{4 / 48.0, 2 / 6.0, 12 / 48.0, 0, 16 / 48.0};
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_DOUBLE_EQ(q[i], expected[i]) << "row " << i;
}

TEST(Cvar, var_is_the_lower_end_where_an_interval_minimises) {
  const Losses losses{1, 2, 3, 4};
  const Losses ones(4, 1.0);
  EXPECT_EQ(value_at_risk(losses, 0.5), 2);   // all of [2, 3] minimise
  EXPECT_EQ(value_at_risk(losses, 0.51), 2);  // only 2 does
  EXPECT_EQ(value_at_risk(losses, 0.49), 3);  // only 3 does
  EXPECT_EQ(value_at_risk(losses, 0.25), 3);
  EXPECT_EQ(value_at_risk(losses, 1.0), 1);
  EXPECT_EQ(value_at_risk(losses, ones, 0.5), 2);
  EXPECT_EQ(value_at_risk(losses, ones, 0.49), 3);
  EXPECT_EQ(value_at_risk(losses, ones, 1.0), 1);
}

TEST(Cvar, alpha_one_is_the_mean) {
  const Losses losses{0.1, 0.7, -0.3, 0.2, 0.2};
  const Losses weights{0.3, 0.1, 0.1, 0.4, 0.7};
  const TailRisk plain = tail_risk(losses, 1);
  EXPECT_DOUBLE_EQ(plain.mean, 0.18);
  EXPECT_EQ(plain.cvar, plain.mean);
  EXPECT_EQ(plain.var, -0.3);
  const TailRisk weighted = tail_risk(losses, weights, 1);
  EXPECT_DOUBLE_EQ(weighted.mean, 0.29 / 1.6);
  EXPECT_EQ(weighted.cvar, weighted.mean);
  EXPECT_EQ(weighted.var, -0.3);
  for (const double q : worst_case_weights(losses, 1)) EXPECT_DOUBLE_EQ(q, 0.2);
}

TEST(Cvar, a_share_of_one_row_or_less_is_the_maximum) {
  const Losses losses{0.1, 0.7, -0.3, 0.7, 0.2, 1e-3, 0.3};
  for (const double alpha : {1.0 / 7, 0.1, 1e-9, 1e-300, kTiny}) {
    EXPECT_EQ(cvar(losses, alpha), 0.7) << alpha;
    EXPECT_EQ(cvar(losses, Losses(7, 0.3), alpha), 0.7) << alpha;
    EXPECT_EQ(worst_case_weights(losses, alpha), (Losses{0, 0.5, 0, 0.5, 0, 0, 0})) << alpha;
  }
  EXPECT_EQ(tail_risk(Losses{-3}, 0.2), (TailRisk{-3, -3, -3}));
  EXPECT_EQ(tail_risk(Losses{-3}, Losses{7}, 0.2), (TailRisk{-3, -3, -3}));
}

TEST(Cvar, rows_of_weight_zero_count_as_absent) {
  const Losses losses{100, 2, 3, -100, 1};
  const Losses weights{0, 1, 1, 0, 1};
  EXPECT_EQ(tail_risk(losses, weights, 1), (TailRisk{2, 1, 2}));
  EXPECT_EQ(tail_risk(losses, weights, 0.01), (TailRisk{2, 3, 3}));
  EXPECT_EQ(worst_case_weights(losses, weights, 1.0 / 3), (Losses{0, 0, 1, 0, 0}));
}

// Whole tails in floating point.

TEST(Cvar, decimal_shares_that_make_a_whole_tail_are_whole) {
  Losses losses(100);
  std::iota(losses.begin(), losses.end(), 1.0);
  const Losses tenths(100, 0.1);
  // 0.29 * 100 is 28.999999999999996 and (1 - 0.95) * 100 is 5.000000000000004 in doubles.
  EXPECT_EQ(tail_risk(losses, 0.29), (TailRisk{.mean = 50.5, .var = 71, .cvar = 86}));
  EXPECT_EQ(tail_risk(losses, 1 - 0.95), (TailRisk{.mean = 50.5, .var = 95, .cvar = 98}));
  EXPECT_EQ(value_at_risk(losses, tenths, 0.29), 71);
  EXPECT_DOUBLE_EQ(cvar(losses, tenths, 0.29), 86);
  EXPECT_EQ(value_at_risk(losses, tenths, 1 - 0.95), 95);
  EXPECT_EQ(worst_case_weights(losses, 0.29)[70], 0);
  EXPECT_EQ(worst_case_weights(losses, tenths, 0.29)[70], 0);
}

TEST(Cvar, k_over_n_is_a_tail_of_k_rows_for_every_k_and_n) {
  for (int n = 1; n <= 200; ++n) {
    Losses losses(static_cast<std::size_t>(n));
    std::iota(losses.begin(), losses.end(), 1.0);
    const Losses weights(losses.size(), 0.1);
    for (int k = 1; k <= n; ++k) {
      const double alpha = static_cast<double>(k) / n;
      const double border = std::max(1, n - k);
      ASSERT_EQ(value_at_risk(losses, alpha), border) << k << "/" << n;
      ASSERT_EQ(value_at_risk(losses, weights, alpha), border) << k << "/" << n;
      ASSERT_EQ(cvar(losses, alpha), (2.0 * n - k + 1) / 2) << k << "/" << n;
    }
  }
}

TEST(Cvar, a_tail_that_is_nearly_whole_is_not_rounded) {
  const Losses losses{1, 2, 3, 4};
  const Losses ones(4, 1.0);
  EXPECT_EQ(value_at_risk(losses, 0.5 * (1 - 1e-14)), 3);
  EXPECT_EQ(value_at_risk(losses, ones, 0.5 * (1 - 1e-14)), 3);
  EXPECT_GT(worst_case_weights(losses, 0.5 * (1 + 1e-14))[1], 0);
  EXPECT_GT(worst_case_weights(losses, ones, 0.5 * (1 + 1e-14))[1], 0);
}

// Independent references.

TEST(Cvar, is_the_maximum_of_the_linear_program) {
  Rng rng(1);
  for (int round = 0; round < 6000; ++round) {
    const bool weighted = round % 2 == 1;
    const Sample s = draw_sample(rng, 9, weighted);
    ASSERT_NEAR(risk_of(s, weighted).cvar, linear_program(s), s.accuracy(1e-15)) << s;
  }
}

TEST(Cvar, worst_case_weights_are_feasible_and_attain_it) {
  Rng rng(2);
  for (int round = 0; round < 6000; ++round) {
    const bool weighted = round % 2 == 1;
    const Sample s = draw_sample(rng, 30, weighted);
    const Losses q = weighted ? worst_case_weights(s.losses, s.real_weights(), s.alpha())
                              : worst_case_weights(s.losses, s.alpha());
    ASSERT_EQ(q.size(), s.losses.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double share = s.weights[i] / static_cast<double>(s.total());
      ASSERT_GE(q[i], 0) << s;
      ASSERT_LE(q[i], share / s.alpha() * (1 + 4e-15)) << "row " << i << ", " << s;
      for (std::size_t j = 0; j < i; ++j) {
        if (s.losses[i] != s.losses[j]) continue;
        ASSERT_NEAR(q[i] * s.weights[j], q[j] * s.weights[i], 1e-15 * s.weights[i]) << s;
      }
    }
    ASSERT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1, 1e-14) << s;
    ASSERT_NEAR(dot(q, s.losses), risk_of(s, weighted).cvar, s.accuracy(1e-14)) << s;
  }
}

TEST(Cvar, is_the_rockafellar_uryasev_minimum_and_var_its_lowest_minimiser) {
  Rng rng(3);
  for (int round = 0; round < 10000; ++round) {
    const bool weighted = round % 2 == 1;
    const Sample s = draw_sample(rng, 40, weighted);
    const TailRisk risk = risk_of(s, weighted);
    long double minimum = std::numeric_limits<long double>::infinity();
    for (const double l : s.losses) minimum = std::min(minimum, rockafellar_uryasev(s, l));
    const auto at_var = static_cast<double>(rockafellar_uryasev(s, risk.var));
    ASSERT_NEAR(risk.cvar, static_cast<double>(minimum), s.accuracy(2e-15)) << s;
    ASSERT_NEAR(risk.cvar, at_var, s.accuracy(2e-15)) << s;
    ASSERT_EQ(risk.var, smallest_border(s)) << s;
    ASSERT_EQ(risk.var, weighted ? value_at_risk(s.losses, s.real_weights(), s.alpha())
                                 : value_at_risk(s.losses, s.alpha()))
        << s;
  }
}

TEST(Cvar, equal_weights_are_no_weights) {
  Rng rng(4);
  for (int round = 0; round < 3000; ++round) {
    const Sample s = draw_sample(rng, 200, false);
    const TailRisk plain = risk_of(s, false);
    const TailRisk weighted = tail_risk(s.losses, Losses(s.losses.size(), 0.3), s.alpha());
    ASSERT_EQ(weighted.var, plain.var) << s;
    ASSERT_NEAR(weighted.cvar, plain.cvar, s.accuracy(2e-15)) << s;
    ASSERT_NEAR(weighted.mean, plain.mean, s.accuracy(2e-15)) << s;
  }
}

// Many rows, where a sample brackets the border.

Losses make_rows(const std::string& shape, std::size_t n, Rng& rng) {
  Losses losses(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = rng.uniform();
    const auto x = static_cast<double>(i);
    if (shape == "uniform") losses[i] = u;
    if (shape == "heavy_tail") losses[i] = 1 / ((1 - u) * (1 - u));
    if (shape == "rising") losses[i] = x;
    if (shape == "falling") losses[i] = -x;
    if (shape == "all_equal") losses[i] = 0.1;
    if (shape == "two_values") losses[i] = u < 0.1 ? 1 : 0;
    if (shape == "ties") losses[i] = std::floor(10 * u);
    if (shape == "periodic") losses[i] = static_cast<double>(i % 37);
    if (shape == "one_high") losses[i] = i == n / 2 ? 1 : 0;
    if (shape == "one_low") losses[i] = i == n / 2 ? -1 : 0;
    if (shape == "high_block") losses[i] = i < n / 10 ? 1 + u : u;
  }
  return losses;
}

/// By a full sort in long double; `tail` is alpha * n and may be fractional.
TailRisk sorted_reference(Losses losses, long double tail) {
  std::ranges::sort(losses, std::greater<>());
  const std::size_t n = losses.size();
  const auto rank = std::min(static_cast<std::size_t>(tail), n - 1);
  long double worst = 0;
  for (std::size_t i = 0; i < rank; ++i) worst += losses[i];
  worst += (tail - static_cast<long double>(rank)) * losses[rank];
  const long double all = std::accumulate(losses.begin(), losses.end(), 0.0L);
  return {static_cast<double>(all / static_cast<long double>(n)), losses[rank],
          static_cast<double>(worst / tail)};
}

class ManyRows : public testing::TestWithParam<const char*> {};

TEST_P(ManyRows, agree_with_a_full_sort) {
  Rng rng(5);
  for (const std::size_t n : {2047U, 2048U, 5000U, 100003U}) {
    const Losses losses = make_rows(GetParam(), n, rng);
    const auto size = static_cast<double>(n);
    for (const double tail : {1.0, 1.5, 2.0, 0.001 * size, 0.1 * size, 0.5 * size, 0.9 * size,
                              size - 1.25, size - 1, size}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", tail = " << tail);
      const TailRisk expected = sorted_reference(losses, tail);
      const double accuracy = 1e-15 * std::max(std::abs(expected.cvar), std::abs(expected.var));
      const TailRisk plain = tail_risk(losses, tail / size);
      EXPECT_EQ(plain.var, expected.var);
      EXPECT_NEAR(plain.cvar, expected.cvar, accuracy);
      EXPECT_NEAR(plain.mean, expected.mean, 1e-15 * std::abs(expected.mean));
      const TailRisk weighted = tail_risk(losses, Losses(n, 2.5), tail / size);
      EXPECT_EQ(weighted.var, expected.var);
      EXPECT_NEAR(weighted.cvar, expected.cvar, 2 * accuracy);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ManyRows,
                         testing::Values("uniform", "heavy_tail", "rising", "falling", "all_equal",
                                         "two_values", "ties", "periodic", "one_high", "one_low",
                                         "high_block"),
                         [](const auto& shape) { return std::string(shape.param); });

TEST(SelectInBracket, is_right_wherever_the_bracket_lies) {
  Rng rng(6);
  for (int round = 0; round < 200; ++round) {
    Losses losses(1 + rng.below(12));
    for (double& loss : losses) loss = draw_loss(rng, round % 2 == 0 ? kTies : kBothSigns);
    Losses ends = losses;
    ends.insert(ends.end(), {-kInf, kInf});
    Losses sorted = losses;
    std::ranges::sort(sorted, std::greater<>());
    for (std::size_t rank = 0; rank < losses.size(); ++rank) {
      const auto first = std::ranges::find(sorted, sorted[rank]) - sorted.begin();
      for (const double low : ends) {
        for (const double high : ends) {
          if (low > high) continue;
          const auto [loss, above] = detail::select_in_bracket(losses, rank, {low, high});
          ASSERT_EQ(loss, sorted[rank]) << "rank " << rank << " in " << low << " to " << high;
          ASSERT_EQ(above, static_cast<std::size_t>(first)) << low << " to " << high;
        }
      }
    }
  }
  for (const detail::Bracket& bracket : {detail::Bracket{-0.0, 1}, detail::Bracket{-1, -0.0}}) {
    const Losses losses{1, -0.0, -1};
    EXPECT_FALSE(std::signbit(detail::select_in_bracket(losses, 1, bracket).loss));
  }
}

TEST(SelectFromTop, counts_the_losses_above_a_tie) {
  Rng rng(7);
  const Losses losses = make_rows("ties", 10000, rng);
  for (std::size_t rank = 0; rank < losses.size(); rank += 101) {
    const auto [loss, above] = detail::select_from_top(losses, rank);
    const auto expected =
        std::ranges::count_if(losses, [border = loss](double x) { return x > border; });
    ASSERT_EQ(above, static_cast<std::size_t>(expected));
    ASSERT_LE(above, rank);
    ASSERT_GT(above + static_cast<std::size_t>(std::ranges::count(losses, loss)), rank);
  }
}

// Accuracy and extremes.

TEST(Cvar, sums_keep_digits_that_plain_addition_loses) {
  EXPECT_EQ(tail_risk(Losses{1e16, 1, -1e16}, 1).mean, 1.0 / 3);
  EXPECT_EQ(tail_risk(Losses{1e16, 1, -1e16}, Losses{1, 1, 1}, 1).mean, 1.0 / 3);
  EXPECT_EQ(tail_risk(Losses(1000001, 0.1), 1).mean, 0.1);
  // In doubles 3 times 0.1 is 0.3 + 2^-55; the rounded product is twice as far away.
  EXPECT_DOUBLE_EQ(tail_risk(Losses{3, -1}, Losses{0.1, 0.3}, 1).mean, 0x1.0p-55 / 0.4);
  // Tail of 21 rows: 1e16 and twenty times 1, each of which plain addition loses.
  Losses losses(42, -1.0);
  losses[0] = 1e16;
  std::fill_n(losses.begin() + 1, 20, 1.0);
  EXPECT_EQ(cvar(losses, 0.5), (1e16 + 20) / 21);
}

TEST(Cvar, a_far_loss_outside_the_tail_does_not_spoil_it) {
  EXPECT_EQ(cvar(Losses{-1e17, 1, 2, -1e17}, 0.5), 1.5);
  EXPECT_EQ(cvar(Losses{-1e17, 1, 2, -1e17}, Losses(4, 3.0), 0.5), 1.5);
  EXPECT_EQ(cvar(Losses{-1.7e308, 0.1, 0.1, 0.1}, 0.75), 0.1);
  EXPECT_DOUBLE_EQ(cvar(Losses{-1.7e308, 0.1, 0.1, 0.1}, Losses(4, 0.3), 0.75), 0.1);
}

TEST(Cvar, losses_near_the_largest_double_do_not_overflow) {
  const TailRisk all{kMax, kMax, kMax};
  for (const std::size_t n : {3U, 8U, 100U}) {
    const Losses losses(n, kMax);
    EXPECT_EQ(tail_risk(losses, 1), all);
    EXPECT_EQ(tail_risk(losses, 0.5), all);
    EXPECT_EQ(tail_risk(losses, Losses(n, kMax), 0.5), all);
    EXPECT_EQ(tail_risk(losses, Losses(n, kTiny), 1), all);
  }
  Losses losses(100, 1e308);
  losses[7] = -1e308;
  const TailRisk risk = tail_risk(losses, 0.995);
  EXPECT_DOUBLE_EQ(risk.mean, 0.98e308);
  EXPECT_DOUBLE_EQ(risk.cvar, 98.5 / 99.5 * 1e308);
  EXPECT_DOUBLE_EQ(cvar(losses, Losses(100, 1e300), 0.995), 98.5 / 99.5 * 1e308);
  EXPECT_EQ(tail_risk(Losses{kMax, -kMax, kMax, -kMax}, 1).mean, 0);
}

TEST(Cvar, denormal_losses_and_weights_are_exact) {
  const Losses losses{1 * kTiny, 8 * kTiny, 4 * kTiny, 2 * kTiny};
  const TailRisk expected{4 * kTiny, 2 * kTiny, 6 * kTiny};  // the mean is 3.75, so 4
  EXPECT_EQ(tail_risk(losses, 0.5), expected);
  EXPECT_EQ(tail_risk(losses, Losses(4, 0.3), 0.5), expected);
  EXPECT_EQ(tail_risk(losses, Losses(4, kTiny), 0.5), expected);
  EXPECT_EQ(cvar(Losses{-5, kTiny, kTiny, 3 * kTiny}, Losses(4, 0.1), 0.5), 2 * kTiny);
}

TEST(Cvar, one_weight_may_dominate) {
  const Losses losses{5, 1, 3};
  const Losses weights{1e-200, 1e100, 1e-200};
  EXPECT_EQ(tail_risk(losses, weights, 0.5), (TailRisk{1, 1, 1}));
  EXPECT_EQ(worst_case_weights(losses, weights, 0.5)[1], 1);
  EXPECT_EQ(value_at_risk(losses, Losses{1e200, 1, 1}, 0.5), 5);
  // A tail of 2e-300 of the whole: the two light rows above the heavy one.
  EXPECT_EQ(tail_risk(losses, Losses{1e-300, 1, 1e-300}, 2e-300), (TailRisk{1, 1, 4}));
}

TEST(Cvar, the_sign_of_a_zero_does_not_depend_on_the_order) {
  for (const Losses& losses : {Losses{-0.0, 0.0, 1}, Losses{0.0, -0.0, 1}, Losses{-0.0, -0.0}}) {
    EXPECT_FALSE(std::signbit(value_at_risk(losses, 0.9)));
    EXPECT_FALSE(std::signbit(value_at_risk(losses, Losses(losses.size(), 1.0), 0.9)));
    EXPECT_FALSE(std::signbit(tail_risk(losses, 0.01).mean));
  }
  EXPECT_FALSE(std::signbit(value_at_risk(Losses(5000, -0.0), 0.5)));
}

// Properties.

TEST(Cvar, falls_with_alpha_without_a_jump) {
  Rng rng(8);
  for (int round = 0; round < 300; ++round) {
    Losses losses(1 + rng.below(20));
    for (double& loss : losses) loss = draw_loss(rng, round % 2 == 0 ? kBothSigns : kTies);
    const Losses weights(losses.size(), 0.7);
    const double range = std::ranges::max(losses) - std::ranges::min(losses);
    double previous = cvar(losses, 0.001);
    double previous_weighted = previous;
    // The derivative is at most range / alpha, and alpha at least half of this step's.
    for (int step = 2; step <= 1000; ++step) {
      const double alpha = step / 1000.0;
      const double most = 2 * range / step + 1e-15;
      const double value = cvar(losses, alpha);
      const double weighted = cvar(losses, weights, alpha);
      ASSERT_LE(value, previous + 1e-15) << "alpha = " << alpha;
      ASSERT_GE(value, previous - most) << "alpha = " << alpha;
      ASSERT_LE(weighted, previous_weighted + 1e-15) << "alpha = " << alpha;
      ASSERT_GE(weighted, previous_weighted - most) << "alpha = " << alpha;
      previous = value;
      previous_weighted = weighted;
    }
  }
}

TEST(Cvar, follows_shifts_and_scales_of_the_losses) {
  Rng rng(9);
  for (int round = 0; round < 2000; ++round) {
    Sample s = draw_sample(rng, 50, true);
    for (double& loss : s.losses) loss = std::floor(1024 * rng.uniform());  // exact under both
    Sample moved = s;
    for (double& loss : moved.losses) loss = 4 * loss - 4096;
    for (const bool weighted : {false, true}) {
      const TailRisk before = risk_of(s, weighted);
      const TailRisk after = risk_of(moved, weighted);
      ASSERT_EQ(after.var, 4 * before.var - 4096) << s;
      ASSERT_NEAR(after.cvar, 4 * before.cvar - 4096, 4e-12) << s;
      ASSERT_NEAR(after.mean, 4 * before.mean - 4096, 4e-12) << s;
    }
  }
}

TEST(Cvar, does_not_depend_on_the_order_of_rows) {
  Rng rng(10);
  for (const std::size_t n : {2U, 7U, 100U, 3000U}) {
    for (int shape = 0; shape < kShapes; ++shape) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", shape " << shape);
      Losses losses(n);
      for (double& loss : losses) loss = draw_loss(rng, shape);
      double largest = 0;
      for (const double loss : losses) largest = std::max(largest, std::abs(loss));
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = n; i > 1; --i) {
        std::swap(order[i - 1], order[rng.below(static_cast<std::uint32_t>(i))]);
      }
      Losses other(n);
      for (std::size_t i = 0; i < n; ++i) other[i] = losses[order[i]];

      const double alpha = 1 - 0.999 * rng.uniform();
      const TailRisk a = tail_risk(losses, alpha);
      const TailRisk b = tail_risk(other, alpha);
      EXPECT_EQ(a.var, b.var);
      EXPECT_NEAR(a.cvar, b.cvar, 1e-15 * std::abs(a.cvar));
      EXPECT_NEAR(a.mean, b.mean, 1e-15 * largest);
      const Losses q = worst_case_weights(losses, alpha);
      const Losses other_q = worst_case_weights(other, alpha);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(other_q[i], q[order[i]]);
    }
  }
}

// Bad input.

struct BadInput {
  const char* name;
  Losses losses;
  Losses weights;
  double alpha;
  const char* words;
};

const Losses kGood{1, 2, 3, 4, 5};

const std::vector<BadInput> kBadAlphas{
    {"0", kGood, kGood, 0, "alpha = 0 ... (0, 1]"},
    {"below 0", kGood, kGood, -0.5, "alpha = -0.5 ... (0, 1]"},
    {"above 1", kGood, kGood, 1.5, "alpha = 1.5 ... (0, 1]"},
    {"infinite", kGood, kGood, kInf, "alpha = inf ... (0, 1]"},
    {"nan", kGood, kGood, kNan, "alpha = nan ... (0, 1]"},
};

const std::vector<BadInput> kBadLosses{
    {"empty", {}, {}, 0.5, "losses ... empty"},
    {"nan", {1, 2, 3, kNan, 5}, kGood, 0.5, "losses[3] = nan ... finite"},
    {"minus nan", {1, 2, 3, -kNan, 5}, kGood, 0.5, "losses[3] = nan ... finite"},
    {"infinite", {kInf, 2, 3, kNan, 5}, kGood, 0.5, "losses[0] = inf ... finite"},
    {"minus infinite", {1, 2, 3, 4, -kInf}, kGood, 0.5, "losses[4] = -inf ... finite"},
    {"nan of weight 0", {1, kNan, 3}, {1, 0, 1}, 0.5, "losses[1] = nan ... finite"},
};

const std::vector<BadInput> kBadWeights{
    {"negative", kGood, {1, 1, -1, 1, 1}, 0.5, "weights[2] = -1 ... [0, inf)"},
    {"nan", kGood, {kNan, 1, 1, 1, 1}, 0.5, "weights[0] = nan ... [0, inf)"},
    {"infinite", kGood, {1, 1, 1, 1, kInf}, 0.5, "weights[4] = inf ... [0, inf)"},
    {"all 0", kGood, {0, 0, 0, 0, 0}, 0.5, "weights sum to 0"},
};

const std::vector<BadInput> kBadLengths{
    {"short", kGood, {1, 1, 1, 1}, 0.5, "weights ... 4 ... losses ... 5"},
    {"long", kGood, {1, 1, 1, 1, 1, 1}, 0.5, "weights ... 6 ... losses ... 5"},
};

template <class Error>
void expect_words(const BadInput& bad, const char* function, const std::function<void()>& call) {
  SCOPED_TRACE(testing::Message() << function << ", " << bad.name);
  try {
    call();
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_PRED2(support::has_words, error.what(), bad.words);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "wrong type: " << error.what();
  }
}

template <class Error>
void expect_from_plain(const BadInput& b) {
  expect_words<Error>(b, "tail_risk", [&] { std::ignore = tail_risk(b.losses, b.alpha); });
  expect_words<Error>(b, "VaR", [&] { std::ignore = value_at_risk(b.losses, b.alpha); });
  expect_words<Error>(b, "cvar", [&] { std::ignore = cvar(b.losses, b.alpha); });
  expect_words<Error>(b, "q", [&] { std::ignore = worst_case_weights(b.losses, b.alpha); });
}

template <class Error>
void expect_from_weighted(const BadInput& b) {
  expect_words<Error>(b, "tail_risk",
                      [&] { std::ignore = tail_risk(b.losses, b.weights, b.alpha); });
  expect_words<Error>(b, "VaR", [&] { std::ignore = value_at_risk(b.losses, b.weights, b.alpha); });
  expect_words<Error>(b, "cvar", [&] { std::ignore = cvar(b.losses, b.weights, b.alpha); });
  expect_words<Error>(b, "q",
                      [&] { std::ignore = worst_case_weights(b.losses, b.weights, b.alpha); });
}

TEST(Cvar, bad_input_is_named_with_what_is_allowed) {
  for (const BadInput& bad : kBadAlphas) expect_from_plain<OptionError>(bad);
  for (const BadInput& bad : kBadAlphas) expect_from_weighted<OptionError>(bad);
  for (const BadInput& bad : kBadLosses) expect_from_plain<DataError>(bad);
  for (const BadInput& bad : kBadLosses) expect_from_weighted<DataError>(bad);
  for (const BadInput& bad : kBadWeights) expect_from_weighted<DataError>(bad);
  for (const BadInput& bad : kBadLengths) expect_from_weighted<OptionError>(bad);
}

TEST(Cvar, a_loss_that_is_not_finite_is_found_wherever_it_is) {
  for (const std::size_t n : {9U, 5000U}) {
    for (const double bad : {kNan, kInf, -kInf}) {
      for (std::size_t place = 0; place < n; place += 1 + n / 100) {
        Losses losses(n, 1.0);
        losses[place] = bad;
        const std::string start = "losses[" + std::to_string(place) + "] = ";
        try {
          std::ignore = cvar(losses, 0.1);
          FAIL() << start << bad << ": nothing thrown";
        } catch (const DataError& error) {
          ASSERT_EQ(std::string(error.what()).substr(0, start.size()), start);
        }
      }
    }
  }
}

}  // namespace
}  // namespace adacvar
