#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include "support/expect_words.hpp"
#include "support/kdpp_twin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

double total(const Values& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double furthest_apart(const Values& a, const Values& b) {
  if (a.size() != b.size()) return kInf;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// Box-Muller; only the shape of the distribution matters here, not its last bits.
double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

Values normal_weights(std::size_t n, double sd, std::uint64_t seed = 1) {
  Rng rng(seed, n);
  Values x(n);
  for (double& value : x) value = sd * normal(rng);
  return x;
}

/// Returns P_i summed over all subsets of size k, in long double.
Values marginals_by_enumeration(const Values& x, std::size_t k) {
  const std::size_t n = x.size();
  const double largest = *std::ranges::max_element(x);
  std::vector<long double> sums(n);
  long double all = 0;
  for (std::uint32_t subset = 0; subset < (1U << n); ++subset) {
    if (std::popcount(subset) != static_cast<int>(k)) continue;
    long double weight = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((subset >> i & 1U) != 0) weight *= std::exp(static_cast<long double>(x[i]) - largest);
    }
    all += weight;
    for (std::size_t i = 0; i < n; ++i) {
      if ((subset >> i & 1U) != 0) sums[i] += weight;
    }
  }
  Values marginals(n);
  std::ranges::transform(sums, marginals.begin(),
                         [all](long double sum) { return static_cast<double>(sum / all); });
  return marginals;
}

/// Weights of every shape that is numerically difficult in its own way.
struct Shape {
  const char* name;
  std::function<Values(std::size_t)> make;
};

Values half_without_weight(std::size_t n) {
  Values x = normal_weights(n, 1);
  for (std::size_t i = 0; i < n; i += 2) x[i] = -kInf;
  return x;
}

Values clusters(std::size_t n, double apart) {
  Values x = normal_weights(n, 1);
  for (std::size_t i = 0; i < n; ++i) x[i] += static_cast<double>(i % 4) * apart;
  return x;
}

Values one_weight_apart(std::size_t n, double value) {
  Values x = normal_weights(n, 1);
  x[n / 3] = value;
  return x;
}

const std::vector<Shape> kShapes{
    {"all equal", [](std::size_t n) { return Values(n, 0.3); }},
    {"one huge", [](std::size_t n) { return one_weight_apart(n, 800); }},
    {"one tiny", [](std::size_t n) { return one_weight_apart(n, -800); }},
    {"half without weight", half_without_weight},
    {"normal, sd 0.01", [](std::size_t n) { return normal_weights(n, 0.01); }},
    {"normal, sd 1", [](std::size_t n) { return normal_weights(n, 1); }},
    {"normal, sd 10", [](std::size_t n) { return normal_weights(n, 10); }},
    {"normal, sd 1000", [](std::size_t n) { return normal_weights(n, 1000); }},
    {"clusters 30 apart", [](std::size_t n) { return clusters(n, 30); }},
    {"clusters 10^4 apart", [](std::size_t n) { return clusters(n, 1e4); }},
};

/// Calls check(x, k, name) for every shape and each given k that has enough positive weights.
void for_every_shape(std::size_t n, const std::vector<std::size_t>& ks,
                     const std::function<void(const Values&, std::size_t)>& check) {
  for (const Shape& shape : kShapes) {
    const Values x = shape.make(n);
    const auto positive = static_cast<std::size_t>(
        std::ranges::count_if(x, [](double value) { return std::isfinite(value); }));
    for (const std::size_t k : ks) {
      SCOPED_TRACE(testing::Message() << shape.name << ", N = " << n << ", k = " << k);
      if (k <= positive) check(x, k);
    }
  }
}

TEST(ExactMarginals, small_cases_are_those_made_by_hand) {
  // Weights 1, 2, 3 and pairs of weight 2, 3, 6: P = (2 + 3, 2 + 6, 3 + 6) / 11.
  const Values x{0, std::log(2), std::log(3)};
  const auto near = [](const Values& a, const Values& b) { return furthest_apart(a, b) < 1e-15; };
  EXPECT_TRUE(near(exact_marginals(x, 1), {1.0 / 6, 2.0 / 6, 3.0 / 6}));
  EXPECT_TRUE(near(exact_marginals(x, 2), {5.0 / 11, 8.0 / 11, 9.0 / 11}));
  EXPECT_TRUE(near(exact_marginals(x, 3), {1, 1, 1}));
  // Weights 1, 1, 2, 4 and triples 2, 4, 8, 8: P = (14, 14, 18, 20) / 22.
  const Values y{0, 0, std::log(2), std::log(4)};
  EXPECT_TRUE(near(exact_marginals(y, 3), {14.0 / 22, 14.0 / 22, 18.0 / 22, 20.0 / 22}));
  EXPECT_TRUE(near(exact_marginals(Values{-7.5}, 1), {1}));
  // A weight of 0 does not count: pairs of the others have the weights 2, 4, 8.
  const Values z{0, -kInf, std::log(2), std::log(4)};
  EXPECT_TRUE(near(exact_marginals(z, 2), {6.0 / 14, 0, 10.0 / 14, 12.0 / 14}));
}

TEST(MatchedMarginals, small_cases_are_those_made_by_hand) {
  // Two equal weights share 1; so does any number.
  EXPECT_LT(furthest_apart(matched_marginals(Values{3, 3}, 1), {0.5, 0.5}), 1e-15);
  EXPECT_LT(furthest_apart(matched_marginals(Values(8, -4), 2), Values(8, 0.25)), 1e-15);
  EXPECT_NEAR(matched_tilt(Values(8, -4), 2), 4 - std::log(3), 1e-15);
  // Odds w e^nu of 1 : 4 : 16 with the middle one at 1/2: 1/5 + 1/2 + 4/5 = 1.5, not an integer;
  // with two of the middle ones it is 2.
  const Values x{0, std::log(4), std::log(4), std::log(16)};
  EXPECT_NEAR(matched_tilt(x, 2), -std::log(4), 1e-15);
  EXPECT_LT(furthest_apart(matched_marginals(x, 2), {0.2, 0.5, 0.5, 0.8}), 1e-15);
}

TEST(ExactMarginals, agree_with_the_sum_over_all_subsets) {
  Rng rng(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + rng.below(10);
    const double sd = std::pow(10, 3 * rng.uniform() - 1);
    Values x(n);
    for (double& value : x) value = sd * normal(rng);
    for (std::size_t k = 1; k <= n; ++k) {
      ASSERT_LT(furthest_apart(exact_marginals(x, k), marginals_by_enumeration(x, k)), 1e-13)
          << "N = " << n << ", k = " << k << ", sd " << sd;
    }
  }
}

TEST(ExactMarginals, agree_with_the_sum_over_all_subsets_for_every_shape) {
  for (const std::size_t n : {4U, 7U, 10U}) {
    for_every_shape(n, {1, 2, 3, n / 2, n - 1, n}, [](const Values& x, std::size_t k) {
      EXPECT_LT(furthest_apart(exact_marginals(x, k), marginals_by_enumeration(x, k)), 1e-12);
    });
  }
}

TEST(ExactMarginals, agree_with_the_recursion_for_every_shape) {
  for (const std::size_t n : {17U, 63U, 200U}) {
    for_every_shape(
        n, {1, 2, n / 10, n / 4, n / 2, n - 2, n - 1, n}, [](const Values& x, std::size_t k) {
          EXPECT_LT(furthest_apart(exact_marginals(x, k), twin::exact_marginals(x, k)), 1e-12);
        });
  }
}

TEST(ExactMarginals, agree_with_the_recursion_at_2000) {
  for_every_shape(2000, {1, 20, 200, 1999, 2000}, [](const Values& x, std::size_t k) {
    EXPECT_LT(furthest_apart(exact_marginals(x, k), twin::exact_marginals(x, k)), 1e-12);
  });
}

TEST(ExactMarginals, agree_with_the_recursion_on_random_calls) {
  Rng rng(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 2 + rng.below(150);
    const std::size_t k = 1 + rng.below(static_cast<std::uint32_t>(n));
    const double sd = std::pow(10, 4 * rng.uniform() - 1);
    const std::uint32_t power = 1 + 2 * rng.below(2);  // normal, or with heavy tails
    Values x(n);
    for (double& value : x) value = sd * std::pow(normal(rng), power);
    ASSERT_LT(furthest_apart(exact_marginals(x, k), twin::exact_marginals(x, k)), 1e-12)
        << "round " << round << ", N = " << n << ", k = " << k << ", sd " << sd;
  }
}

TEST(MatchedMarginals, agree_with_bisection_for_every_shape) {
  for (const std::size_t n : {2U, 5U, 63U, 2000U}) {
    for_every_shape(n, {1, 2, n / 10 + 1, n / 2, n - 1, n}, [](const Values& x, std::size_t k) {
      const Values p = matched_marginals(x, k);
      EXPECT_LT(furthest_apart(p, twin::matched_marginals(x, k)), 1e-11);
      EXPECT_NEAR(total(p), static_cast<double>(k), 1e-9 * static_cast<double>(k));
    });
  }
}

TEST(MatchedTilt, agrees_with_bisection_for_every_shape) {
  for (const std::size_t n : {2U, 5U, 63U, 2000U}) {
    for_every_shape(n, {1, 2, n / 10 + 1, n / 2, n - 1}, [](const Values& x, std::size_t k) {
      const auto expected = static_cast<double>(twin::matched_tilt(x, k));
      if (!std::isfinite(expected)) return;
      // Where the nearest weights lie more than 1400 to either side, only e^-700 of the sum depends
      // on nu: every nu in the middle gives the same marginals, to the last bit.
      double gap = kInf;
      for (const double value : x) gap = std::min(gap, std::abs(value + expected));
      if (gap < 700) {
        EXPECT_NEAR(matched_tilt(x, k), expected, 1e-12 * (1 + std::abs(expected)));
      }
    });
  }
}

TEST(MatchedTilt, is_accurate_where_all_marginals_are_0_or_1_to_rounding) {
  // Two lack e^-nu each, one has e^(nu - 1000): nu = 500 + log(2) / 2.
  EXPECT_NEAR(matched_tilt(Values{0, 0, -1000}, 2), 500 + std::log(2) / 2, 1e-12);
  EXPECT_NEAR(matched_tilt(Values{-100, 0, -100, -100}, 1), 50 - std::log(3) / 2, 1e-13);
  EXPECT_NEAR(matched_tilt(Values{1e4, 1e4 - 400}, 1), 200 - 1e4, 1e-11);
}

TEST(MatchedTilt, is_infinite_when_exactly_k_weights_are_positive) {
  EXPECT_EQ(matched_tilt(Values{1, 2, 3}, 3), kInf);
  EXPECT_EQ(matched_tilt(Values{-kInf, 2, -kInf, -5}, 2), kInf);
  EXPECT_EQ(matched_tilt(Values{0}, 1), kInf);
  EXPECT_TRUE(std::isfinite(matched_tilt(Values{-kInf, 2, 7, -5}, 2)));
}

TEST(Marginals, are_1_when_exactly_k_weights_are_positive) {
  const Values x{-kInf, 1e300, -1e300, -kInf, 0};
  for (const Values& p : {exact_marginals(x, 3), matched_marginals(x, 3)}) {
    EXPECT_EQ(p[1], 1);
    EXPECT_EQ(p[2], 1);
    EXPECT_EQ(p[4], 1);
  }
}

TEST(Marginals, of_a_weight_of_0_are_0) {
  const Values x = half_without_weight(40);
  for (const std::size_t k : {1U, 7U, 19U, 20U}) {
    const Values exact = exact_marginals(x, k);
    const Values matched = matched_marginals(x, k);
    for (std::size_t i = 0; i < x.size(); i += 2) {
      ASSERT_EQ(exact[i], 0) << "exact, k = " << k;
      ASSERT_EQ(matched[i], 0) << "matched, k = " << k;
    }
  }
}

TEST(Marginals, are_probabilities_that_sum_to_k) {
  for_every_shape(3000, {1, 30, 1000, 1500, 2999, 3000}, [](const Values& x, std::size_t k) {
    const auto sum = static_cast<double>(k);
    const Values exact = exact_marginals(x, k);
    const Values matched = matched_marginals(x, k);
    for (const Values& p : {exact, matched}) {
      const auto [least, most] = std::ranges::minmax(p);
      EXPECT_GE(least, 0);
      EXPECT_LE(most, 1);
    }
    EXPECT_NEAR(total(exact), sum, 1e-12 * sum);
    // nu is a double: near 3e4 its spacing is 4e-12.
    EXPECT_NEAR(total(matched), sum, 1e-9 * sum);
  });
}

TEST(Marginals, of_a_million_weights_sum_to_k) {
  for (const double sd : {1.0, 10.0}) {
    const Values x = normal_weights(1'000'000, sd);
    for (const std::size_t k : {10U, 100'000U, 999'000U}) {
      const auto sum = static_cast<double>(k);
      EXPECT_NEAR(total(matched_marginals(x, k)), sum, 1e-9 * sum) << "sd " << sd;
      EXPECT_NEAR(total(exact_marginals(x, k)), sum, 1e-9 * sum) << "sd " << sd;
    }
  }
}

TEST(Marginals, do_not_change_when_all_weights_are_scaled) {
  // Multiples of 2^-20, so that the shifted numbers are exact.
  Values x = normal_weights(500, 3);
  for (double& value : x) value = std::round(value * 0x1p20) * 0x1p-20;
  x[17] = -kInf;
  for (const std::size_t k : {1U, 50U, 250U, 498U, 499U}) {
    const Values exact = exact_marginals(x, k);
    const Values matched = matched_marginals(x, k);
    for (const double shift : {1.0, -37.0, 1000.0, -1e5, 1e5}) {
      Values shifted = x;
      for (double& value : shifted) value += shift;
      const double allowed = std::abs(shift) > 1e4 ? 1e-10 : 1e-11;  // spacing near 1e5: 1.5e-11
      EXPECT_LT(furthest_apart(exact_marginals(shifted, k), exact), allowed) << k << ", " << shift;
      EXPECT_LT(furthest_apart(matched_marginals(shifted, k), matched), allowed)
          << k << ", " << shift;
      if (k < 499) {
        EXPECT_NEAR(matched_tilt(shifted, k), matched_tilt(x, k) - shift, allowed);
      }
    }
  }
}

TEST(Marginals, follow_the_weights_when_these_are_reordered) {
  const Values x = normal_weights(301, 2);
  Values reversed = x;
  std::ranges::reverse(reversed);
  for (const auto marginals : {exact_marginals, matched_marginals}) {
    Values back = marginals(reversed, 40);
    std::ranges::reverse(back);
    EXPECT_LT(furthest_apart(back, marginals(x, 40)), 1e-13);
  }
}

TEST(Marginals, rise_with_the_weight) {
  for_every_shape(400, {1, 40, 200, 399}, [](Values x, std::size_t k) {
    std::ranges::sort(x);
    for (const Values& p : {exact_marginals(x, k), matched_marginals(x, k)}) {
      for (std::size_t i = 1; i < p.size(); ++i) {
        ASSERT_GE(p[i], p[i - 1] - 1e-14) << "x = " << x[i - 1] << ", " << x[i];
      }
    }
  });
}

TEST(Marginals, raising_one_weight_raises_its_own_and_lowers_all_others) {
  const Values x = normal_weights(60, 2);
  for (const auto marginals : {exact_marginals, matched_marginals}) {
    for (const std::size_t k : {1U, 6U, 30U, 59U}) {
      const Values before = marginals(x, k);
      Values raised = x;
      raised[23] += 0.5;
      const Values after = marginals(raised, k);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i == 23) {
          EXPECT_GT(after[i], before[i]);
        } else {
          EXPECT_LT(after[i], before[i] + 1e-15) << i;
        }
      }
    }
  }
}

