#pragma once

#include <adacvar/run/run.hpp>
#include "data/split.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace adacvar {

/// The data of a run, as far as a checkpoint depends on it.
struct DataIdentity {
  SplitShares shares;
  std::string crc64;  ///< of all rows, before the split
  std::uint64_t train_rows = 0;
  std::uint64_t valid_rows = 0;
  std::uint64_t features = 0;
};

/// Returns everything that must match for a checkpoint to resume, as text.
[[nodiscard]] std::string run_identity(const RunOptions& options, const TrainOptions& train,
                                       const DataIdentity& data);

}  // namespace adacvar
