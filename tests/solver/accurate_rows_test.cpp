#include "solver/accurate_rows.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace adacvar {
namespace {

// Large terms that cancel exactly in pairs: the small ones are what is left.
TEST(AccurateRows, keeps_what_cancellation_leaves) {
  Rng rng(1);
  Dataset data = support::random_data(Task::regression, {.rows = 200, .features = 5}, rng);
  const Dataset sparse = support::as_sparse(data, true, rng);
  AccurateRows dense_sum(12);
  AccurateRows sparse_sum(12);
  std::vector<long double> expected(6);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double small = 1e-12 * rng.uniform();
    const double large = 1e6 * rng.uniform();
    for (const double factor : {large, small, -large}) {
      dense_sum.add(data, static_cast<Index>(i), factor, 6);
      sparse_sum.add(sparse, static_cast<Index>(i), factor, 6);
    }
    for (std::size_t f = 0; f < 5; ++f) {
      expected[f] += static_cast<long double>(small) * data.dense[5 * i + f];
    }
    expected[5] += small;
  }
  AccurateRows both(12);
  both.add(dense_sum);
  both.add(sparse_sum);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const auto exact = static_cast<double>(expected[static_cast<std::size_t>(i)]);
    EXPECT_EQ(dense_sum.value()(i), 0);
    EXPECT_NEAR(dense_sum.value()(6 + i), exact, 1e-22);
    EXPECT_NEAR(sparse_sum.value()(6 + i), exact, 1e-22);
    EXPECT_NEAR(both.value()(6 + i), 2 * exact, 1e-22);
  }
}

}  // namespace
}  // namespace adacvar