TEST(Marginals, of_k_and_of_N_minus_k_with_inverse_weights_are_complements) {
  // The complement of a k-DPP is an (N - k)-DPP of the weights 1 / w.
  const Values x = normal_weights(150, 3);
  Values inverse = x;
  for (double& value : inverse) value = -value;
  for (const std::size_t k : {1U, 10U, 75U, 149U}) {
    for (const auto marginals : {exact_marginals, matched_marginals}) {
      Values left_out = marginals(inverse, x.size() - k);
      for (double& p : left_out) p = 1 - p;
      EXPECT_LT(furthest_apart(left_out, marginals(x, k)), 1e-12) << "k = " << k;
    }
  }
}

TEST(Marginals, matched_and_exact_draw_near_in_proportion_to_1_over_N) {
  // Total variation of the distributions p / k and P / k, normal weights, a tenth of them drawn.
  const auto distance = [](std::size_t n) {
    const Values x = normal_weights(n, 1);
    const std::size_t k = n / 10;
    const Values exact = exact_marginals(x, k);
    const Values matched = matched_marginals(x, k);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::abs(exact[i] - matched[i]);
    return 0.5 * sum / static_cast<double>(k);
  };
  EXPECT_GT(distance(50), 2e-3);
  EXPECT_LT(distance(50), 5e-2);
  EXPECT_GT(distance(1000), 1e-4);
  EXPECT_LT(distance(1000), 2e-3);
  const double at_thousand = 1000 * distance(1000);
  for (const std::size_t n : {10'000U, 100'000U, 1'000'000U}) {
    const double scaled = static_cast<double>(n) * distance(n);
    EXPECT_GT(scaled, 0.7 * at_thousand) << "N = " << n;
    EXPECT_LT(scaled, 1.4 * at_thousand) << "N = " << n;
  }
}

