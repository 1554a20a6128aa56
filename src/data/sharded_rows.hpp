#pragma once

#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adacvar {

inline constexpr std::size_t kDefaultShards = 64;

/// Rows of a dataset that are distributed over ranks. Rows are dealt to a fixed number of shards by
/// a hash of their number, and every rank owns consecutive shards: so a shard has the same rows in
/// the same order whatever the number of ranks.
struct ShardedRows {
  Dataset data;                    ///< this rank's rows, by shard, then by row number
  std::vector<std::uint64_t> row;  ///< number of each row in the source, from 0
  std::size_t shards = 0;          ///< of all ranks
  std::size_t first_shard = 0;     ///< of this rank
  /// Place in `data` of the first row of each shard of this rank, and the end.
  std::vector<std::size_t> shard_start = {0};
  std::uint64_t total_rows = 0;  ///< of all ranks
};

/// Returns the shard of a row.
[[nodiscard]] constexpr std::size_t shard_of(std::uint64_t row, std::size_t shards) noexcept {
  // The finaliser of SplitMix64: neighbours land far apart.
  std::uint64_t hash = row + 0x9e37'79b9'7f4a'7c15U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return static_cast<std::size_t>((hash ^ (hash >> 31U)) % shards);
}

/// Returns the first shard of a rank; that of rank `ranks` is the end.
[[nodiscard]] constexpr std::size_t first_shard_of(std::size_t rank, std::size_t ranks,
                                                   std::size_t shards) noexcept {
  return (rank * shards + ranks - 1) / ranks;
}

/// Returns the rank that owns a shard.
[[nodiscard]] constexpr std::size_t rank_of_shard(std::size_t shard, std::size_t ranks,
                                                  std::size_t shards) noexcept {
  return shard * ranks / shards;
}

}  // namespace adacvar
