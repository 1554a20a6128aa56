#pragma once

#include "solver/dual_bound.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <Eigen/Core>

namespace adacvar {

/// Where to begin, and how far from the optimum that may be.
struct Start {
  Eigen::VectorXd theta;
  double gap = 0;  // 0: not known
};

/// What a solver found; the law is the one behind the bound.
struct SolverOutcome {
  Eigen::VectorXd theta;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
  std::uint64_t steps = 0;
  RowLaw law;
  Start last;  // of the interior points: near the path, which theta need not be
};

/// squared, huber, logistic, softmax; not absolute, pinball, hinge.
[[nodiscard]] bool is_smooth(const Loss& loss);

}  // namespace adacvar
