#pragma once

#include "solver/problem.hpp"

#include <Eigen/Core>

#include <span>

namespace adacvar {

/// A law over some rows: 0 <= weights[r] <= 1 / (alpha N), adding up to 1.
struct RowLaw {
  std::vector<Index> rows;
  std::vector<double> weights;
};

/// A lower bound of min over theta of sum_r q_r L_r(theta) + ridge/2 |weights|^2, and so of the
/// least CVaR, from slopes near those of the minimiser.
///
/// For any slopes u_r in the domain of the loss's conjugate L*,
///   sum q_r L_r(theta) >= sum q_r (u_r's_r - L*_r(u_r)) = rho'theta - sum q_r L*_r(u_r),
/// rho = sum q_r u_r (x) (x_r, 1). Slopes, and weights between 0 and their cap, are moved a little
/// so that rho vanishes where there is no ridge to pay for it (the intercepts always; all
/// parameters when ridge = 0); slopes are then kept in the domain by scaling towards 0. What
/// rounding leaves of rho counts times `radius`: the bound holds for all models with parameters of
/// at most that norm. So does what is left of rho where a feature depends on others, whose weight
/// stays 0. Losses are not negative, so a law that adds up to more than 1, or exceeds its
/// cap, is scaled down and still gives a bound.
struct DualBound {
  double value = 0;
  double radius = 0;
  double held = 0;  ///< what the value would be more if no feature depended on others
  RowLaw law;       ///< the one behind it
};

/// `slopes` are those of the law's rows at `theta`, which also sets the radius, 1e4 (1 + |theta|),
/// or 1e2 where features depend on others: a hundred times more is what rounding can be fitted by.
[[nodiscard]] DualBound dual_bound(const Problem& problem, double alpha, const RowLaw& law,
                                   const std::vector<double>& slopes, const Eigen::VectorXd& theta);

}  // namespace adacvar
