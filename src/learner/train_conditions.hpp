#pragma once

#include <adacvar/base/options.hpp>

namespace adacvar {

/// Conditions under which training options have an effect.

/// Batches are drawn.
[[nodiscard]] inline Condition draws_batches() {
  return without("trees") && (with("algorithm", {"trunc", "soft", "mean"}) ||
                              (with("algorithm", {"adacvar"}) && without("information", {"full"})));
}

/// The learner takes gradient steps.
[[nodiscard]] inline Condition takes_steps() {
  return without("trees") && (with("algorithm", {"trunc", "soft", "mean"}) ||
                              (with("algorithm", {"adacvar"}) && without("learner", {"btl"})));
}

/// The learning rate is multiplied by `decay`.
[[nodiscard]] inline Condition decays_by_steps() {
  return with("lr-schedule", {"steps"}) ||
         (with("lr-schedule", {"auto"}) && takes_steps() && without("network"));
}

/// The game of adaptive sampler and learner can be followed.
[[nodiscard]] inline Condition follows_game() {
  return with("algorithm", {"adacvar"}) && without("information", {"full"}) && without("tune") &&
         without("network") && without("trees") && without("mean-budget") && without("cvar-limit");
}

}  // namespace adacvar
