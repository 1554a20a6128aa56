#pragma once

#include "solver/problem.hpp"
#include "solver/solver_outcome.hpp"

#include <Eigen/Core>

#include <functional>

namespace adacvar {

/// Finds the optimum of a problem among the models that Problem::is_held allows.
using Solve = std::function<SolverOutcome(const Problem&, const Start&, double tolerance)>;

/// What a model is judged by.
using Objective = std::function<double(const Eigen::VectorXd&)>;

struct SolvedForAll {
  SolverOutcome found;
  DualBound all;  ///< of models that use features which depend on others, too
};

/// `solve` from `start`, and where that leaves a gap and there is no ridge, once more with features
/// that are nearly combinations of others in another form (RemadeColumns). So is found how much
/// lower large weights lead which fit what rounding left of features that depend on others.
[[nodiscard]] SolvedForAll solve_for_all(const Problem& problem, double alpha, double tolerance,
                                         const Start& start, const Solve& solve,
                                         const Objective& objective);

}  // namespace adacvar
