#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace adacvar {

/// Another rank failed, or did not answer within the deadline. The message names rank and host.
class CommunicationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Blocks of bytes, one per rank, behind each other in the order of the ranks.
struct GatheredBlocks {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> start;  ///< one per rank and the end

  [[nodiscard]] std::span<const std::byte> of(std::size_t rank) const {
    return std::span(bytes).subspan(start[rank], start[rank + 1] - start[rank]);
  }
};

/// Ranks that work on one job, each with its share of the rows: a single process
/// (SelfCommunicator), threads (ThreadCommunicator, for tests) or the processes of an MPI job
/// (MpiCommunicator).
///
/// Every function is collective: all ranks call the same functions in the same order with arguments
/// of the same sizes, except where blocks may differ. It is handed to the code that needs it; there
/// is no global one. Throws: CommunicationError when another rank has failed or does not answer
/// within the deadline of the communicator.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;

  /// Gathers a block of each rank; blocks have the same length, `all` that of all of them.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Gathers blocks that may differ in length.
  [[nodiscard]] virtual GatheredBlocks all_gather(std::span<const std::byte> mine) = 0;
  /// Gives block r of `to` to rank r, and returns the blocks that the ranks have for this one.
  [[nodiscard]] virtual GatheredBlocks exchange(const GatheredBlocks& to) = 0;
  /// Copies `data` of rank `root` to all ranks.
  virtual void broadcast(std::span<std::byte> data, std::size_t root) = 0;
  /// Replaces values by their sums over the ranks. Sums of integers are exact; those of doubles are
  /// the same on all ranks, but their last digits depend on the number of ranks.
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<double> values) = 0;
};

}  // namespace adacvar
