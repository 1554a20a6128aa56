#include "learner/boosting.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace adacvar {
namespace {

double sigma(double z) { return 1 / (1 + std::exp(-z)); }

std::vector<double> random_losses(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> losses(count);
  for (double& loss : losses) loss = -std::log(1 - rng.uniform());
  return losses;
}

TEST(MatchedLevel, of_equal_losses_by_hand) {
  // sigma((1 - m) / 2) = 1/4 at m = 1 + 2 log 3.
  const std::vector<double> losses(5, 1.0);
  EXPECT_NEAR(matched_level(losses, {}, 0.25, 2), 1 + 2 * std::log(3.0), 1e-9);
}

TEST(MatchedLevel, matches_the_tail_share) {
  for (const std::size_t count : {1, 7, 1000, 100'000}) {
    const std::vector<double> losses = random_losses(count, count);
    for (const double alpha : {0.01, 0.1, 0.7}) {
      for (const double width : {1e-3, 0.5, 100.0}) {
        const double level = matched_level(losses, {}, alpha, width, 2);
        double sum = 0;
        for (const double loss : losses) sum += sigma((loss - level) / width);
        EXPECT_NEAR(sum / static_cast<double>(count), alpha, 1e-8 * alpha)
            << count << ' ' << alpha << ' ' << width;
      }
    }
  }
}

TEST(MatchedLevel, integer_weights_are_repetition) {
  const std::vector<double> losses = {0.2, 1.5, 0.9};
  const std::vector<double> weights = {3, 1, 2};
  const std::vector<double> repeated = {0.2, 0.2, 0.2, 1.5, 0.9, 0.9};
  EXPECT_NEAR(matched_level(losses, weights, 0.2, 0.3), matched_level(repeated, {}, 0.2, 0.3),
              1e-9);
}

TEST(MatchedLevel, does_not_depend_on_threads) {
  const std::vector<double> losses = random_losses(200'000, 3);
  EXPECT_EQ(matched_level(losses, {}, 0.1, 0.5, 1), matched_level(losses, {}, 0.1, 0.5, 3));
}

TEST(SmoothedCvar, approaches_the_cvar) {
  const std::vector<double> losses = random_losses(1000, 5);
  const double exact = cvar(losses, 0.1);
  EXPECT_NEAR(smoothed_cvar(losses, {}, 0.1, 1e-6), exact, 1e-3 * exact);
  EXPECT_GT(smoothed_cvar(losses, {}, 0.1, 0.5), exact);
  EXPECT_EQ(smoothed_cvar(std::vector<double>(4, 0.0), {}, 0.1, 0.5), 0);
}

Dataset regression_rows(std::vector<double> targets) {
  Dataset data;
  data.rows = targets.size();
  data.features = 1;
  data.dense.assign(targets.size(), 0.0F);
  data.targets = std::move(targets);
  return data;
}

struct Derivatives {
  double mean = 0;
  std::vector<float> gradients;
  std::vector<float> hessians;
};

Derivatives derivatives_of(const Dataset& data, const Loss& loss, const std::vector<float>& scores,
                           const BoostingRule& rule, unsigned threads = 1) {
  Derivatives found{0, std::vector<float>(scores.size()), std::vector<float>(scores.size())};
  BoostingObjective objective(data, loss, rule, threads);
  found.mean = objective.compute(scores, found.gradients, found.hessians);
  return found;
}

TEST(BoostingObjective, plain_squared_loss_is_that_of_xgboost) {
  const Dataset data = regression_rows({1, -2});
  const Derivatives found = derivatives_of(data, Loss(LossKind::squared), {0, 0}, {});
  EXPECT_DOUBLE_EQ(found.mean, 2.5);
  EXPECT_EQ(found.gradients, (std::vector<float>{-1, 2}));
  EXPECT_EQ(found.hessians, (std::vector<float>{1, 1}));
}

TEST(BoostingObjective, row_weights_multiply) {
  Dataset data = regression_rows({1, -2});
  data.weights = {3, 1};
  const Derivatives found = derivatives_of(data, Loss(LossKind::squared), {0, 0}, {});
  EXPECT_DOUBLE_EQ(found.mean, 1.75);
  EXPECT_EQ(found.gradients, (std::vector<float>{-3, 2}));
  EXPECT_EQ(found.hessians, (std::vector<float>{3, 1}));
}

// The slow twin: the smoothed objective itself, differentiated numerically.
double smoothed_objective(const std::vector<double>& losses, double width, const BoostingRule& r) {
  const double level = matched_level(losses, {}, r.alpha, width);
  double tail = 0;
  for (const double loss : losses) tail += std::log1p(std::exp((loss - level) / width));
  const auto n = static_cast<double>(losses.size());
  const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / n;
  return (1 - r.gamma) * (level + width / r.alpha * tail / n) + r.gamma * mean;
}

TEST(BoostingObjective, tail_gradient_is_that_of_the_smoothed_objective) {
  const BoostingRule rule{.for_tail = true, .alpha = 0.3, .gamma = 0.2};
  const Dataset data = regression_rows({0.5, -1, 2, 0.1, -0.3});
  const std::vector<float> scores = {0.25, 0.5, -0.5, 0, 1};
  const Derivatives found = derivatives_of(data, Loss(LossKind::squared), scores, rule);
  const auto losses_at = [&](std::size_t moved, double by) {
    std::vector<double> losses;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double r = static_cast<double>(scores[i]) + (i == moved ? by : 0) - data.targets[i];
      losses.push_back(r * r);
    }
    return losses;
  };
  const double width = rule.temperature * cvar(losses_at(9, 0), rule.alpha);
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double slope = (smoothed_objective(losses_at(i, kStep), width, rule) -
                          smoothed_objective(losses_at(i, -kStep), width, rule)) /
                         (2 * kStep);
    // Rows count 1 each, and squared loss half.
    EXPECT_NEAR(found.gradients[i], 0.5 * 5 * slope, 1e-5);
  }
}

TEST(BoostingObjective, tail_hessian_by_hand) {
  // Two rows with losses 4 and 0, alpha 1/2: the level is 2 by symmetry, CVaR 4, width 2.
  const BoostingRule rule{.for_tail = true, .alpha = 0.5, .gamma = 0};
  const Derivatives found =
      derivatives_of(regression_rows({2, 0}), Loss(LossKind::squared), {0, 0}, rule);
  const double q = sigma(1);
  EXPECT_NEAR(found.gradients[0], 0.5 * q / 0.5 * -4, 1e-5);
  EXPECT_NEAR(found.hessians[0], 0.5 * (q / 0.5 * 2 + q * (1 - q) / (0.5 * 2) * 16), 1e-5);
  EXPECT_NEAR(found.hessians[1], 0.5 * ((1 - q) / 0.5 * 2), 1e-5);
}

TEST(BoostingObjective, softmax_of_two_classes_by_hand) {
  Dataset data = regression_rows({1});
  data.task = Task::multiclass;
  data.class_names = {"a", "b"};
  const Derivatives found = derivatives_of(data, Loss(LossKind::softmax), {0, 0}, {});
  EXPECT_EQ(found.gradients, (std::vector<float>{0.5, -0.5}));
  EXPECT_EQ(found.hessians, (std::vector<float>{0.5, 0.5}));
}

// Sums in any order are equal: that is what makes trees independent of the number of threads.
TEST(BoostingObjective, sums_are_exact) {
  const std::size_t count = 50'000;
  const std::vector<double> targets = random_losses(count, 8);
  const Dataset data = regression_rows(targets);
  const std::vector<float> scores(count, 0.1F);
  const BoostingRule rule{.for_tail = true};
  const Derivatives one = derivatives_of(data, Loss(LossKind::squared), scores, rule, 1);
  const Derivatives three = derivatives_of(data, Loss(LossKind::squared), scores, rule, 3);
  EXPECT_EQ(one.gradients, three.gradients);
  EXPECT_EQ(one.hessians, three.hessians);
  double forward = 0;
  double backward = 0;
  for (std::size_t i = 0; i < count; ++i) {
    forward += static_cast<double>(one.gradients[i]);
    backward += static_cast<double>(one.gradients[count - 1 - i]);
  }
  EXPECT_EQ(forward, backward);
}

TEST(BoostingObjective, perfect_fit_has_no_tail) {
  const BoostingRule rule{.for_tail = true};
  const Derivatives found =
      derivatives_of(regression_rows({1, 2}), Loss(LossKind::squared), {1, 2}, rule);
  EXPECT_EQ(found.gradients, (std::vector<float>{0, 0}));
  EXPECT_EQ(found.hessians, (std::vector<float>{1, 1}));
}

TEST(BoostingObjective, infinite_loss_is_an_error) {
  support::expect_words<NumericalError>(
      [] { (void)derivatives_of(regression_rows({1e300}), Loss(LossKind::squared), {0}, {}); },
      "not finite");
}

}  // namespace
}  // namespace adacvar
