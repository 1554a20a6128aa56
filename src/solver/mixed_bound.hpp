#pragma once

#include "solver/dual_bound.hpp"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace adacvar {

/// A point of the dual row by row: fixed and free weights added up.
struct DualRows {
  std::vector<double> weights;   ///< one for each row of the data
  std::vector<double> products;  ///< with the derivatives
  DualResidual rho = {};

  DualRows(const Problem& problem, const DualBound& bound);
};

/// A model and its losses on all rows.
struct EvaluatedModel {
  Eigen::VectorXd theta;
  std::vector<double> losses;
};

/// When to stop looking for a better bound.
struct BoundGoal {
  double enough;        ///< no more is needed
  double hopeless = 0;  ///< a mixture that proves less than this will not become enough
};

/// A bound, without its point, for a risk between two others: from the mixture (1 - share) one +
/// share other of points that solve those, and `near`, a model that nearly minimises this one.
///
/// For each row the bound is concave in the weight and its products with the derivatives, so the
/// mixture proves at least the mixture of both bounds. It lacks what rows that pass the level of
/// the tail, or the kink of their loss, between the two solutions have in the middle: for these,
/// `near` tells the side, and those next to the border balance the rest. Cost: passes over the rows
/// without their features, and a few Gram matrices of the rows that pass; only the first of these
/// if the mixture proves `enough` for models up to `radius`, or is hopeless.
[[nodiscard]] DualBound mixed_bound(const Problem& problem, const DualRows& one,
                                    const DualRows& other, double share, const EvaluatedModel& near,
                                    double radius, const BoundGoal& goal);

}  // namespace adacvar
