#pragma once

#include "solver/problem.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace adacvar {

/// A law over some rows: 0 <= weights[r] <= 1 / (alpha N), adding up to 1.
struct RowLaw {
  std::vector<Index> rows;
  std::vector<double> weights;
};

/// Those that a bound is about.
enum class Models : std::uint8_t {
  all,
  held,  ///< without weight for features that depend on others: Problem::is_held
};

/// A lower bound of min over theta of sum_r q_r L_r(theta) + ridge/2 |weights|^2, and so of the
/// least CVaR, from slopes near those of the minimiser.
///
/// For any slopes u_r in the domain of the loss's conjugate L*,
///   sum q_r L_r(theta) >= sum q_r (u_r's_r - L*_r(u_r)) = rho'theta - sum q_r L*_r(u_r),
/// rho = sum q_r u_r (x) (x_r, 1). Slopes, and weights between 0 and their cap, are moved a little
/// so that rho vanishes where there is no ridge to pay for it (the intercepts always; all
/// parameters when ridge = 0); slopes are then kept in the domain by scaling towards 0. Rounding
/// leaves something of rho. The bound is that of a point nearby where nothing is left: it is proved
/// to exist, and the value there is at most so much less (Mobility). So the bound holds for models
/// of any size; where there is no proof, it is 0. Losses are not negative, so a law that adds up to
/// more than 1, or exceeds its cap, is scaled down and still gives a bound.
struct DualBound {
  double value = 0;
  RowLaw law;  ///< the one behind it
  std::vector<double> slopes;
};

/// `slopes` are those of the law's rows at `theta`.
[[nodiscard]] DualBound dual_bound(const Problem& problem, double alpha, const RowLaw& law,
                                   const std::vector<double>& slopes, const Eigen::VectorXd& theta,
                                   Models models);

}  // namespace adacvar
