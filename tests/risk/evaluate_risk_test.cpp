#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/evaluate_risk.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Losses = std::vector<double>;
using Shares = std::vector<double>;
using support::expect_words;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

Losses exponential(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, n);
  Losses losses(n);
  for (double& loss : losses) loss = -std::log1p(-rng.uniform());
  return losses;
}

RiskEstimate estimate(const Losses& losses, double alpha, const BootstrapOptions& options) {
  return evaluate_risk(losses, Shares{alpha}, options).front();
}

/// Slow reference: every resample is written out and passed to tail_risk.
Interval percentiles(Losses values, double level) {
  std::ranges::sort(values);
  const double outside = static_cast<double>(values.size() + 1) * (1 - level) / 2;
  const auto k = std::max<std::size_t>(1, static_cast<std::size_t>(outside + 1e-9));
  return {values[k - 1], values[values.size() - k]};
}

double standard_error(const Losses& losses, double alpha) {
  const TailRisk risk = tail_risk(losses, alpha);
  double squares = 0;
  for (const double loss : losses) squares += std::pow(std::max(loss - risk.var, 0.0), 2);
  const auto n = static_cast<double>(losses.size());
  const double variance = squares / n / (alpha * alpha) - std::pow(risk.cvar - risk.var, 2);
  return variance < 1e-12 ? 0 : std::sqrt(variance / n);
}

Interval studentised(const Losses& losses, const std::vector<Losses>& resamples, double alpha,
                     double level) {
  const double whole = cvar(losses, alpha);
  const double error = standard_error(losses, alpha);
  Losses values;
  for (const Losses& drawn : resamples) {
    const double value = cvar(drawn, alpha);
    const double spread = std::max(standard_error(drawn, alpha), error / 10);
    values.push_back(error > 0 ? (value - whole) / spread : value);
  }
  const Interval ends = percentiles(values, level);
  return error > 0 ? Interval{whole - error * ends.high, whole - error * ends.low} : ends;
}

RiskEstimate twin(Losses losses, double alpha, const BootstrapOptions& options) {
  const TailRisk whole = tail_risk(losses, alpha);
  std::ranges::sort(losses, std::greater<>());
  std::vector<Losses> resamples;
  Losses var;
  for (std::uint64_t b = 0; b < options.resamples; ++b) {
    Rng rng(options.seed, b);
    Losses drawn;
    for (std::size_t j = 0; j < losses.size(); ++j) {
      drawn.push_back(losses[rng.below(static_cast<std::uint32_t>(losses.size()))]);
    }
    var.push_back(value_at_risk(drawn, alpha));
    resamples.push_back(std::move(drawn));
  }
  return {.alpha = alpha,
          .mean = whole.mean,
          .var = whole.var,
          .cvar = whole.cvar,
          .mean_interval = studentised(losses, resamples, 1, options.level),
          .var_interval = percentiles(var, options.level),
          .cvar_interval = studentised(losses, resamples, alpha, options.level),
          .reliable = alpha * static_cast<double>(losses.size()) >= 10 - 1e-9};
}

void expect_near(const Interval& interval, const Interval& expected, double accuracy) {
  EXPECT_NEAR(interval.low, expected.low, accuracy);
  EXPECT_NEAR(interval.high, expected.high, accuracy);
}

void expect_near(const RiskEstimate& e, const RiskEstimate& expected, double accuracy) {
  EXPECT_EQ(e.alpha, expected.alpha);
  EXPECT_EQ(e.mean, expected.mean);
  EXPECT_EQ(e.var, expected.var);
  EXPECT_EQ(e.cvar, expected.cvar);
  expect_near(e.mean_interval, expected.mean_interval, accuracy);
  EXPECT_EQ(e.var_interval, expected.var_interval);
  expect_near(e.cvar_interval, expected.cvar_interval, accuracy);
  EXPECT_EQ(e.reliable, expected.reliable);
}

