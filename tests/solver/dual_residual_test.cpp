#include "solver/dual_residual.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace adacvar {
namespace {

std::vector<Index> all_rows(const Dataset& data) {
  std::vector<Index> rows(data.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// Large terms that cancel in pairs: the small ones are left, to within the error that is told.
TEST(DualResidual, keeps_the_digits_that_cancellation_leaves) {
  Rng rng(1);
  Dataset data = support::random_data(Task::regression, {.rows = 200, .features = 5}, rng);
  std::vector<Index> rows;
  std::vector<double> weights;
  std::vector<long double> expected(6);
  for (const Index row : all_rows(data)) {
    const double small = 1e-12 * rng.uniform();
    const double large = 1e6 * rng.uniform();
    for (const double weight : {large, small, -large}) {
      rows.push_back(row);
      weights.push_back(weight);
    }
    for (std::size_t f = 0; f < 5; ++f) {
      expected[f] += static_cast<long double>(small) * data.dense[5 * row + f];
    }
    expected[5] += small;
  }
  const std::vector<double> ones(rows.size(), 1.0);
  for (const bool sparse : {false, true}) {
    const Dataset other = sparse ? support::as_sparse(data, false, rng) : data;
    const Problem problem(other, Loss(LossKind::squared), {.threads = 2});
    const DualResidual found = dual_residual(problem, rows, weights, ones);
    double squares = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const double off =
          static_cast<double>(found.value(static_cast<Eigen::Index>(i)) - expected[i]);
      squares += off * off;
    }
    EXPECT_LE(std::sqrt(squares), found.error);
    EXPECT_LT(found.error, 1e-15);
  }
}

// The derivative of a row's own class is minus the sum of the others, however it is rounded.
TEST(DualResidual, own_classes_balance_the_others_exactly) {
  Rng rng(2);
  const Dataset data =
      support::random_data(Task::multiclass, {.rows = 50, .features = 2, .classes = 4}, rng);
  const Problem problem(data, Loss(LossKind::softmax), {});
  std::vector<double> slopes;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const std::size_t own = static_cast<std::size_t>(data.targets[i]);
    for (std::size_t c = 0; c < 4; ++c) slopes.push_back(c == own ? 99.0 : 0.3 * rng.uniform());
  }
  const std::vector<double> weights(data.rows, 0.1);
  const DualResidual found = dual_residual(problem, all_rows(data), weights, slopes);
  for (Eigen::Index i = 0; i < 3; ++i) {
    double sum = 0;
    for (Eigen::Index c = 0; c < 4; ++c) sum += found.value(3 * c + i);
    EXPECT_NEAR(sum, 0, 1e-15);
  }
}

}  // namespace
}  // namespace adacvar
