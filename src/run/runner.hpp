#pragma once

#include <adacvar/run/run.hpp>
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

/// Runs on prepared data: training, risks, certificates and notes.
/// Throws: like check_tuning.
[[nodiscard]] RunReport run_prepared(const PreparedData& data, const RunOptions& options,
                                     std::span<const Algorithm> algorithms, const RunHooks& hooks);

}  // namespace adacvar
