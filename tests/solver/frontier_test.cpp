#include <adacvar/solver/frontier.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using support::kAllLosses;

Dataset noisy_data(LossKind kind, std::size_t rows, std::uint64_t seed) {
  Rng rng(seed);
  return support::random_data(
      support::task_of(kind),
      {.rows = rows, .features = 3, .classes = kind == LossKind::softmax ? 3U : 2U, .noise = 2},
      rng);
}

TailRisk risk_of(const LinearModel& model, const Dataset& data, const Loss& loss, double alpha) {
  return tail_risk(losses_of(model, data, loss), data.weights, alpha);
}

// One row of no features and targets 0, 0, 0, 6: mean of squares at c is 9 + (c - 1.5)^2 - 2.25
// and so on; by hand (3 c^2 + (6 - c)^2) / 4. The worst quarter is the last row while c < 3.
Dataset four_numbers() {
  Dataset data;
  data.rows = 4;
  data.features = 1;
  data.dense = {0, 0, 0, 0};
  data.targets = {0, 0, 0, 6};
  return data;
}

TEST(Frontier, of_a_constant_by_hand) {
  const Dataset data = four_numbers();
  Frontier frontier(data, Loss(LossKind::squared), {.risk = {.alpha = 0.25}, .tolerance = 1e-9});
  // gamma 1: c = 1.5, mean 6.75, CVaR 20.25. gamma 0: c = 3, both 9.
  EXPECT_NEAR(frontier.at(1).risk.mean, 6.75, 1e-6);
  EXPECT_NEAR(frontier.at(1).risk.cvar, 20.25, 1e-5);
  EXPECT_NEAR(frontier.at(0).risk.cvar, 9, 1e-5);
  // gamma 0.8: 0.2 (6 - c)^2 + 0.2 (3 c^2 + (6 - c)^2): 0.4 (c - 6) + 0.6 c = 0 at c = 2.4.
  EXPECT_NEAR(frontier.at(0.8).risk.mean, (3 * 5.76 + 12.96) / 4, 1e-5);
  EXPECT_NEAR(frontier.at(0.8).risk.cvar, 12.96, 1e-5);
  // Mean at most 7: c = 2, the larger root of c^2 - 3 c + 2.
  const LimitedResult limited = frontier.within({RiskLimit::Of::mean, 7});
  EXPECT_NEAR(limited.risk.mean, 7, 1e-6);
  EXPECT_NEAR(limited.risk.cvar, 16, 1e-4);
  EXPECT_LE(limited.certificate.lower, 16);
  EXPECT_EQ(limited.status, ExactStatus::optimal);
  // At c = 2: (1 - gamma) 2 (c - 6) + gamma (2 c - 3) = 0.
  EXPECT_NEAR(limited.gamma, 8.0 / 9, 1e-3);
  // CVaR at most 16: the same model.
  const LimitedResult other = frontier.within({RiskLimit::Of::cvar, 16});
  EXPECT_NEAR(other.risk.mean, 7, 1e-5);
  EXPECT_LE(other.risk.cvar, 16 * (1 + 1e-11));
}

TEST(Frontier, ends_are_the_mean_and_the_cvar) {
  for (const LossKind kind : kAllLosses) {
    const Dataset data = noisy_data(kind, 60, 1);
    const Loss loss(kind, 1, 0.3);
    for (const double ridge : {0.0, 0.05}) {
      const ExactOptions options{.risk = {.alpha = 0.2}, .ridge = ridge};
      Frontier frontier(data, loss, options);
      const ExactResult mean = solve_exact(data, loss, {.risk = {.alpha = 1}, .ridge = ridge});
      const ExactResult tail = solve_exact(data, loss, options);
      EXPECT_NEAR(frontier.at(1).certificate.upper, mean.certificate.upper,
                  2e-6 * mean.certificate.upper);
      EXPECT_NEAR(frontier.at(0).certificate.upper, tail.certificate.upper,
                  2e-6 * tail.certificate.upper);
    }
  }
}

