#pragma once

#include "solver/problem.hpp"
#include "solver/solver_outcome.hpp"

namespace adacvar {

/// Least CVaR; see solve_exact.
[[nodiscard]] SolverOutcome minimise_cvar(const Problem& problem, const ExactOptions& options,
                                          const Start& start);

/// Least sum of q_r L_r + ridge/2 |weights|^2 for a law over the rows, its bound as the lower end
/// of the certificate and the value found as the upper. Newton's method, for losses that are not
/// smooth the interior-point method. `stop` may be null.
[[nodiscard]] SolverOutcome minimise_weighted(const Problem& problem, double alpha,
                                              const RowLaw& law, const Eigen::VectorXd& start,
                                              double tolerance, const std::atomic<bool>* stop);

/// What that minimises.
[[nodiscard]] double weighted_objective(const Problem& problem, const RowLaw& law,
                                        const Eigen::VectorXd& theta);

/// The minimiser alone, for a smooth loss.
[[nodiscard]] Eigen::VectorXd weighted_minimiser(const Problem& problem, const RowLaw& law,
                                                 const Eigen::VectorXd& start);

}  // namespace adacvar