TEST(EvaluateRisk, equal_losses_have_intervals_of_width_zero) {
  for (const double loss : {0.1, -3.7, 0.0, kMax, -kMax}) {
    const Interval point{loss, loss};
    for (const RiskEstimate& e : evaluate_risk(Losses(7, loss), Shares{0.05, 0.3, 1})) {
      EXPECT_EQ(e.cvar, loss);
      EXPECT_EQ(e.mean_interval, point);
      EXPECT_EQ(e.var_interval, point);
      EXPECT_EQ(e.cvar_interval, point);
    }
  }
}

TEST(EvaluateRisk, one_loss_is_enough) {
  const RiskEstimate e = estimate({2.5}, 0.1, {});
  EXPECT_EQ(e.mean, 2.5);
  EXPECT_EQ(e.mean_interval, (Interval{2.5, 2.5}));
  EXPECT_EQ(e.var_interval, (Interval{2.5, 2.5}));
  EXPECT_EQ(e.cvar_interval, (Interval{2.5, 2.5}));
  EXPECT_FALSE(e.reliable);
}

// A resample of 0 and 1 has no, one or two ones with probabilities 1/4, 1/2, 1/4. At alpha = 1/2
// its CVaR is the larger of both draws, its VaR the smaller. The CVaR 1 has the standard error
// sqrt(1/2); a resample without ones has the CVaR 0 and standard error 0, which is replaced by a
// tenth of that: an end at 11. The ends are 0.05 away from a jump of these distributions; 10,000
// resamples miss one, 11 standard deviations away, with probability below 1e-27.
TEST(EvaluateRisk, two_losses_have_the_bootstrap_distribution_by_hand) {
  const BootstrapOptions narrow{.resamples = 10'000, .level = 0.4, .seed = 1};  // from 30 %
  const RiskEstimate middle = estimate({1, 0}, 0.5, narrow);
  EXPECT_EQ(middle.mean, 0.5);
  EXPECT_EQ(middle.var, 0);
  EXPECT_EQ(middle.cvar, 1);
  EXPECT_EQ(middle.var_interval, (Interval{0, 0}));
  EXPECT_EQ(middle.cvar_interval, (Interval{1, 1}));

  const BootstrapOptions wide{.resamples = 10'000, .level = 0.6, .seed = 1};  // from 20 %
  const RiskEstimate all = estimate({1, 0}, 0.5, wide);
  EXPECT_EQ(all.var_interval, (Interval{0, 1}));
  EXPECT_EQ(all.cvar_interval.low, 1);
  EXPECT_NEAR(all.cvar_interval.high, 11, 1e-12);
}

// Tail of 3 of 4: VaR 0, CVaR 2, se^2 = (20 / 4 / 0.75^2 - 4) / 4. A resample that is 4, 4, 2, 0
// has the CVaR 10/3, and so on: one resample gives the value of the slow reference.
TEST(EvaluateRisk, an_interval_of_one_resample_is_its_studentised_value) {
  const Losses losses{0, 2, 4, 0};
  EXPECT_NEAR(standard_error(losses, 0.75), std::sqrt((20 / 4 / 0.5625 - 4) / 4), 1e-12);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BootstrapOptions options{.resamples = 1, .seed = seed};
    const RiskEstimate e = estimate(losses, 0.75, options);
    EXPECT_EQ(e.cvar_interval.low, e.cvar_interval.high);
    expect_near(e, twin(losses, 0.75, options), 1e-12);
  }
}

// A tail that is nearly constant in many resamples: ends stay within ten times the percentiles'.
TEST(EvaluateRisk, ends_stay_near_when_resamples_are_nearly_constant) {
  const RiskEstimate e = estimate({5, 5 - 1e-9, 1, 0, 0, 0, 0, 0, 0, 0}, 0.25, {});
  EXPECT_GT(e.cvar_interval.low, -40);
  EXPECT_LT(e.cvar_interval.high, 50);
}

TEST(EvaluateRisk, agrees_with_resamples_written_out) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + rng.below(round % 3 == 0 ? 6 : 60);
    Losses losses(n);
    const bool ties = rng.below(2) == 0;
    for (double& loss : losses) {
      loss = ties ? static_cast<double>(rng.below(5)) - 2 : 20 * rng.uniform() - 5;
    }
    const Shares alphas{0.9, 1, rng.uniform() + 0x1.0p-60, 1.0 / static_cast<double>(n), 0.1, 0.9};
    const BootstrapOptions options{.resamples = 1 + rng.below(120),
                                   .level = round % 2 == 0 ? 0.95 : 0.01 + 0.98 * rng.uniform(),
                                   .seed = rng(),
                                   .threads = 1};
    const std::vector<RiskEstimate> estimates = evaluate_risk(losses, alphas, options);
    ASSERT_EQ(estimates.size(), alphas.size());
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      SCOPED_TRACE("round " + std::to_string(round) + ", alpha " + std::to_string(alphas[i]));
      expect_near(estimates[i], twin(losses, alphas[i], options), 1e-9);
    }
  }
}

