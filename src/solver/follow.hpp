#pragma once

#include "solver/interior_point.hpp"
#include "solver/solver_outcome.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace adacvar {

struct FollowOptions {
  double alpha;
  double tolerance;
  double rounding;  ///< as in Certificate
  /// By a model that is known; proving that it is the least will do.
  double attained = std::numeric_limits<double>::infinity();
  std::uint64_t most_steps;
  const std::atomic<bool>* stop;
};

/// Steps until the certified gap is at most the tolerance; `objective` is what a model is judged
/// by.
[[nodiscard]] SolverOutcome follow(const Problem& problem, InteriorPoint& point,
                                   const FollowOptions& options,
                                   const std::function<double(const Eigen::VectorXd&)>& objective);

/// Whether the relative gap is at most the tolerance, or the gap at most the certificate's
/// rounding: ExactStatus::optimal.
[[nodiscard]] bool is_within(const Certificate& certificate, double tolerance);

[[nodiscard]] inline bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// Of a model whose losses have all but vanished: the loss of a margin reaches 0 only far out.
[[nodiscard]] ExactStatus status_at_zero(const Problem& problem);

/// The status that a certificate allows to end with, if any.
[[nodiscard]] std::optional<ExactStatus> ending(const Problem& problem,
                                                const Certificate& certificate, double tolerance);

}  // namespace adacvar
