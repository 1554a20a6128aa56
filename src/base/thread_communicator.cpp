#include "base/thread_communicator.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

using Bytes = std::span<const std::byte>;

/// What the ranks share: the block that each shows to the others, and a barrier.
class Board {
 public:
  Board(std::size_t ranks, std::chrono::milliseconds deadline)
      : blocks(ranks), deadline_(deadline) {}

  /// Waits until all ranks are here. Throws: CommunicationError.
  void meet() {
    std::unique_lock lock(mutex_);
    refuse_if_failed();
    const std::size_t met = arrive();
    if (met == times_met_) {
      const bool in_time =
          changed_.wait_for(lock, deadline_, [&] { return met != times_met_ || failed_; });
      if (!in_time) {
        set_failure("a rank did not answer within " + std::to_string(deadline_.count()) + " ms");
      }
    }
    if (met == times_met_) refuse_if_failed();
  }
  /// Waits until no rank reads blocks any more: all of them come here, whatever happens.
  void part() noexcept {
    std::unique_lock lock(mutex_);
    const std::size_t met = arrive();
    changed_.wait(lock, [&] { return met != times_met_; });
  }
  void fail(std::size_t rank, const std::string& message) {
    const std::scoped_lock lock(mutex_);
    set_failure("rank " + std::to_string(rank) + ": " + message);
  }

  std::vector<const GatheredBlocks*> blocks;  ///< of each rank

 private:
  std::size_t arrive() noexcept {
    const std::size_t met = times_met_;
    if (++arrived_ == blocks.size()) {
      arrived_ = 0;
      ++times_met_;
      changed_.notify_all();
    }
    return met;
  }
  void set_failure(std::string message) {
    if (!failed_) failure_ = std::move(message);
    failed_ = true;
    changed_.notify_all();
  }
  void refuse_if_failed() const {
    if (failed_) throw CommunicationError(failure_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  std::size_t times_met_ = 0;
  bool failed_ = false;
  std::string failure_;
  std::chrono::milliseconds deadline_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Board& board, std::size_t rank) : board_(board), rank_(rank) {}

  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return board_.blocks.size(); }

  void all_gather(Bytes mine, std::span<std::byte> all) override {
    share(mine, [&](std::size_t from, Bytes block) {
      if (block.size() * size() != all.size()) {
        throw CommunicationError("all_gather: ranks differ in the size of their blocks");
      }
      std::ranges::copy(block, all.begin() + static_cast<std::ptrdiff_t>(from * block.size()));
    });
  }
  [[nodiscard]] GatheredBlocks all_gather(Bytes mine) override {
    GatheredBlocks all{{}, {0}};
    share(mine, [&](std::size_t, Bytes block) { append(block, all); });
    return all;
  }
  [[nodiscard]] GatheredBlocks exchange(const GatheredBlocks& to) override {
    GatheredBlocks all{{}, {0}};
    show(to, [&](std::size_t, const GatheredBlocks& blocks) { append(blocks.of(rank_), all); });
    return all;
  }
  void broadcast(std::span<std::byte> data, std::size_t root) override {
    const Bytes mine = rank_ == root ? Bytes(data) : Bytes();
    std::vector<std::byte> received;
    share(mine, [&](std::size_t from, Bytes block) {
      if (from == root) received.assign(block.begin(), block.end());
    });
    if (received.size() != data.size()) {
      throw CommunicationError("broadcast: ranks differ in the size of the data");
    }
    std::ranges::copy(received, data.begin());
  }
  void sum(std::span<std::int64_t> values) override { add(values); }
  void sum(std::span<double> values) override { add(values); }

 private:
  static void append(Bytes block, GatheredBlocks& all) {
    all.bytes.insert(all.bytes.end(), block.begin(), block.end());
    all.start.push_back(all.bytes.size());
  }
  template <class Number>
  void add(std::span<Number> values) {
    std::vector<Number> total(values.size());
    std::vector<Number> terms(values.size());
    share(std::as_bytes(values), [&](std::size_t, Bytes block) {
      if (block.size() != values.size_bytes()) {
        throw CommunicationError("sum: ranks differ in the number of values");
      }
      if (!block.empty()) std::memcpy(terms.data(), block.data(), block.size());
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += terms[i];
    });
    std::ranges::copy(total, values.begin());
  }
  template <class Use>
  void share(Bytes mine, const Use& use) {
    const GatheredBlocks block{{mine.begin(), mine.end()}, {0, mine.size()}};
    show(block, [&](std::size_t from, const GatheredBlocks& blocks) { use(from, blocks.of(0)); });
  }
  /// Shows blocks to the others and reads those of all ranks, in their order.
  template <class Use>
  void show(const GatheredBlocks& mine, const Use& use) {
    board_.blocks[rank_] = &mine;
    board_.meet();
    struct Parting {
      Board& board;
      explicit Parting(Board& shared) : board(shared) {}
      Parting(const Parting&) = delete;
      Parting& operator=(const Parting&) = delete;
      ~Parting() { board.part(); }
    } const parting(board_);
    for (std::size_t from = 0; from < size(); ++from) use(from, *board_.blocks[from]);
  }

  Board& board_;
  std::size_t rank_;
};

}  // namespace

void run_on_threads(std::size_t count, const std::function<void(Communicator& ranks)>& work,
                    std::chrono::milliseconds deadline) {
  Board board(count, deadline);
  std::mutex mutex;
  std::exception_ptr first;
  const auto fail = [&](std::size_t rank, const std::string& message) {
    {
      const std::scoped_lock lock(mutex);
      if (!first) first = std::current_exception();
    }
    board.fail(rank, message);
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadCommunicator ranks(board, rank);
        try {
          work(ranks);
        } catch (const std::exception& error) {
          fail(rank, error.what());
        } catch (...) {
          fail(rank, "unknown error");
        }
      });
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace adacvar
