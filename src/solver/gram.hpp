#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// sum over the rows named of weights[r] * x x', x being a row of the data with a 1 behind it.
/// Weights may be negative; rows of weight 0 cost nothing. The sum is made in parts that do not
/// depend on the number of threads, so neither does the result; its last digits depend on the
/// instructions that the processor has.
///
/// Cost: O(rows * (features + 1)^2), for sparse data O(sum of squared entries); memory for up to 16
/// such matrices, or two of more than 2,000 features.
[[nodiscard]] Eigen::MatrixXd weighted_gram(const Dataset& data, std::span<const Index> rows,
                                            std::span<const double> weights, unsigned threads);

/// The features that are linear combinations of the intercept and of features before them, up to
/// the rounding of single precision, and the reference levels of categories. Looks at some rows
/// first, and at all of them only where these show one.
[[nodiscard]] std::vector<std::size_t> collinear_columns(const Dataset& data, unsigned threads);

/// Solves with a positive semidefinite matrix whose unknowns have units of their own: its diagonal
/// is scaled to ones, so that rounding treats all alike. It is raised a little, for one that is
/// nearly singular, and the solution refined to that of the matrix itself where rounding allows.
class ScaledFactor {
 public:
  void compute(Eigen::MatrixXd matrix) {
    scale_ = matrix.diagonal().unaryExpr(
        [](double entry) { return entry > 0 ? 1 / std::sqrt(entry) : 1.0; });
    matrix_ = scale_.asDiagonal() * matrix * scale_.asDiagonal();
    for (double raise = kRaise; raise < kMostRaise; raise *= 100) {
      matrix = matrix_;
      matrix.diagonal().array() += raise;
      factor_.compute(matrix);
      if (factor_.info() == Eigen::Success) return;
    }
  }

  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const {
    const Eigen::VectorXd scaled = scale_.cwiseProduct(right);
    Eigen::VectorXd solution = factor_.solve(scaled);
    for (int pass = 0; pass < kRefinements; ++pass) {
      solution += factor_.solve(scaled - matrix_ * solution);
    }
    return scale_.cwiseProduct(solution);
  }

 private:
  static constexpr double kRaise = 1e-12;
  static constexpr double kMostRaise = 1e3;
  static constexpr int kRefinements = 2;

  Eigen::VectorXd scale_;
  Eigen::MatrixXd matrix_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace adacvar
