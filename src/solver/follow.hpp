#pragma once

#include "solver/interior_point.hpp"
#include "solver/solver_outcome.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

namespace adacvar {

struct FollowOptions {
  double alpha;
  double tolerance;
  std::uint64_t most_steps;
  const std::atomic<bool>* stop;
};

/// Steps until the certified gap is at most the tolerance; `objective` is what a model is judged
/// by.
[[nodiscard]] SolverOutcome follow(const Problem& problem, InteriorPoint& point,
                                   const FollowOptions& options,
                                   const std::function<double(const Eigen::VectorXd&)>& objective);

[[nodiscard]] bool is_within(const Certificate& certificate, double tolerance);

[[nodiscard]] inline bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// Of a model whose losses have all but vanished: the loss of a margin reaches 0 only far out.
[[nodiscard]] ExactStatus status_at_zero(const Problem& problem);

}  // namespace adacvar
