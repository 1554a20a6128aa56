#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/run/run.hpp>

#include <cstddef>

namespace adacvar {

/// Reads, splits and deals the data over the ranks, trains one linear model and evaluates it; as
/// `run`, and collective. The report is the same on all ranks and for any number of them, but for
/// the time. Its draws, which depend on `shards`, are not those of `run`.
///
/// Not computed: AUC, calibration error, certificates.
/// Throws: as run; OptionError for what is not supported on several ranks.
[[nodiscard]] RunReport run_sharded(const RunOptions& options, const RunHooks& hooks,
                                    std::size_t shards, Communicator& ranks);

}  // namespace adacvar
