#pragma once

#include "solver/dual_residual.hpp"
#include "solver/problem.hpp"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace adacvar {

/// Weights of some rows. A distribution of the problem has 0 <= weight <= cap(row), together with
/// low(row) at most 1; `fixed` entries at the end have weights that stay as they are, and may name
/// rows again: those of the mean's share.
struct RowWeights {
  std::vector<Index> rows;
  std::vector<double> weights;
  std::size_t fixed = 0;
};

/// Brings free weights within their limits: caps, and their sum.
void limit_weights(const Problem& problem, RowWeights& q);
/// Brings derivatives of the losses within the domain of the conjugate.
void limit_derivatives(const Problem& problem, std::span<const Index> rows,
                       std::span<double> derivatives);

/// A point of the dual, and what it proves.
///
/// For any derivatives u_r in the domain of the loss's conjugate L*,
///   sum q_r L_r(theta) >= sum q_r (u_r's_r - L*_r(u_r)) = rho'theta - sum q_r L*_r(u_r),
/// rho = sum q_r u_r (x) (x_r, 1), plus sum q_r u_r'o_r if rows have offsets o. So among models of
/// norm R at most the risk plus ridge/2 |weights|^2 is at least
///   - sum q_r L*_r(u_r) + min over |theta| <= R of (rho'theta + sum ridge_j theta_j^2 / 2),
/// and the last minimum is at least - sum rho_j^2 / (ridge_j + m) / 2 - m R^2 / 2 for every m > 0:
/// R |rho| without a ridge. All rounding errors are taken off. Losses are not negative, so weights
/// that exceed their limits are scaled down and still give a bound.
struct DualBound {
  RowWeights q;
  std::vector<double> derivatives;  ///< of several classes, those of a row add up to 0
  double value = 0;                 ///< sum q (u'offset - L*(u)), rounding taken off
  DualResidual rho = {};

  /// The bound; 0 where there is none.
  [[nodiscard]] double lower(const Problem& problem, double radius) const;
};

/// The best of points near one with these weights and derivatives, moved towards rho = - ridge *
/// theta, where the bound is tight; `enough`: the relative cost of what is left of it that ends
/// the search.
[[nodiscard]] DualBound dual_bound(const Problem& problem, RowWeights q,
                                   std::vector<double> derivatives, const Eigen::VectorXd& theta,
                                   double radius, double enough);

/// DualBound::value of weights and derivatives that are within their limits.
[[nodiscard]] double dual_value(const Problem& problem, const RowWeights& q,
                                std::span<const double> derivatives);

/// The radius of the models that a bound is about: `given`, or 100 times the larger of 1 and the
/// norm of `theta`.
[[nodiscard]] double radius_for(double given, const Eigen::VectorXd& theta);

}  // namespace adacvar