TEST(Marginals, of_one_member_are_the_normalised_weights) {
  const Values x = normal_weights(1000, 2);
  Values w(x.size());
  std::ranges::transform(x, w.begin(), [](double value) { return std::exp(value); });
  const double sum = total(w);
  for (double& value : w) value /= sum;
  EXPECT_LT(furthest_apart(exact_marginals(x, 1), w), 1e-14);
}

struct BadInput {
  Values x;
  std::size_t k;
  const char* words;
};

const std::vector<BadInput> kBadOptions{
    {{1, 2, 3}, 0, "k = 0 is outside [1, 3]"},
    {{1, 2, 3}, 4, "k = 4 is outside [1, 3]"},
    {{1}, ~std::size_t{0}, "k = 18446744073709551615 is outside [1, 1]"},
    // The option is named before the data.
    {{kNan, kInf}, 3, "k = 3 is outside [1, 2]"},
};

const std::vector<BadInput> kBadData{
    {{}, 1, "log_weights is empty: at least one weight is needed"},
    {{}, 0, "log_weights is empty: at least one weight is needed"},
    {{1, 2, kNan}, 1, "log_weights[2] = nan is outside [-inf, inf)"},
    {{kInf, 2, kNan}, 1, "log_weights[0] = inf is outside [-inf, inf)"},
    {{1, kInf, 2}, 3, "log_weights[1] = inf is outside [-inf, inf)"},
    {{1, -kInf, 2}, 3, "log_weights has 2 finite values, k = 3 are needed"},
    {{-kInf, -kInf}, 1, "log_weights has 0 finite values, k = 1 are needed"},
};