TEST(EvaluateRisk, agrees_with_resamples_of_many_losses) {
  const Losses losses = exponential(20'000, 3);
  const BootstrapOptions options{.resamples = 50, .seed = 5};
  expect_near(estimate(losses, 0.0137, options), twin(losses, 0.0137, options), 1e-10);
}

TEST(EvaluateRisk, all_losses_are_a_tail_whose_cvar_is_the_mean) {
  const RiskEstimate e = estimate(exponential(500, 1), 1, {});
  EXPECT_EQ(e.cvar, e.mean);
  EXPECT_EQ(e.cvar_interval, e.mean_interval);
}

TEST(EvaluateRisk, threads_do_not_change_a_bit) {
  const Losses losses = exponential(1000, 2);
  const Shares alphas{0.01, 0.1, 0.5};
  const auto one = evaluate_risk(losses, alphas, {.seed = 3, .threads = 1});
  EXPECT_EQ(one, evaluate_risk(losses, alphas, {.seed = 3, .threads = 4}));
  EXPECT_EQ(one, evaluate_risk(losses, alphas, {.seed = 3}));
  EXPECT_NE(one, evaluate_risk(losses, alphas, {.seed = 4}));
}

TEST(EvaluateRisk, order_of_losses_does_not_change_a_bit) {
  // Quarters: sums are exact in any order.
  Losses losses;
  for (int i = 0; i < 200; ++i) losses.push_back(0.25 * (i * i % 97));
  const auto given = evaluate_risk(losses, Shares{0.1});
  std::ranges::reverse(losses);
  EXPECT_EQ(given, evaluate_risk(losses, Shares{0.1}));
}

TEST(EvaluateRisk, other_shares_do_not_change_an_estimate) {
  const Losses losses = exponential(300, 4);
  const auto together = evaluate_risk(losses, Shares{0.5, 0.02, 0.2});
  EXPECT_EQ(together[1], estimate(losses, 0.02, {}));
  EXPECT_EQ(together[2], estimate(losses, 0.2, {}));
}

TEST(EvaluateRisk, fewer_than_ten_losses_in_the_tail_are_not_reliable) {
  const Losses losses = exponential(100, 5);
  const auto estimates = evaluate_risk(losses, Shares{0.09, 0.0999, 0.1, 1 - 0.9, 1});
  const std::vector<bool> expected{false, false, true, true, true};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(estimates[i].reliable, expected[i]);
}

TEST(EvaluateRisk, an_interval_may_end_above_the_largest_loss) {
  const Losses losses = exponential(40, 8);
  EXPECT_GT(estimate(losses, 0.05, {}).cvar_interval.high, std::ranges::max(losses));
}

TEST(EvaluateRisk, shifted_and_scaled_losses_have_shifted_and_scaled_intervals) {
  const Losses losses = exponential(64, 9);
  Losses moved;
  for (const double loss : losses) moved.push_back(1e6 * loss - 3e6);
  const RiskEstimate e = estimate(losses, 0.25, {});
  const RiskEstimate other = estimate(moved, 0.25, {});
  EXPECT_NEAR(other.cvar_interval.low, 1e6 * e.cvar_interval.low - 3e6, 1e-6);
  EXPECT_NEAR(other.cvar_interval.high, 1e6 * e.cvar_interval.high - 3e6, 1e-6);
  EXPECT_NEAR(other.mean_interval.high, 1e6 * e.mean_interval.high - 3e6, 1e-6);
}

TEST(EvaluateRisk, heavy_tails_are_reported) {
  Losses losses = exponential(2000, 10);
  EXPECT_FALSE(estimate(losses, 0.1, {.resamples = 1}).heavy_tail());
  for (double& loss : losses) loss = std::exp(loss);  // Pareto of index 1: no mean
  const RiskEstimate e = estimate(losses, 0.1, {.resamples = 1});
  EXPECT_TRUE(e.heavy_tail());
  EXPECT_NEAR(e.tail_index.value(), 1, 0.5);
  EXPECT_FALSE(estimate({1, 2, 3}, 0.1, {}).tail_index.has_value());
}

TEST(EvaluateRisk, resamples_are_a_thousand_or_fewer_for_many_losses) {
  const Losses few = exponential(50, 6);
  EXPECT_EQ(estimate(few, 0.5, {}), estimate(few, 0.5, {.resamples = 1000}));
  EXPECT_EQ(resample_count({}, 1), 1000U);
  EXPECT_EQ(resample_count({}, 200'000), 1000U);
  EXPECT_EQ(resample_count({}, 400'000), 500U);
  EXPECT_EQ(resample_count({}, 1'000'000), 200U);
  EXPECT_EQ(resample_count({}, 1'000'000'000), 200U);
  EXPECT_EQ(resample_count({.resamples = 7}, 1'000'000), 7U);
}

TEST(EvaluateRisk, losses_near_the_largest_double_do_not_overflow) {
  const RiskEstimate e = estimate({kMax, -kMax, kMax, -kMax, kMax, 1}, 0.7, {});
  EXPECT_TRUE(std::isfinite(e.cvar));
  EXPECT_TRUE(std::isfinite(e.cvar_interval.low) && std::isfinite(e.cvar_interval.high));
  EXPECT_EQ(e.var_interval, (Interval{-kMax, kMax}));
  EXPECT_TRUE(std::isfinite(e.mean_interval.low) && std::isfinite(e.mean_interval.high));
}

TEST(EvaluateRisk, a_far_loss_outside_the_tail_does_not_spoil_it) {
  Losses losses(100, 1.0);
  losses[3] = -1e300;
  losses[4] = 1 + 0x1.0p-52;
  const RiskEstimate e = estimate(losses, 0.1, {});
  EXPECT_GE(e.cvar_interval.low, 1);
  EXPECT_LE(e.cvar_interval.high, 1 + 0x1.0p-52);
}

TEST(EvaluateRisk, bad_input_is_named_with_what_is_allowed) {
  const auto evaluate = [](const Losses& losses, const Shares& alphas,
                           const BootstrapOptions& options = {}) {
    return [=] { std::ignore = evaluate_risk(losses, alphas, options); };
  };
  const Losses good{1, 2};
  expect_words<OptionError>(evaluate(good, {}),
                            "alphas is empty: at least one tail share is needed");
  expect_words<OptionError>(evaluate(good, {0.5, 0}), "alphas[1] = 0 is outside (0, 1]");
  expect_words<OptionError>(evaluate(good, {1.5}), "alphas[0] = 1.5 is outside (0, 1]");
  expect_words<OptionError>(evaluate(good, {kNan}), "alphas[0] = nan is outside (0, 1]");
  expect_words<OptionError>(evaluate(good, {0.5}, {.level = 0}), "level = 0 is outside (0, 1)");
  expect_words<OptionError>(evaluate(good, {0.5}, {.level = 1}), "level = 1 is outside (0, 1)");
  expect_words<OptionError>(evaluate(good, {0.5}, {.level = kNan}),
                            "level = nan is outside (0, 1)");
  expect_words<OptionError>(evaluate(good, {0.5}, {.resamples = 1'000'001}),
                            "resamples = 1000001 is outside [0, 1000000]");
  expect_words<DataError>(evaluate({}, {0.5}), "losses is empty: at least one loss is needed");
  expect_words<DataError>(evaluate({1, kNan}, {0.5}), "losses[1] = nan is not finite");
  expect_words<DataError>(evaluate({-kInf, 1}, {0.5}), "losses[0] = -inf is not finite");
}

}  // namespace
}  // namespace adacvar
