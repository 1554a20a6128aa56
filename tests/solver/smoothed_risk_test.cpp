#include "solver/smoothed_risk.hpp"

#include "solver/minimise.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>

namespace adacvar {
namespace {

struct Case {
  LossKind kind;
  double ridge;
  bool weighted;
};

class SmoothedRisk : public testing::TestWithParam<Case> {};

Dataset data_for(const Case& what) {
  Rng rng(11);
  Dataset data = support::random_data(support::task_of(what.kind),
                                      {.rows = 4000,
                                       .features = 3,
                                       .classes = what.kind == LossKind::softmax ? 3U : 2U,
                                       .noise = 2},
                                      rng);
  if (what.weighted) {
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.1 + rng.uniform());
  }
  return data;
}

double value_of(const Problem& problem, const Eigen::VectorXd& theta) {
  return problem.risk(problem.losses(theta)) + problem.penalty(theta);
}

// Beside the interior-point method, from a model without weights.
TEST_P(SmoothedRisk, reaches_the_least_risk) {
  const Dataset data = data_for(GetParam());
  for (const double gamma : {0.0, 0.3, 0.9}) {
    const Problem problem(data, Loss(GetParam().kind),
                          {.risk = {0.2, gamma}, .ridge = GetParam().ridge});
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.size());
    const SolverOutcome least = minimise_cvar(problem, {.tolerance = 1e-9}, {zero, 0});
    const Certificate known{.lower = 1e-9, .radius = 1e9};
    const SmoothedOutcome found =
        minimise_smoothed(problem, {problem.constant(), known}, {.tolerance = 1e-3});
    EXPECT_LE(found.certificate.relative_gap(), 1e-3) << "gamma " << gamma;
    EXPECT_GE(found.certificate.upper, least.certificate.lower) << "gamma " << gamma;
    EXPECT_LE(found.certificate.lower, least.certificate.upper) << "gamma " << gamma;
    EXPECT_DOUBLE_EQ(found.certificate.upper, value_of(problem, found.theta));
  }
}

INSTANTIATE_TEST_SUITE_P(
    losses, SmoothedRisk,
    testing::Values(Case{LossKind::squared, 0, false}, Case{LossKind::absolute, 0, false},
                    Case{LossKind::pinball, 0, true}, Case{LossKind::huber, 0, true},
                    Case{LossKind::logistic, 0.01, false}, Case{LossKind::hinge, 0.01, true},
                    Case{LossKind::squared, 0.1, true}));

TEST(SmoothedRiskOfClasses, is_left_to_others) {
  const Dataset data = data_for({LossKind::softmax, 0, false});
  const Problem problem(data, Loss(LossKind::softmax), {.risk = {0.2, 0.5}});
  const SmoothedOutcome found = minimise_smoothed(
      problem, {problem.constant(), {.lower = 0.5, .radius = 1e9}}, {.tolerance = 1e-9});
  EXPECT_EQ(found.theta, problem.constant());
  EXPECT_EQ(found.certificate.lower, 0.5);
}

// Whatever the tolerance, the start and the widths.
TEST(SmoothedRiskBound, is_never_above_an_attained_value) {
  const Dataset data = data_for({LossKind::absolute, 0, false});
  const Problem problem(data, Loss(LossKind::absolute), {.risk = {0.05, 0.5}});
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.size());
  const SolverOutcome least = minimise_cvar(problem, {.tolerance = 1e-9}, {zero, 0});
  Rng rng(3);
  for (const double tolerance : {1.0, 0.1, 1e-2, 1e-4, 1e-6, 1e-9}) {
    for (int trial = 0; trial < 5; ++trial) {
      Eigen::VectorXd theta = least.theta;
      for (double& entry : theta) entry += 0.3 * (2 * rng.uniform() - 1);
      const SmoothingWidths widths{rng.uniform(), rng.uniform()};
      const SmoothedOutcome found = minimise_smoothed(
          problem, {theta, {.lower = value_of(problem, theta) - 0.1, .radius = 1e9}, widths},
          {.tolerance = tolerance});
      EXPECT_LE(found.certificate.lower, least.certificate.upper) << tolerance;
      EXPECT_GE(found.certificate.upper, least.certificate.lower) << tolerance;
    }
  }
}

}  // namespace
}  // namespace adacvar
