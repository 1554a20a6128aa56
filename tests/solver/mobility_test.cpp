#include "solver/mobility.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <numeric>
#include <vector>

namespace adacvar {
namespace {

using support::random_data;
using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

std::vector<Eigen::Index> first(Eigen::Index count) {
  std::vector<Eigen::Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), Eigen::Index{0});
  return result;
}

std::vector<Edge> any_edges(const Problem& problem, Rng& rng) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const auto plus =
        static_cast<std::uint32_t>(rng.below(static_cast<std::uint32_t>(problem.outputs())));
    const auto minus =
        problem.outputs() == 1 ? 0 : static_cast<std::uint32_t>((plus + 1) % problem.outputs());
    edges.push_back({static_cast<Index>(i), plus, minus, i, 0.1 + rng.uniform()});
  }
  return edges;
}

/// The vectors a, as columns, times the roots of the mobilities; the slow twin has them all.
Long roots_of(const Problem& problem, const std::vector<Edge>& edges) {
  const auto features = static_cast<Eigen::Index>(problem.data().features);
  Long result = Long::Zero(problem.size(), static_cast<Eigen::Index>(edges.size()));
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (Eigen::Index f = 0; f <= features; ++f) {
      const auto place = static_cast<std::size_t>(f);
      const long double x =
          f == features ? 1.0L
                        : static_cast<long double>(
                              problem.data().dense[edges[e].row * problem.data().features + place]);
      const long double root = std::sqrt(static_cast<long double>(edges[e].mobility));
      const auto column = static_cast<Eigen::Index>(e);
      result(edges[e].plus * (features + 1) + f, column) += root * x;
      if (edges[e].minus != edges[e].plus) {
        result(edges[e].minus * (features + 1) + f, column) -= root * x;
      }
    }
  }
  return result;
}

/// sqrt(rho'M^-1 rho): the length of the shortest v with roots v = rho.
double exact_norm(const Long& roots, const Eigen::VectorXd& rho) {
  const LongVector right = rho.cast<long double>();
  return static_cast<double>(
      Eigen::CompleteOrthogonalDecomposition<Long>(roots).solve(right).norm());
}

// A rho that moves can undo, as they made it.
Eigen::VectorXd reachable(const Long& roots, Rng& rng) {
  LongVector along(roots.cols());
  for (long double& x : along) x = support::normal(rng);
  return (roots * along).cast<double>();
}

TEST(Mobility, one_feature_by_hand) {
  // a = (2, 1) and (0, 1), mobilities 1 and 3: M = [4 2; 2 4], its inverse [4 -2; -2 4] / 12.
  Dataset data;
  data.rows = 2;
  data.features = 1;
  data.dense = {2, 0};
  data.targets = {0, 0};
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  const Mobility mobility(problem, {{0, 0, 0, 0, 1.0}, {1, 0, 0, 1, 3.0}}, first(2));
  EXPECT_DOUBLE_EQ(mobility.reach(0), 2);
  EXPECT_DOUBLE_EQ(mobility.reach(1), 2);
  const Eigen::VectorXd rho = Eigen::Vector2d(3, 0);
  const Eigen::VectorXd step = mobility.step(rho);
  EXPECT_NEAR(step(0), 1, 1e-14);
  EXPECT_NEAR(step(1), -0.5, 1e-14);
  const auto most = mobility.most(rho, Eigen::Vector2d::Zero());
  ASSERT_TRUE(most.has_value());
  EXPECT_GE(*most, std::sqrt(3.0));  // 3 * 3 * 4 / 12
  EXPECT_LE(*most, 2 * std::sqrt(3.0));
}

TEST(Mobility, the_limit_is_one_and_not_far_off) {
  Rng rng(1);
  for (int trial = 0; trial < 300; ++trial) {
    const bool classes = trial % 3 == 0;
    const Dataset data = random_data(
        classes ? Task::multiclass : Task::regression,
        {.rows = 10 + rng.below(40), .features = 1 + rng.below(4), .classes = classes ? 3U : 2U},
        rng);
    const Problem problem(data, Loss(classes ? LossKind::softmax : LossKind::squared), 0, 1);
    const std::vector<Edge> edges = any_edges(problem, rng);
    const Long roots = roots_of(problem, edges);
    const Eigen::VectorXd rho = reachable(roots, rng);
    const auto width = static_cast<Eigen::Index>(data.features + 1);
    const Mobility mobility(problem, edges, first(classes ? 2 * width : width));
    const auto most = mobility.most(rho, Eigen::VectorXd::Zero(rho.size()));
    const double exact = exact_norm(roots, rho);
    ASSERT_TRUE(most.has_value()) << trial;
    EXPECT_GE(*most, exact * (1 - 1e-12)) << trial;
    EXPECT_LE(*most, 1e3 * exact) << trial;
    // The step undoes it.
    const Eigen::VectorXd step = mobility.step(rho);
    const LongVector left =
        rho.cast<long double>() - roots * (roots.transpose() * step.cast<long double>());
    EXPECT_LE(static_cast<double>(left.norm()), 1e-9 * rho.norm()) << trial;
  }
}

