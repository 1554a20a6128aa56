#include "solver/dependent_columns.hpp"

#include "solver/copy_row.hpp"
#include "solver/exact_rank.hpp"
#include "solver/gram.hpp"

#include <adacvar/base/index.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace adacvar {

namespace {

// Of a column's square: what is left when other columns are taken away. Single precision leaves
// 1e-15, and as much by way of each of the others; a Gram matrix has no more digits, either.
double least_left(std::size_t features) {
  return std::max(1e-13, 2e-15 * static_cast<double>(features));
}

std::vector<Index> every(std::size_t stride, std::size_t rows) {
  std::vector<Index> some;
  for (std::size_t i = 0; i < rows; i += stride) some.push_back(static_cast<Index>(i));
  return some;
}

/// Products of the columns over some rows, the intercept first, each column of length 1.
Eigen::MatrixXd products_of(const Dataset& data, const std::vector<Index>& rows, unsigned threads) {
  const std::vector<double> ones(rows.size(), 1.0);
  const Eigen::MatrixXd gram = weighted_gram(data, rows, ones, threads);
  const Eigen::Index size = gram.rows();
  const Eigen::VectorXd unit = gram.diagonal().unaryExpr(
      [](double square) { return square > 0 ? 1 / std::sqrt(square) : 0.0; });
  const Eigen::MatrixXd scaled = unit.asDiagonal() * gram * unit.asDiagonal();
  Eigen::MatrixXd products(size, size);
  products(0, 0) = 1;
  products.bottomRightCorner(size - 1, size - 1) = scaled.topLeftCorner(size - 1, size - 1);
  products.col(0).tail(size - 1) = scaled.col(size - 1).head(size - 1);
  products.row(0).tail(size - 1) = products.col(0).tail(size - 1).transpose();
  return products;
}

bool has_full_rank(const Eigen::MatrixXd& products, double least) {
  const Eigen::LLT<Eigen::MatrixXd> factor(products);
  if (factor.info() != Eigen::Success) return false;
  return factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > least;
}

}  // namespace

std::vector<std::uint32_t> dependent_columns(const Dataset& data, unsigned threads) {
  const std::size_t enough = std::max<std::size_t>(2000, 4 * data.features);
  const std::size_t stride = std::max<std::size_t>(1, data.rows / enough);
  if (data.features == 0) return {};
  Eigen::MatrixXd products = products_of(data, every(stride, data.rows), threads);
  const double least = least_left(data.features);
  if (has_full_rank(products, least)) return {};
  if (stride > 1) products = products_of(data, every(1, data.rows), threads);
  std::vector<std::uint32_t> features;
  for (const Eigen::Index column : passed_over(products, least)) {
    features.push_back(static_cast<std::uint32_t>(column - 1));
  }
  return features;
}

std::vector<bool> exactly_dependent_columns(const Dataset& data) {
  std::vector<bool> found =
      exactly_dependent(data.rows, data.features + 1, [&](std::size_t i, std::span<float> entries) {
        entries[0] = 1;
        copy_row(data, static_cast<Index>(i), entries.subspan(1));
      });
  found.erase(found.begin());
  return found;
}

// Cholesky's method. Row j of `factor` is column j in terms of the columns kept.
std::vector<Eigen::Index> passed_over(const Eigen::MatrixXd& products, double least) {
  const Eigen::Index size = products.rows();
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(size, size);
  std::vector<Eigen::Index> found;
  for (Eigen::Index j = 0; j < size; ++j) {
    const Eigen::VectorXd left =
        products.col(j).tail(size - j) -
        factor.bottomLeftCorner(size - j, j) * factor.row(j).head(j).transpose();
    if (left(0) > least) {
      factor.col(j).tail(size - j) = left / std::sqrt(left(0));
    } else {
      found.push_back(j);
    }
  }
  return found;
}

}  // namespace adacvar
