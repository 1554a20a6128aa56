#pragma once

#include "solver/dual_bound.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace adacvar {

/// Where to begin, and how far from the optimum that may be.
struct Start {
  Eigen::VectorXd theta;
  double gap = 0;  // 0: not known
};

/// What a solver found among the models that give features which depend on others no weight
/// (Models::held); law and slopes are those behind the bound.
struct SolverOutcome {
  Eigen::VectorXd theta;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
  std::uint64_t steps = 0;
  RowLaw law;
  std::vector<double> slopes;
  Start last;  // of the interior points: near the path, which theta need not be

  void keep_better(DualBound bound) {
    if (!law.rows.empty() && bound.value <= certificate.lower) return;
    certificate.lower = bound.value;
    law = std::move(bound.law);
    slopes = std::move(bound.slopes);
  }
};

/// squared, huber, logistic, softmax; not absolute, pinball, hinge.
[[nodiscard]] bool is_smooth(const Loss& loss);

}  // namespace adacvar
