#pragma once

#include "solver/problem.hpp"

#include <Eigen/Core>

#include <span>

namespace adacvar {

/// A sum, and how far rounding may have led from it.
struct DualResidual {
  Eigen::VectorXd value;
  double error = 0;  ///< Euclidean norm
  double sizes = 0;  ///< of its terms: their Euclidean norms add up to at most this
};

/// rho = sum over `rows` of weights[r] * derivative (x) (x, 1), in twice the precision [ORO05].
/// Products weight * derivative count as rounded, as if the derivatives were off by half a digit;
/// with several classes that of a row's own is minus the exact sum of the others.
[[nodiscard]] DualResidual dual_residual(const Problem& problem, std::span<const Index> rows,
                                         std::span<const double> weights,
                                         std::span<const double> derivatives);

}  // namespace adacvar
