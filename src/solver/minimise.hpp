#pragma once

#include "solver/dual_bound.hpp"
#include "solver/problem.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <Eigen/Core>

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace adacvar {

/// Where to begin, and how far from the optimum that may be.
struct Start {
  Eigen::VectorXd theta;
  double gap = 0;   // 0: not known
  double room = 2;  // how many tails of the worst rows to begin with
};

struct SearchOptions {
  double tolerance = 1e-6;
  double radius = 0;  ///< as in ExactOptions
  std::uint64_t most_steps = 1000;
  const std::atomic<bool>* stop = nullptr;  ///< may be null
};

/// The best model and the best bound found so far.
struct SolverOutcome {
  Eigen::VectorXd theta;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
  std::uint64_t steps = 0;
  DualBound dual;
  Start last;  // of the interior points: near the path, which theta need not be

  /// Keep what is better. The radius, and with it the bound, follow the model.
  void offer(const Problem& problem, const SearchOptions& options, const Eigen::VectorXd& model,
             double upper);
  void offer(const Problem& problem, const SearchOptions& options, DualBound bound);

 private:
  void refresh(const Problem& problem, const SearchOptions& options);
};

/// Least risk of all rows; see solve_exact.
[[nodiscard]] SolverOutcome minimise_cvar(const Problem& problem, const SearchOptions& options,
                                          const Start& start);

/// Least sum of q_r L_r + ridge/2 |weights|^2 for a distribution over the rows, its bound as the
/// lower end of the certificate and the value found as the upper. Newton's method, for losses that
/// are not smooth the interior-point method.
[[nodiscard]] SolverOutcome minimise_weighted(const Problem& problem, const RowWeights& q,
                                              const Eigen::VectorXd& start,
                                              const SearchOptions& options);

/// The minimiser alone, for a smooth loss.
[[nodiscard]] Eigen::VectorXd weighted_minimiser(const Problem& problem, const RowWeights& q,
                                                 const Eigen::VectorXd& start);

/// Rows whose loss is taken to be linear in the score: weights and derivatives that stay.
struct LinearRows {
  RowWeights q;
  std::vector<double> derivatives;
};

/// Steps of the interior-point method for these costs, and linear rows if there are any, until the
/// certified gap is at most the tolerance, or that of the constant model, if its risk is given.
[[nodiscard]] SolverOutcome follow_path(
    const Problem& problem, const RowWeights& costs, const Start& start,
    const SearchOptions& options, double rounding,
    double constant_risk = std::numeric_limits<double>::infinity(), const LinearRows& rest = {});

/// The risk of those rows: the largest q'L for weights within the costs.
[[nodiscard]] double risk_of(const Problem& problem, const RowWeights& costs,
                             std::span<const double> losses);

/// Whether the relative gap is at most the tolerance, or the gap at most the certificate's
/// rounding: ExactStatus::optimal.
[[nodiscard]] bool is_within(const Certificate& certificate, double tolerance);

[[nodiscard]] inline bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// Status of a model whose losses have all but vanished: the loss of a margin reaches 0 only far
/// out.
[[nodiscard]] ExactStatus status_at_zero(const Problem& problem);

/// The status that a certificate allows to end with, if any.
[[nodiscard]] std::optional<ExactStatus> ending(const Problem& problem,
                                                const Certificate& certificate, double tolerance);

}  // namespace adacvar
