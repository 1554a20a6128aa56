#include <adacvar/risk/cvar_bound.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

using detail::BandSide;
using detail::uniform_band;
using support::expect_words;

std::vector<double> uniform_losses(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> losses(n);
  for (double& loss : losses) loss = rng.uniform();
  return losses;
}

// The probability of x successes in n trials.
double binomial(std::size_t n, std::size_t x, double p) {
  if (p <= 0) return x == 0 ? 1 : 0;
  if (p >= 1) return x == n ? 1 : 0;
  const auto trials = static_cast<double>(n);
  const auto successes = static_cast<double>(x);
  return std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) -
                  std::lgamma(trials - successes + 1) + successes * std::log(p) +
                  (trials - successes) * std::log1p(-p));
}

// Slow twin: the probability that n uniform numbers in increasing order keep to the band. It
// follows the number of them below band[0], band[1], ..., a Markov chain.
double holding_probability(std::size_t n, const std::vector<double>& band, BandSide side) {
  std::vector<double> chances(n + 1, 0.0);  // of every number so far, with no crossing
  chances[0] = 1;
  double before = 0;
  for (std::size_t i = 0; i < band.size(); ++i) {
    const double place = std::clamp(band[i], 0.0, 1.0);
    const double step = before < 1 ? (place - before) / (1 - before) : 0;
    std::vector<double> next(n + 1, 0.0);
    for (std::size_t s = 0; s <= n; ++s) {
      for (std::size_t t = s; t <= n && chances[s] > 0; ++t) {
        const bool holds = side == BandSide::above ? t >= i + 1 : t <= i;
        if (holds) next[t] += chances[s] * binomial(n - s, t - s, step);
      }
    }
    chances = next;
    before = place;
  }
  double sum = 0;
  for (const double chance : chances) sum += chance;
  return sum;
}

TEST(CvarBound, bands_of_one_line_hold_with_exactly_their_probability) {
  for (const std::size_t n : {1U, 2U, 5U, 17U, 40U}) {
    for (const double error : {0.3, 0.05, 0.001}) {
      for (const double share : {0.2, 1.0}) {
        const double tail = std::min(26.0, share * static_cast<double>(n));  // one line
        const auto above = uniform_band(n, tail, error, BandSide::above);
        const auto below = uniform_band(n, tail, error, BandSide::below);
        EXPECT_EQ(above.size(), static_cast<std::size_t>(std::ceil(tail)));
        ASSERT_EQ(below.size(), n);
        const double above_error = 1 - holding_probability(n, above, BandSide::above);
        const double below_error = 1 - holding_probability(n, below, BandSide::below);
        EXPECT_LE(above_error, error) << n << ' ' << tail;
        EXPECT_LE(below_error, error) << n << ' ' << tail;
        EXPECT_GT(above_error, 0.99 * error) << n << ' ' << tail;
        EXPECT_GT(below_error, 0.99 * error) << n << ' ' << tail;
      }
    }
  }
}

TEST(CvarBound, bands_of_several_lines_hold_with_at_least_their_probability) {
  for (const double tail : {32.0, 50.0, 100.0}) {
    for (const BandSide side : {BandSide::above, BandSide::below}) {
      const double failing =
          1 - holding_probability(100, uniform_band(100, tail, 0.05, side), side);
      EXPECT_LE(failing, 0.05) << tail;
      EXPECT_GT(failing, 0.03) << tail << ": lines share the probability, little is lost";
    }
  }
}

TEST(CvarBound, one_and_two_losses_by_hand) {
  // P(V_1 > 0.95) = 0.05, P(V_1 < 0.05) = 0.05.
  const std::vector<double> all{1.0};
  const std::vector<double> one{3};
  EXPECT_NEAR(cvar_upper_bounds(one, all, {.confidence = 0.95, .loss_max = 10}).at(0),
              0.95 * 10 + 0.05 * 3, 1e-2);
  EXPECT_NEAR(cvar_lower_bounds(one, all, {.confidence = 0.95, .loss_max = 10}).at(0), 0.05 * 3,
              1e-2);
  // Only the larger of two losses matters at alpha 0.5: P(V_1 > c) = (1 - c)^2 = 0.5.
  const double c = 1 - std::sqrt(0.5);
  EXPECT_NEAR(cvar_upper_bounds(std::vector{2.0, 5.0}, std::vector{0.5},
                                {.confidence = 0.5, .loss_max = 10})
                  .at(0),
              (10 * c + 5 * (0.5 - c)) / 0.5, 1e-2);
}