template <class Error>
void expect_from_all(const BadInput& bad) {
  expect_words<Error>([&] { std::ignore = matched_tilt(bad.x, bad.k); }, bad.words);
  expect_words<Error>([&] { std::ignore = matched_marginals(bad.x, bad.k); }, bad.words);
  expect_words<Error>([&] { std::ignore = exact_marginals(bad.x, bad.k); }, bad.words);
  expect_words<Error>([&] { KSubsetSampler(bad.x, bad.k); }, bad.words);
  expect_words<Error>([&] { KSubsetSampler(bad.x, bad.k, 0.0); }, bad.words);
}

TEST(Kdpp, bad_input_is_named_with_what_is_allowed) {
  for (const BadInput& bad : kBadOptions) expect_from_all<OptionError>(bad);
  for (const BadInput& bad : kBadData) expect_from_all<DataError>(bad);
}

TEST(Kdpp, weights_at_the_ends_of_the_number_range_are_allowed) {
  for (const auto marginals : {exact_marginals, matched_marginals}) {
    EXPECT_LT(furthest_apart(marginals(Values{kMax, -kMax, 0}, 1), {1, 0, 0}), 1e-300);
    EXPECT_LT(furthest_apart(marginals(Values{kMax, -kMax, 0}, 2), {1, 0, 1}), 1e-300);
    EXPECT_LT(furthest_apart(marginals(Values{kMax, kMax}, 1), {0.5, 0.5}), 1e-15);
    EXPECT_LT(furthest_apart(marginals(Values{-kMax, -kMax, -kMax}, 3), {1, 1, 1}), 1e-300);
  }
}

