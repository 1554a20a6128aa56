#pragma once

#include <adacvar/run/run.hpp>
#include "data/prepare_data.hpp"

#include <span>
#include <vector>

namespace adacvar {

/// Trains and scores every algorithm, with the same data, budget and rule of selection, spread over
/// threads; the exact optimum last where there are several and certificates are wanted.
[[nodiscard]] std::vector<RunResult> run_all(const PreparedData& data, const RunOptions& options,
                                             const RunHooks& hooks,
                                             std::span<const Algorithm> algorithms);

/// Exact models for these tail shares, each started from the one before; in increasing order.
[[nodiscard]] std::vector<RunResult> run_path(const PreparedData& data, const RunOptions& options,
                                              const RunHooks& hooks, std::vector<double> alphas);

/// Everything after the data is prepared: training, risks, certificates and notes.
/// Throws: OptionError as check_tuning.
[[nodiscard]] RunReport run_prepared(const PreparedData& data, const RunOptions& options,
                                     std::span<const Algorithm> algorithms, const RunHooks& hooks);

}  // namespace adacvar
