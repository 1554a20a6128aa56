#pragma once

#include "solver/dual_bound.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <Eigen/Core>

namespace adacvar {

/// What a solver found; the law is the one behind the bound.
struct SolverOutcome {
  Eigen::VectorXd theta;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
  std::uint64_t steps = 0;
  RowLaw law;
};

/// squared, huber, logistic, softmax; not absolute, pinball, hinge.
[[nodiscard]] bool is_smooth(const Loss& loss);

}  // namespace adacvar
