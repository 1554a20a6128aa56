#pragma once

#include <adacvar/run.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// Trains and judges every algorithm, with the same data, budget and rule of selection, spread over
/// threads; the exact optimum last where there are several and certificates are wanted.
[[nodiscard]] std::vector<RunResult> run_all(const PreparedData& data, const RunOptions& options,
                                             const RunHooks& hooks,
                                             std::span<const Algorithm> algorithms);

/// Exact models for these tail shares, each begun from the one before; in increasing order.
[[nodiscard]] std::vector<RunResult> run_path(const PreparedData& data, const RunOptions& options,
                                              const RunHooks& hooks, std::vector<double> alphas);

}  // namespace adacvar