TEST(Frontier, is_monotone_convex_and_certified) {
  for (const LossKind kind : kAllLosses) {
    SCOPED_TRACE(kLossNames.of(kind));
    const Dataset data = noisy_data(kind, 80, 2);
    const Loss loss(kind, 1, 0.3);
    Frontier frontier(data, loss, {.risk = {.alpha = 0.2}, .tolerance = 1e-7});
    frontier.spread(12, 1e-7);
    EXPECT_LE(frontier.points().size(), 12U);
    EXPECT_GE(frontier.points().size(), 3U);
    const FrontierPoint* last = nullptr;
    for (const auto& [gamma, point] : frontier.points()) {
      const Risk risk{0.2, gamma};
      const TailRisk own = risk_of(point.model, data, loss, 0.2);
      EXPECT_NEAR(own.mean, point.risk.mean, 1e-9 * own.mean);
      EXPECT_NEAR(own.cvar, point.risk.cvar, 1e-9 * own.cvar);
      EXPECT_LE(point.certificate.relative_gap(), 1e-7);
      // No model of the curve is better at another's gamma: convex, and below every bound.
      for (const auto& [at, other] : frontier.points()) {
        EXPECT_LE(point.certificate.lower, risk.of(other.risk) * (1 + 1e-12)) << gamma << " " << at;
      }
      if (last != nullptr) {
        // Two models within their gaps of the least value may be so much out of order.
        const double open = point.certificate.upper - point.certificate.lower +
                            last->certificate.upper - last->certificate.lower;
        const double slack = open / (gamma - last->gamma);
        EXPECT_LE(point.risk.mean, last->risk.mean + slack);
        EXPECT_GE(point.risk.cvar, last->risk.cvar - slack);
      }
      last = &point;
    }
  }
}

// Points that chords and mixtures of neighbours certify, against solutions of their own.
TEST(Frontier, bounds_between_solutions_are_below_the_least) {
  for (const LossKind kind : kAllLosses) {
    SCOPED_TRACE(kLossNames.of(kind));
    const Dataset data = noisy_data(kind, 80, 5);
    const Loss loss(kind, 1, 0.3);
    const ExactOptions options{.risk = {.alpha = 0.2}, .ridge = 0.01, .tolerance = 1e-8};
    Frontier rough(data, loss, options);
    rough.spread(15, 1e-2);
    Frontier fine(data, loss, options);
    for (const auto& [gamma, point] : rough.points()) {
      EXPECT_LE(point.certificate.relative_gap(), 1e-2);
      EXPECT_LE(point.certificate.lower, fine.at(gamma).certificate.upper) << gamma;
      EXPECT_GE(point.certificate.upper, fine.at(gamma).certificate.lower) << gamma;
    }
  }
}

TEST(Frontier, limits_are_met_and_certified) {
  for (const LossKind kind : kAllLosses) {
    for (const double ridge : {0.0, 0.02}) {
      SCOPED_TRACE(kLossNames.of(kind));
      const Dataset data = noisy_data(kind, 100, 3);
      const Loss loss(kind, 1, 0.3);
      const Risk risk{.alpha = 0.1, .gamma = 0.05};
      Frontier frontier(data, loss, {.risk = risk, .ridge = ridge});
      const double least = frontier.at(1).risk.mean;
      for (const double budget : {0.01, 0.05, 0.5, 10.0}) {
        const double most = (1 + budget) * least;
        const LimitedResult found = frontier.within({RiskLimit::Of::mean, most});
        ASSERT_TRUE(found.is_feasible);
        const TailRisk own = risk_of(found.model, data, loss, 0.1);
        EXPECT_LE(own.mean, most * (1 + 1e-11));
        const double value = risk.of(own) + found.model.penalty(ridge);
        EXPECT_NEAR(found.certificate.upper, value, 1e-9 * value);
        EXPECT_LE(found.certificate.relative_gap(), 2e-6) << budget << " " << ridge;
        // Every model of the curve that is within the limit is at least as bad as the bound.
        frontier.spread(9);
        for (const auto& [gamma, point] : frontier.points()) {
          if (point.risk.mean > most) continue;
          const double here = risk.of(point.risk) + point.model.penalty(ridge);
          EXPECT_GE(here, found.certificate.lower * (1 - 1e-12));
        }
      }
    }
  }
}

