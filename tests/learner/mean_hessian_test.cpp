#include "learner/mean_hessian.hpp"

#include "support/small_problems.hpp"

#include <Eigen/Dense>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;

Dataset one_row() {
  Dataset data;
  data.rows = 1;
  data.features = 1;
  data.dense = {2.0F};
  data.targets = {0.0};
  return data;
}

TEST(MeanHessian, one_row_by_hand) {
  const Dataset data = one_row();
  MeanHessian hessian(2, 1, 0.5);
  Values gradient{3.0, 3.0};
  hessian.solve(gradient);
  EXPECT_EQ(gradient, (Values{3.0, 3.0}));  // nothing is known yet
  hessian.observe(data, std::vector<Index>{0}, Values{0.25});
  // 0.25 (2, 1)(2, 1)', damped by its largest entry, 1; the ridge is that of the feature:
  // (2.5, 0.5; 0.5, 1.25) has the determinant 2.875.
  hessian.solve(gradient);
  EXPECT_NEAR(gradient[0], (1.25 * 3 - 0.5 * 3) / 2.875, 1e-15);
  EXPECT_NEAR(gradient[1], (2.5 * 3 - 0.5 * 3) / 2.875, 1e-15);
}

TEST(MeanHessian, is_the_mean_over_batches_for_every_output) {
  Rng rng(1);
  const Dataset data = support::random_data(Task::regression, {.rows = 40, .features = 4}, rng);
  MeanHessian hessian(5, 100, 0);
  Eigen::MatrixXd twin = Eigen::MatrixXd::Zero(5, 5);
  for (Index batch = 0; batch < 8; ++batch) {
    std::vector<Index> rows(5);
    std::iota(rows.begin(), rows.end(), 5 * batch);
    Values curvatures(5);
    for (std::size_t b = 0; b < 5; ++b) {
      curvatures[b] = rng.uniform();
      Eigen::VectorXd x(5);
      for (Eigen::Index f = 0; f < 4; ++f) {
        x(f) = data.dense[rows[b] * 4 + static_cast<std::size_t>(f)];
      }
      x(4) = 1;
      twin += curvatures[b] / 40 * x * x.transpose();
    }
    hessian.observe(data, rows, curvatures);
  }
  twin.diagonal().array() += twin.diagonal().maxCoeff() / 40;
  Values gradient(10);
  for (double& value : gradient) value = rng.uniform() - 0.5;
  const Eigen::Map<const Eigen::MatrixXd> right(gradient.data(), 5, 2);
  const Eigen::MatrixXd expected = twin.ldlt().solve(Eigen::MatrixXd(right));
  hessian.solve(gradient);
  for (Eigen::Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(gradient[static_cast<std::size_t>(i)], expected(i % 5, i / 5), 1e-12);
  }
}

TEST(MeanHessian, sparse_rows_and_a_loaded_state_give_the_same) {
  Rng rng(2);
  const Dataset dense = support::random_data(Task::regression, {.rows = 30, .features = 3}, rng);
  Dataset sparse = dense;
  sparse.dense.clear();
  sparse.start = {0};
  for (std::size_t i = 0; i < dense.dense.size(); ++i) {
    sparse.column.push_back(static_cast<std::uint32_t>(i % 3));
    sparse.value.push_back(dense.dense[i]);
    if (i % 3 == 2) sparse.start.push_back(i + 1);
  }
  MeanHessian one(4, 6, 0);
  MeanHessian other(4, 6, 0);
  for (Index batch = 0; batch < 6; ++batch) {
    const std::vector<Index> rows{batch, batch + 10, batch + 20};
    one.observe(dense, rows, Values{1, 0, 2});
    other.observe(sparse, rows, Values{1, 0, 2});
  }
  std::stringstream state;
  one.save(state);
  MeanHessian loaded(4, 6, 0);
  loaded.load(state);
  const std::vector<Index> rows{7, 8};
  Values first{1, 2, 3, 4};
  Values second = first;
  Values third = first;
  const auto step = [&](MeanHessian& hessian, const Dataset& data, Values& gradient) {
    hessian.observe(data, rows, Values{1, 1});
    hessian.solve(gradient);
  };
  step(one, dense, first);
  step(other, sparse, second);
  step(loaded, dense, third);
  EXPECT_EQ(first, third);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(first[i], second[i], 1e-12);
}

TEST(MeanHessian, without_curvature_the_gradient_stays) {
  const Dataset data = one_row();
  MeanHessian hessian(2, 1, 0);
  hessian.observe(data, std::vector<Index>{0}, Values{0});
  Values gradient{3.0, 4.0};
  hessian.solve(gradient);
  EXPECT_EQ(gradient, (Values{3.0, 4.0}));
}

}  // namespace
}  // namespace adacvar
