#include "solver/mixed_bound.hpp"

#include "solver/minimise.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace adacvar {
namespace {

constexpr double kMost = std::numeric_limits<double>::infinity();

struct Case {
  LossKind kind;
  double ridge;
  bool weighted;
};

class MixedBound : public testing::TestWithParam<Case> {};

Dataset data_for(const Case& what) {
  Rng rng(11);
  Dataset data = support::random_data(support::task_of(what.kind),
                                      {.rows = 2000,
                                       .features = 3,
                                       .classes = what.kind == LossKind::softmax ? 3U : 2U,
                                       .noise = 2},
                                      rng);
  if (what.weighted) {
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.1 + rng.uniform());
  }
  return data;
}

// At gammas between two solved ones: never above what a solution attains, nor below the line
// between both bounds.
TEST_P(MixedBound, lies_between_the_line_and_the_least_value) {
  const Dataset data = data_for(GetParam());
  const Problem whole(data, Loss(GetParam().kind), {.risk = {0.2, 0}, .ridge = GetParam().ridge});
  const SearchOptions options{.tolerance = 1e-9};
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(whole.size());
  const auto solved = [&](double gamma) {
    return minimise_cvar(whole.with_risk({0.2, gamma}, 1), options, {zero, 0});
  };
  const SolverOutcome low = solved(0.3);
  const SolverOutcome high = solved(0.6);
  const DualRows one(whole, low.dual);
  const DualRows other(whole, high.dual);
  for (const double share : {1e-9, 0.1, 0.5, 0.9}) {
    const double gamma = std::lerp(0.3, 0.6, share);
    const Problem problem = whole.with_risk({0.2, gamma}, 1);
    const SolverOutcome least = solved(gamma);
    const Eigen::VectorXd theta = low.theta + share * (high.theta - low.theta);
    const double radius = radius_for(0, theta);
    const EvaluatedModel near{theta, problem.losses(theta)};
    const double line = std::lerp(low.certificate.lower, high.certificate.lower, share);
    const double mixed =
        mixed_bound(problem, one, other, share, near, radius, {0}).lower(problem, radius);
    const double best =
        mixed_bound(problem, one, other, share, near, radius, {kMost}).lower(problem, radius);
    EXPECT_GE(mixed, line * (1 - 1e-6)) << "share " << share;
    EXPECT_GE(best, mixed) << "share " << share;
    EXPECT_LE(best, least.certificate.upper) << "share " << share;
  }
}

INSTANTIATE_TEST_SUITE_P(
    losses, MixedBound,
    testing::Values(Case{LossKind::squared, 0, false}, Case{LossKind::absolute, 0, false},
                    Case{LossKind::pinball, 0, true}, Case{LossKind::huber, 0, true},
                    Case{LossKind::logistic, 0.01, false}, Case{LossKind::hinge, 0.01, true},
                    Case{LossKind::softmax, 0.01, false}, Case{LossKind::squared, 0.1, true}));

// A model that minimises nothing: whatever the weights become, the bound is one.
TEST(MixedBoundOfAnyModel, is_never_above_an_attained_value) {
  const Dataset data = data_for({LossKind::absolute, 0, false});
  const Problem whole(data, Loss(LossKind::absolute), {.risk = {0.05, 0}});
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(whole.size());
  const auto solved = [&](double gamma) {
    return minimise_cvar(whole.with_risk({0.05, gamma}, 1), {}, {zero, 0});
  };
  const SolverOutcome low = solved(0.2);
  const SolverOutcome high = solved(0.8);
  const double least = solved(0.5).certificate.upper;
  const Problem problem = whole.with_risk({0.05, 0.5}, 1);
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::VectorXd theta = low.theta;
    for (double& entry : theta) entry += 0.3 * (2 * rng.uniform() - 1);
    const DualBound bound = mixed_bound(problem, {whole, low.dual}, {whole, high.dual}, 0.5,
                                        {theta, problem.losses(theta)}, 100, {kMost});
    EXPECT_LE(bound.lower(problem, 100), least);
  }
}

}  // namespace
}  // namespace adacvar