TEST(KSubsetSampler, subset_of_the_wrong_length_is_named_and_left_as_it_was) {
  const KSubsetSampler sampler(Values{1, 2, 3, 4}, 2);
  EXPECT_EQ(sampler.subset_size(), 2U);
  Rng rng(4);
  const Rng before = rng;
  for (const std::size_t length : {0U, 1U, 3U}) {
    std::vector<Index> subset(length, 77);
    expect_words<OptionError>([&] { sampler.draw(rng, subset); },
                              "subset has " + std::to_string(length) + " places, k = 2");
    EXPECT_EQ(subset, std::vector<Index>(length, 77));
  }
  EXPECT_EQ(rng, before);
}

TEST(KSubsetSampler, tilt_at_which_k_members_do_not_come_is_refused) {
  // Otherwise a draw would not end, or would write more than k members.
  const Values few(8, 0.0);
  const Values many(100, 0.0);
  for (const double tilt : {kNan, kInf, -kInf, 1000.0, -1000.0, 50.0, -50.0, 30.0, -30.0}) {
    EXPECT_THROW(KSubsetSampler(few, 1, tilt), OptionError) << "tilt " << tilt;
    EXPECT_THROW(KSubsetSampler(few, 3, tilt), OptionError) << "tilt " << tilt;
    EXPECT_THROW(KSubsetSampler(many, 2, tilt), OptionError) << "tilt " << tilt;
    EXPECT_THROW(KSubsetSampler(many, 50, tilt), OptionError) << "tilt " << tilt;
    EXPECT_THROW(KSubsetSampler(many, 98, tilt), OptionError) << "tilt " << tilt;
  }
  // Here every tilt expects the k members that there must be, but for those far below.
  EXPECT_NO_THROW(KSubsetSampler(Values{0, 1, -kInf}, 2, kInf));
  EXPECT_NO_THROW(KSubsetSampler(Values{0, 1, -kInf}, 2, 1000));
}

TEST(KSubsetSampler, all_of_k_is_the_only_subset) {
  for (const std::size_t n : {1U, 5U, 64U, 300U}) {
    const KSubsetSampler sampler(normal_weights(n, 5), n);
    Rng rng(5);
    std::vector<Index> subset(n, 12345);
    sampler.draw(rng, subset);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(subset[i], i);
  }
}

// Stability: changing these draws is a CHANGELOG entry.
TEST(KSubsetSampler, draws_of_a_seed_never_change) {
  // Sixteenths only: the weights are the same on every platform.
  Values x(200);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 37 % 101) / 16 - 3;
  const KSubsetSampler sampler(x, 8);
  Rng rng(6);
  std::vector<std::vector<Index>> drawn;
  for (int i = 0; i < 3; ++i) {
    drawn.emplace_back(8);
    sampler.draw(rng, drawn.back());
  }
  EXPECT_EQ(drawn, (std::vector<std::vector<Index>>{
                       {15, 38, 59, 98, 103, 117, 120, 187},
                       {24, 27, 90, 95, 120, 130, 138, 163},
                       {13, 38, 49, 68, 73, 76, 141, 177},
                   }));
}

}  // namespace
}  // namespace adacvar
