#pragma once

#include "learner/linear_backend.hpp"
#include "learner/training_loop.hpp"

namespace adacvar {

/// Losses with bounded derivatives stay finite even if a run diverges. A working run does not end
/// with a mean loss above ten times its initial CVaR.
template <class Rows>
bool has_run_away(const LinearModel& model, const LinearModel& start, const Rows& rows,
                  double alpha) {
  const auto end = rows.training_risk(model, alpha);
  const auto begin = rows.training_risk(start, alpha);
  return !(end && begin && end->mean <= 10 * begin->cvar);
}

/// Trains by the loop; `options` are resolved.
template <class Rows>
TrainResult train_linear(Rows& rows, const Loss& loss, const TrainOptions& options,
                         const TrainHooks& hooks, LinearBackend& backend) {
  const LinearModel start = backend.model();
  TrainResult result = TrainingLoop(rows, loss, options, hooks, backend).run();
  if (has_run_away(result.model, start, rows, options.alpha)) {
    result.model = start;
    result.stop_reason = StopReason::diverged;
  }
  return result;
}

}  // namespace adacvar