TEST(Mobility, errors_count) {
  Rng rng(2);
  const Dataset data = random_data(Task::regression, {.rows = 30, .features = 2}, rng);
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  const Mobility mobility(problem, any_edges(problem, rng), first(3));
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  EXPECT_EQ(mobility.most(none, none), 0.0);
  EXPECT_GT(mobility.most(none, Eigen::Vector3d(1e-3, 0, 0)).value(), 0.0);
  EXPECT_GE(mobility.most(none, Eigen::Vector3d(1e-3, 0, 0)).value(),
            mobility.most(Eigen::Vector3d(1e-3, 0, 0), none).value());
}

/// Columns a, b, a + b rounded, and the intercept. `apart` is how far off the third is: 0 for
/// numbers whose sum needs no rounding.
Dataset sums(bool exact, std::size_t rows, Rng& rng) {
  Dataset data;
  data.rows = rows;
  data.features = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto number = [&] {
      return exact ? static_cast<float>(rng.below(1000)) / 256
                   : static_cast<float>(support::normal(rng));
    };
    const float a = number();
    const float b = number();
    data.dense.insert(data.dense.end(), {a, b, a + b});
    data.targets.push_back(0);
  }
  return data;
}

// What depends exactly needs no balance of its own: rho has it from the others.
TEST(Mobility, exact_combinations_are_left_out) {
  Rng rng(3);
  const Dataset data = sums(true, 50, rng);
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  const std::vector<Edge> edges = any_edges(problem, rng);
  const Mobility mobility(problem, edges, first(4));
  EXPECT_TRUE(mobility.remainders().empty());
  const Long roots = roots_of(problem, edges);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::VectorXd rho = reachable(roots, rng);
    const auto most = mobility.most(rho, Eigen::Vector4d::Zero());
    ASSERT_TRUE(most.has_value());
    const double exact = exact_norm(roots.topRows(2), rho.head(2));  // without the intercept: less
    EXPECT_GE(*most, exact);
  }
}

// What depends but for rounding does: the little that is left must carry its own rho.
TEST(Mobility, near_combinations_are_measured_by_what_is_left) {
  Rng rng(4);
  const Dataset data = sums(false, 50, rng);
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  const std::vector<Edge> edges = any_edges(problem, rng);
  const Mobility mobility(problem, edges, first(4));
  ASSERT_EQ(mobility.remainders().size(), 1U);
  EXPECT_EQ(mobility.remainders()[0].column, 2);
  const Long roots = roots_of(problem, edges);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd rho = reachable(roots, rng);
    if (trial % 2 == 0) rho(2) += 1e-3;  // far out of reach of the rounding
    const auto most = mobility.most(rho, Eigen::Vector4d::Zero());
    const double exact = exact_norm(roots, rho);
    ASSERT_TRUE(most.has_value());
    EXPECT_GE(*most, exact * (1 - 1e-6));
    EXPECT_LE(*most, 20 * exact);
    EXPECT_EQ(*most > 1e3, trial % 2 == 0);
  }
}

// A row that does not move is part of rho all the same: it tells the columns apart.
TEST(Mobility, rows_that_do_not_move_keep_columns_apart) {
  Rng rng(5);
  Dataset data = sums(true, 50, rng);
  data.dense[2] += 1;
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  std::vector<Edge> edges = any_edges(problem, rng);
  EXPECT_TRUE(
      Mobility(problem, edges, first(4)).most(Eigen::Vector4d::Zero(), Eigen::Vector4d::Zero()));
  edges[0].mobility = 0;
  EXPECT_FALSE(
      Mobility(problem, edges, first(4)).most(Eigen::Vector4d::Zero(), Eigen::Vector4d::Zero()));
}

TEST(Mobility, nothing_bound_costs_nothing) {
  Rng rng(6);
  const Dataset data = random_data(Task::regression, {.rows = 5, .features = 2}, rng);
  const Problem problem(data, Loss(LossKind::squared), 0, 1);
  const Mobility mobility(problem, any_edges(problem, rng), {});
  EXPECT_EQ(mobility.most(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(1, 2, 3)), 0.0);
  EXPECT_EQ(mobility.step(Eigen::Vector3d(1, 2, 3)).norm(), 0.0);
}

}  // namespace
}  // namespace adacvar