// The distribution in the band with the largest (smallest) CVaR, as weighted rows.
double extreme_cvar(std::vector<double> losses, double alpha, double loss_max, double error,
                    BandSide side) {
  std::ranges::sort(losses, std::greater<>());
  const auto band =
      uniform_band(losses.size(), alpha * static_cast<double>(losses.size()), error, side);
  std::vector<double> values;
  std::vector<double> weights;
  double before = 0;
  const auto add = [&](double value, double until) {
    values.push_back(value);
    weights.push_back(std::max(0.0, std::min(1.0, until) - before));
    before = std::max(before, until);
  };
  if (side == BandSide::above) add(loss_max, band[0]);
  for (std::size_t i = 0; i < band.size(); ++i) {
    const bool last = i + 1 == band.size();
    if (side == BandSide::below) add(losses[i], band[i]);
    if (side == BandSide::above) add(losses[i], last ? 1.0 : band[i + 1]);
  }
  if (side == BandSide::below) add(0, 1.0);
  return cvar(values, weights, alpha);
}

TEST(CvarBound, equals_the_cvar_of_the_extreme_distribution_in_the_band) {
  for (const std::size_t n : {3U, 30U, 400U}) {
    for (const double alpha : {0.03, 0.2, 0.75, 1.0}) {
      const auto losses = uniform_losses(n, n);
      const CvarBoundOptions options{.confidence = 0.9, .loss_max = 2};
      EXPECT_NEAR(cvar_upper_bounds(losses, std::vector{alpha}, options).at(0),
                  extreme_cvar(losses, alpha, 2, 0.1, BandSide::above), 1e-12);
      EXPECT_NEAR(cvar_lower_bounds(losses, std::vector{alpha}, options).at(0),
                  extreme_cvar(losses, alpha, 2, 0.1, BandSide::below), 1e-12);
    }
  }
}

TEST(CvarBound, encloses_the_cvar_and_narrows_with_the_number_of_losses) {
  double width = 1;
  for (const std::size_t n : {100U, 1000U, 10'000U, 100'000U}) {
    const auto losses = uniform_losses(n, 7);
    const double upper = cvar_upper_bounds(losses, std::vector{0.1}, {}).at(0);
    const double lower = cvar_lower_bounds(losses, std::vector{0.1}, {}).at(0);
    const double middle = cvar(losses, 0.1);
    EXPECT_LT(lower, middle);
    EXPECT_LT(middle, upper);
    EXPECT_LT(upper - lower, 0.5 * width);
    width = upper - lower;
  }
}

// [TL19], the bound that this one replaces.
double dkw_bound(std::vector<double> losses, double alpha, double error) {
  std::ranges::sort(losses);
  losses.push_back(1);
  const auto n = static_cast<double>(losses.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    const double level = static_cast<double>(i) / n - std::sqrt(std::log(1 / error) / (2 * n));
    sum += (losses[i] - losses[i - 1]) * std::max(0.0, level - (1 - alpha));
  }
  return 1 - sum / alpha;
}

TEST(CvarBound, is_tighter_than_that_of_the_uniform_band) {
  for (const std::size_t n : {100U, 1000U, 10'000U}) {
    for (const double alpha : {0.05, 0.1}) {
      std::vector<double> losses = uniform_losses(n, 3);
      for (double& loss : losses) loss = std::min(1.0, -0.02 * std::log1p(-loss));
      const double bound = cvar_upper_bounds(losses, std::vector{alpha}, {}).at(0);
      const double published = dkw_bound(losses, alpha, 0.05);
      const double middle = cvar(losses, alpha);
      EXPECT_LT(bound - middle, (n == 100 ? 0.8 : 0.2) * (published - middle)) << n << ' ' << alpha;
    }
  }
}

TEST(CvarBound, scales_with_the_losses_and_does_not_depend_on_their_order) {
  std::vector<double> losses = uniform_losses(500, 5);
  const std::vector<double> alphas{0.5, 0.05, 0.2};
  const auto bounds = cvar_upper_bounds(losses, alphas, {});
  EXPECT_GT(bounds[1], bounds[2]);
  EXPECT_GT(bounds[2], bounds[0]);
  std::ranges::reverse(losses);
  EXPECT_EQ(cvar_upper_bounds(losses, alphas, {}), bounds);
  for (double& loss : losses) loss *= 1024;
  const auto larger = cvar_upper_bounds(losses, alphas, {.loss_max = 1024});
  for (std::size_t a = 0; a < 3; ++a) EXPECT_DOUBLE_EQ(larger[a], 1024 * bounds[a]);
}

TEST(CvarBound, is_loss_max_where_the_tail_has_too_few_rows) {
  EXPECT_EQ(cvar_upper_bounds(uniform_losses(200, 1), std::vector{0.01}, {.loss_max = 3}).at(0), 3);
  EXPECT_LT(cvar_upper_bounds(uniform_losses(600, 1), std::vector{0.01}, {.loss_max = 3}).at(0), 3);
}

TEST(CvarBound, a_difference_is_at_most_that_of_separate_bounds) {
  const auto losses = uniform_losses(5000, 1);
  const auto others = uniform_losses(5000, 2);
  const std::vector<double> alphas{0.1, 0.5};
  std::vector<double> better = losses;
  for (double& loss : better) loss *= 0.7;
  const auto bounds = cvar_difference_bounds(better, others, alphas, {});
  const auto upper = cvar_upper_bounds(better, alphas, {.confidence = 0.9875});
  const auto lower = cvar_lower_bounds(others, alphas, {.confidence = 0.9875});
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_NEAR(bounds[a], upper[a] - lower[a], 1e-12) << "independent losses";
    EXPECT_LT(bounds[a], 0) << "shown to be better";
    EXPECT_GT(bounds[a], cvar(better, alphas[a]) - cvar(others, alphas[a]));
  }
  for (const double bound : cvar_difference_bounds(losses, losses, alphas, {})) EXPECT_GT(bound, 0);
}

