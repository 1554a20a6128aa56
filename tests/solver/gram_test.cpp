#include "solver/gram.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace adacvar {
namespace {

Dataset make_data(std::size_t rows, std::size_t features, Rng& rng) {
  Dataset data;
  data.rows = rows;
  data.features = features;
  for (std::size_t i = 0; i < rows * features; ++i) {
    data.dense.push_back(static_cast<float>(rng.uniform() - 0.5));
  }
  return data;
}

// Leaves out entries, so that rows have different lengths.
Dataset make_sparse(const Dataset& dense, Dataset& thinned, Rng& rng) {
  Dataset sparse;
  sparse.rows = dense.rows;
  sparse.features = dense.features;
  sparse.start.push_back(0);
  thinned = dense;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t f = 0; f < dense.features; ++f) {
      float& value = thinned.dense[i * dense.features + f];
      if (rng.below(3) == 0) {
        value = 0;
        continue;
      }
      sparse.column.push_back(static_cast<std::uint32_t>(f));
      sparse.value.push_back(value);
    }
    sparse.start.push_back(sparse.column.size());
  }
  return sparse;
}

Eigen::MatrixXd plain_gram(const Dataset& data, const std::vector<Index>& rows,
                           const std::vector<double>& weights) {
  const auto size = static_cast<Eigen::Index>(data.features + 1);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Eigen::VectorXd x(size);
    for (std::size_t f = 0; f < data.features; ++f) {
      x(static_cast<Eigen::Index>(f)) =
          static_cast<double>(data.dense[rows[r] * data.features + f]);
    }
    x(size - 1) = 1;
    sum += weights[r] * x * x.transpose();
  }
  return sum;
}

TEST(Gram, equals_the_plain_sum_at_any_width_and_number_of_threads) {
  Rng rng(1);
  for (const std::size_t features : {1U, 3U, 7U, 8U, 11U, 50U}) {
    const Dataset data = make_data(3000, features, rng);
    for (const std::size_t count : {1U, 63U, 64U, 65U, 2500U}) {
      std::vector<Index> rows;
      std::vector<double> weights;
      for (std::size_t r = 0; r < count; ++r) {
        rows.push_back(rng.below(3000));
        weights.push_back(rng.uniform() - 0.3);
      }
      const Eigen::MatrixXd expected = plain_gram(data, rows, weights);
      const Eigen::MatrixXd found = weighted_gram(data, rows, weights, 1);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(count));
      EXPECT_EQ(found, weighted_gram(data, rows, weights, 3));
    }
  }
}

TEST(Gram, sparse_rows_give_the_same) {
  Rng rng(2);
  Dataset thinned;
  const Dataset sparse = make_sparse(make_data(200, 9, rng), thinned, rng);
  std::vector<Index> rows;
  std::vector<double> weights;
  for (Index r = 0; r < 200; r += 2) {
    rows.push_back(r);
    weights.push_back(rng.uniform());
  }
  const Eigen::MatrixXd difference =
      weighted_gram(sparse, rows, weights, 1) - plain_gram(thinned, rows, weights);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Gram, no_rows_give_zero) {
  Rng rng(3);
  const Dataset data = make_data(5, 2, rng);
  EXPECT_EQ(weighted_gram(data, {}, {}, 2), Eigen::MatrixXd::Zero(3, 3));
}

}  // namespace
}  // namespace adacvar
