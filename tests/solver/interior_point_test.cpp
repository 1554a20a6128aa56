#include "solver/interior_point.hpp"

#include "solver/minimise.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace adacvar {
namespace {

using support::random_data;
using support::task_of;

/// Every row with its cap, and with the mean's share where there is one.
RowWeights all_rows(const Problem& problem) {
  RowWeights costs;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    costs.rows.push_back(static_cast<Index>(i));
    costs.weights.push_back(problem.cap(static_cast<Index>(i)));
  }
  if (problem.settings().risk.gamma == 0) return costs;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    costs.rows.push_back(static_cast<Index>(i));
    costs.weights.push_back(problem.low(static_cast<Index>(i)));
  }
  costs.fixed = problem.rows();
  return costs;
}

double risk_at(const Problem& problem, const Eigen::VectorXd& theta) {
  return problem.risk(problem.losses(theta)) + problem.penalty(theta);
}

struct Case {
  Dataset data;
  Loss loss;
  RiskSettings settings;
};

Case any_case(LossKind kind, Rng& rng) {
  const std::size_t classes = kind == LossKind::softmax ? 3 : 2;
  Case made{random_data(task_of(kind), {.rows = 40, .features = 2, .classes = classes}, rng),
            Loss(kind, 0.5, 0.3),
            {.risk = {.alpha = 0.1 + 0.8 * rng.uniform()}, .threads = 1}};
  if (rng.below(2) == 0) made.settings.ridge = 0.1;
  if (rng.below(2) == 0) made.settings.risk.gamma = 0.4;
  return made;
}

// Every point is feasible, so its value is at least the risk of its model; value less gap is what
// the duals promise, which is never far above the optimum.
TEST(InteriorPoint, values_stay_above_the_risk_and_the_gap_falls) {
  Rng rng(1);
  for (const LossKind kind : support::kAllLosses) {
    for (int trial = 0; trial < 20; ++trial) {
      const Case made = any_case(kind, rng);
      const Problem problem(made.data, made.loss, made.settings);
      InteriorPoint point(problem, all_rows(problem), Eigen::VectorXd::Zero(problem.size()), 0);
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " trial " << trial);
      const double first = point.gap();
      for (int step = 0; step < 30; ++step) {
        ASSERT_GE(point.value(), risk_at(problem, point.theta()) * (1 - 1e-12)) << step;
        if (!point.step()) break;
      }
      EXPECT_LT(point.gap(), 1e-3 * first);
    }
  }
}

// The duals are a distribution within the box.
TEST(InteriorPoint, duals_are_weights_within_their_limits) {
  Rng rng(2);
  for (const LossKind kind : support::kAllLosses) {
    const Case made = any_case(kind, rng);
    const Problem problem(made.data, made.loss, made.settings);
    const RowWeights costs = all_rows(problem);
    InteriorPoint point(problem, costs, Eigen::VectorXd::Zero(problem.size()), 0);
    for (int step = 0; step < 10; ++step) (void)point.step();
    RowWeights q;
    std::vector<double> slopes;
    point.read_dual(q, slopes);
    double sum = 0;
    for (std::size_t r = 0; r < q.rows.size(); ++r) {
      const bool is_fixed = r >= q.rows.size() - q.fixed;
      const double most = is_fixed ? problem.low(q.rows[r]) : problem.cap(q.rows[r]);
      EXPECT_LE(q.weights[r], most * (1 + 1e-9)) << kLossNames.of(kind);
      EXPECT_GT(q.weights[r], 0);
      sum += q.weights[r];
    }
    EXPECT_NEAR(sum, 1, 1e-6) << kLossNames.of(kind);
  }
}

// By hand: targets 0, 1 and 5, no features, alpha 2/3. The worst two losses of a constant c between
// them are c and 5 - c: the least CVaR is 5/2, and the weights of the outer rows are 1/2 each.
TEST(InteriorPoint, absolute_losses_of_a_constant_by_hand) {
  Dataset data;
  data.rows = 3;
  data.targets = {0, 1, 5};
  const Problem problem(data, Loss(LossKind::absolute), {.risk = {.alpha = 2.0 / 3}, .threads = 1});
  InteriorPoint point(problem, all_rows(problem), Eigen::VectorXd::Zero(1), 0);
  for (int step = 0; step < 15; ++step) (void)point.step();
  EXPECT_NEAR(point.value(), 2.5, 1e-9);
  EXPECT_LT(point.gap(), 1e-9);
  RowWeights q;
  std::vector<double> slopes;
  point.read_dual(q, slopes);
  ASSERT_GE(q.rows.size(), 2U);
  EXPECT_NEAR(q.weights.front(), 0.5, 1e-6);
  EXPECT_NEAR(q.weights.back(), 0.5, 1e-6);
  EXPECT_NEAR(slopes.front(), 1, 1e-6);
  EXPECT_NEAR(slopes.back(), -1, 1e-6);
}

TEST(InteriorPoint, a_new_centre_keeps_the_model_and_sets_the_gap) {
  Rng rng(3);
  const Case made = any_case(LossKind::squared, rng);
  const Problem problem(made.data, made.loss, made.settings);
  InteriorPoint point(problem, all_rows(problem), Eigen::VectorXd::Zero(problem.size()), 0);
  for (int step = 0; step < 4; ++step) (void)point.step();
  const Eigen::VectorXd theta = point.theta();
  for (const double gap : {1.0, 1e-3, 1e-8}) {
    point.recentre(gap);
    EXPECT_EQ(point.theta(), theta);
    EXPECT_NEAR(point.gap(), gap, 1e-9 * gap);
    // Centred rows: their room is at most the gap.
    EXPECT_LE(point.value(), risk_at(problem, theta) + gap * (1 + 1e-9));
  }
}

// A mean's share of 1 - t and a CVaR's of t: between both least risks, and both ends of the box at
// work.
TEST(InteriorPoint, the_mean_has_its_share_of_the_risk) {
  Rng rng(4);
  for (const LossKind kind : support::kAllLosses) {
    const std::size_t classes = kind == LossKind::softmax ? 3 : 2;
    const Dataset data =
        random_data(task_of(kind), {.rows = 80, .features = 2, .classes = classes}, rng);
    const Loss loss(kind, 0.5, 0.3);
    for (const double share : {0.01, 0.3, 0.9}) {
      const Problem problem(data, loss, {.risk = {0.2, share}, .threads = 1});
      const SolverOutcome found =
          minimise_cvar(problem, {.tolerance = 1e-8}, {Eigen::VectorXd::Zero(problem.size()), 0});
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " share " << share);
      EXPECT_EQ(found.status, ExactStatus::optimal);
      EXPECT_LE(found.certificate.relative_gap(), 1e-8);
      EXPECT_NEAR(found.certificate.upper, risk_at(problem, found.theta), 1e-12);
      const double cvar = solve_exact(data, loss, {.risk = {.alpha = 0.2}}).certificate.upper;
      const double mean = solve_exact(data, loss, {.risk = {.alpha = 1}}).certificate.upper;
      EXPECT_LE(found.certificate.lower, (1 - share) * cvar + share * cvar);
      EXPECT_GE(found.certificate.upper, ((1 - share) * cvar + share * mean) * (1 - 1e-5));
      // No model nearby is better.
      for (int trial = 0; trial < 50; ++trial) {
        Eigen::VectorXd theta = found.theta;
        for (double& parameter : theta) parameter += 0.01 * support::normal(rng);
        EXPECT_GE(risk_at(problem, theta), found.certificate.lower);
      }
    }
  }
}

}  // namespace
}  // namespace adacvar