TEST(CvarBound, a_small_difference_is_shown_for_similar_models) {
  const std::vector<double> alphas{0.1};
  std::vector<double> losses = uniform_losses(20'000, 1);
  for (double& loss : losses) loss = std::pow(loss, 10);
  std::vector<double> better = losses;
  for (double& loss : better) loss *= 0.95;
  const CvarBoundOptions options{.loss_max = 1.01};
  const double bound = cvar_difference_bounds(better, losses, alphas, options).at(0);
  EXPECT_LT(bound, 0);
  EXPECT_GT(bound, -0.05 * cvar(losses, 0.1));
  EXPECT_GT(cvar_upper_bounds(better, alphas, options).at(0),
            cvar_lower_bounds(losses, alphas, options).at(0))
      << "separate bounds do not show it";
}

TEST(CvarBound, differences_have_bounds_for_any_number_of_rows_and_ties) {
  for (const std::size_t n : {1U, 2U, 3U, 10U}) {
    for (const double alpha : {0.01, 0.5, 1.0}) {
      const std::vector<double> zeros(n, 0.0);
      const std::vector<double> ones(n, 1.0);
      const auto bound = [&](const auto& losses, const auto& others) {
        return cvar_difference_bounds(losses, others, std::vector{alpha}, {}).at(0);
      };
      EXPECT_GE(bound(zeros, ones), -1);
      EXPECT_GE(bound(zeros, zeros), 0);
      EXPECT_EQ(bound(ones, zeros), 1);
    }
  }
}

TEST(CvarBound, bad_input_is_refused) {
  const std::vector<double> losses{0.5, 0.7};
  const std::vector<double> alphas{0.1};
  const auto upper = [&](const std::vector<double>& given, const std::vector<double>& shares,
                         const CvarBoundOptions& options) {
    (void)cvar_upper_bounds(given, shares, options);
  };
  expect_words<OptionError>([&] { upper(losses, alphas, {.confidence = 1}); },
                            "confidence = 1 is outside (0, 1)");
  expect_words<OptionError>([&] { upper(losses, alphas, {.loss_max = 0}); },
                            "loss_max = 0 is outside (0, inf)");
  expect_words<OptionError>([&] { upper(losses, {}, {}); }, "no tail share");
  expect_words<OptionError>([&] { upper(losses, {1.5}, {}); }, "alpha = 1.5");
  expect_words<DataError>([&] { upper({}, alphas, {}); }, "no losses");
  expect_words<DataError>([&] { upper(losses, alphas, {.loss_max = 0.6}); },
                          "loss 2 of 2 is 0.7, outside [0, 0.6]");
  expect_words<DataError>([&] { upper({-1}, alphas, {}); }, "loss 1 of 1 is -1, outside");
  expect_words<DataError>([&] { upper({std::numeric_limits<double>::quiet_NaN()}, alphas, {}); },
                          "loss 1 of 1 is nan");
  expect_words<DataError>(
      [&] {
        (void)cvar_difference_bounds(losses, std::vector{0.5, 2.0}, alphas, {});
      },
      "loss 2 of 2 is 2, outside [0, 1]");
  expect_words<DataError>(
      [&] { (void)cvar_difference_bounds(losses, std::vector{0.5}, alphas, {}); },
      "2 losses, 1 of the other model");
}

}  // namespace
}  // namespace adacvar
