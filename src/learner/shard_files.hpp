#pragma once

#include "sampler/sharded_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>

namespace adacvar {

/// The files beside a checkpoint with the states of its shards: one per rank that wrote it, with
/// the shards of that rank. They are read by any number of ranks.
struct ShardFiles {
  static constexpr std::uint64_t kNoEpoch = static_cast<std::uint64_t>(-1);

  std::filesystem::path checkpoint;
  std::uint64_t epoch = 0;
  std::uint64_t ranks = 0;  ///< that wrote them

  [[nodiscard]] std::filesystem::path part(std::size_t rank) const;
};

/// Writes the file of this rank atomically; `save` writes the state of an own shard.
/// Throws: OptionError if it cannot be written.
void write_shards(const ShardFiles& files, std::size_t rank, const ShardLayout& layout,
                  const std::function<void(std::size_t own, std::ostream& out)>& save);

/// Reads the own shards; `load` reads the state of one.
/// Throws: DataError, naming the file, if one is missing or damaged.
void read_shards(const ShardFiles& files, const ShardLayout& layout,
                 const std::function<void(std::size_t own, std::istream& in)>& load);

/// Removes the files of other epochs, as far as possible.
void remove_older(const ShardFiles& files) noexcept;

}  // namespace adacvar
