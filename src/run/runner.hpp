#pragma once

#include <adacvar/run/run.hpp>
#include <adacvar/solver/exact_cvar.hpp>
#include "data/prepare_data.hpp"

#include <span>
#include <vector>

namespace adacvar {

/// Trains and scores every algorithm with the same data, budget and selection rule, in parallel;
/// the exact optimum is last, if there are several algorithms and certificates are computed.
[[nodiscard]] std::vector<RunResult> run_all(const PreparedData& data, const RunOptions& options,
                                             const RunHooks& hooks,
                                             std::span<const Algorithm> algorithms);

/// Returns exact models for these tail shares, in increasing order.
[[nodiscard]] std::vector<RunResult> run_path(const PreparedData& data, const RunOptions& options,
                                              const RunHooks& hooks, std::vector<double> alphas);

/// An exact solution, in the learner's units.
struct SolvedModel {
  TrainOptions options;
  LinearModel model;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
};

/// Scores solutions on the training, validation and test rows, in their order; no details.
[[nodiscard]] std::vector<RunResult> score_solved(const PreparedData& data,
                                                  const RunOptions& options, const RunHooks& hooks,
                                                  std::span<const SolvedModel> solved);

/// Trains trees for the mean and for the tail once each, and scores their mixtures with these
/// shares of the tail's trees (RunResult::blend). Empty if it is interrupted.
[[nodiscard]] std::vector<RunResult> run_mixtures(const PreparedData& data,
                                                  const RunOptions& options, const RunHooks& hooks,
                                                  std::span<const double> shares);

/// Options of the data for the model of a run.
[[nodiscard]] DataOptions data_options(const RunOptions& options);

/// Runs on prepared data: training, risks, certificates and notes.
/// Throws: like check_tuning.
[[nodiscard]] RunReport run_prepared(const PreparedData& data, const RunOptions& options,
                                     std::span<const Algorithm> algorithms, const RunHooks& hooks);

}  // namespace adacvar
