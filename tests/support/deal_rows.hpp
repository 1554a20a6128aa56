#pragma once

#include <adacvar/base/communicator.hpp>
#include "data/sharded_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace adacvar::support {

/// Appends row i of `from` to `to`, whose features are the same.
inline void append_row(const Dataset& from, std::size_t i, Dataset& to) {
  if (from.is_sparse()) {
    if (to.start.empty()) to.start = {0};
    for (std::size_t e = from.start[i]; e < from.start[i + 1]; ++e) {
      to.column.push_back(from.column[e]);
      if (!from.value.empty()) to.value.push_back(from.value[e]);
    }
    to.start.push_back(to.column.size());
  } else {
    const auto row = from.dense.begin() + static_cast<std::ptrdiff_t>(i * from.features);
    to.dense.insert(to.dense.end(), row, row + static_cast<std::ptrdiff_t>(from.features));
  }
  if (!from.targets.empty()) to.targets.push_back(from.targets[i]);
  if (!from.weights.empty()) to.weights.push_back(from.weights[i]);
  ++to.rows;
}

/// The rows of `all` that belong to a rank.
inline ShardedRows deal_rows(const Dataset& all, const Communicator& ranks,
                             std::size_t shards = kDefaultShards) {
  ShardedRows part;
  part.data.features = all.features;
  part.data.task = all.task;
  part.data.class_names = all.class_names;
  part.data.target_error = all.target_error;
  if (all.is_sparse()) part.data.start = {0};
  part.shards = shards;
  part.total_rows = all.rows;
  part.first_shard = first_shard_of(ranks.rank(), ranks.size(), shards);
  const std::size_t end = first_shard_of(ranks.rank() + 1, ranks.size(), shards);
  for (std::size_t shard = part.first_shard; shard < end; ++shard) {
    for (std::size_t i = 0; i < all.rows; ++i) {
      if (shard_of(i, shards) != shard) continue;
      append_row(all, i, part.data);
      part.row.push_back(i);
    }
    part.shard_start.push_back(part.data.rows);
  }
  return part;
}

}  // namespace adacvar::support
