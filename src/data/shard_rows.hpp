#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/data/data_options.hpp>
#include "data/preprocess.hpp"
#include "data/sharded_rows.hpp"
#include "data/split.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Data of several ranks that is ready for training and evaluation; as PreparedData, with the rows
/// dealt to shards.
struct ShardedData {
  Preprocessor preprocessor;
  ShardedRows train;
  ShardedRows valid;
  ShardedRows test;
  SplitShares shares;
  DataFingerprint fingerprint;
  std::string source;
  std::vector<std::string> notes;
};

/// Gives the rows of each rank to the owners of their shards. Row i of `data` is row
/// `first_row + rows[i]` of the source, in increasing order.
/// Cost: a rank has its rows twice for a moment.
[[nodiscard]] ShardedRows shard_rows(Dataset data, std::span<const Index> rows,
                                     std::uint64_t first_row, std::size_t shards,
                                     Communicator& ranks);

/// Reads, splits, preprocesses and deals the rows of one file; every rank reads its own part.
/// Everything but the order of the rows is as prepare_data gives it on one rank.
/// Throws: as prepare_data; an error in one rank's part is thrown by that rank only.
[[nodiscard]] ShardedData prepare_sharded(const DataOptions& options, std::uint64_t seed,
                                          std::size_t shards, Communicator& ranks);

}  // namespace adacvar