TEST(Frontier, a_limit_that_no_model_meets_is_told_with_the_least) {
  const Dataset data = four_numbers();
  Frontier frontier(data, Loss(LossKind::squared), {.risk = {.alpha = 0.25}});
  const LimitedResult found = frontier.within({RiskLimit::Of::cvar, 8});
  EXPECT_FALSE(found.is_feasible);
  EXPECT_NEAR(found.certificate.lower, 9, 1e-4);
  EXPECT_LE(found.certificate.lower, 9);
}

TEST(Frontier, a_generous_limit_gives_the_least_cvar) {
  const Dataset data = noisy_data(LossKind::squared, 100, 4);
  Frontier frontier(data, Loss(LossKind::squared), {.risk = {.alpha = 0.1}});
  const LimitedResult found = frontier.within({RiskLimit::Of::mean, 11 * frontier.at(1).risk.mean});
  EXPECT_EQ(found.gamma, 0);
  EXPECT_EQ(found.risk, frontier.at(0).risk);
}

// The least objective with offsets x'theta is that without them, for theta less.
TEST(Frontier, offsets_shift_the_solution) {
  for (const LossKind kind : kAllLosses) {
    SCOPED_TRACE(kLossNames.of(kind));
    Dataset data = noisy_data(kind, 70, 5);
    const Loss loss(kind, 1, 0.3);
    const ExactOptions options{.risk = {.alpha = 0.3, .gamma = 0.2}, .tolerance = 1e-8};
    const ExactResult plain = solve_exact(data, loss, options);
    LinearModel known(data.features, plain.model.outputs());
    Rng rng(6);
    for (double& value : known.parameters()) value = support::normal(rng);
    std::vector<Index> rows(data.rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    std::vector<double> offsets(data.rows * known.outputs());
    known.scores(data, rows, offsets);
    data.offsets = offsets;
    const ExactResult shifted = solve_exact(data, loss, options);
    EXPECT_NEAR(shifted.certificate.upper, plain.certificate.upper, 1e-7 * plain.certificate.upper);
    EXPECT_LE(shifted.certificate.lower, plain.certificate.upper * (1 + 1e-12));
    EXPECT_LE(shifted.certificate.relative_gap(), 1e-8);
    for (std::size_t i = 0; i < known.parameters().size(); ++i) {
      known.parameters()[i] += shifted.model.parameters()[i];
    }
    Dataset without = data;
    without.offsets.clear();
    EXPECT_NEAR(options.risk.of(risk_of(known, without, loss, 0.3)), shifted.certificate.upper,
                1e-9 * shifted.certificate.upper);
  }
}

// A feature in units of 1/2 with a quarter of the ridge has the same solutions.
TEST(Frontier, ridge_factors_are_units_of_features) {
  for (const LossKind kind : kAllLosses) {
    Dataset data = noisy_data(kind, 50, 7);
    const Loss loss(kind, 1, 0.3);
    ExactOptions options{.risk = {.alpha = 0.3}, .ridge = 0.1, .tolerance = 1e-8};
    const double expected = solve_exact(data, loss, options).certificate.upper;
    for (std::size_t i = 0; i < data.rows; ++i) data.dense[i * data.features] *= 2;
    const std::vector<double> factors = {4, 1, 1};
    options.ridge_factors = factors;
    EXPECT_NEAR(solve_exact(data, loss, options).certificate.upper, expected, 1e-7 * expected);
  }
}

TEST(Frontier, bad_options_are_refused) {
  Dataset data = noisy_data(LossKind::squared, 20, 8);
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = 0.3, .gamma = 0.1}});
  support::expect_words<OptionError>([&] { (void)frontier.at(0); }, "gamma = 0 ... [0.1, 1]");
  const std::vector<double> factors = {1, 0, 1};
  support::expect_words<OptionError>(
      [&] { (void)solve_exact(data, loss, {.ridge_factors = factors}); }, "ridge factor = 0");
  data.offsets = {1};
  support::expect_words<DataError>([&] { (void)solve_exact(data, loss, {}); },
                                   "1 offsets ... 20 rows");
}

}  // namespace
}  // namespace adacvar
