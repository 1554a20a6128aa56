#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cmath>

namespace adacvar {

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
