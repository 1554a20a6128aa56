#pragma once

#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace adacvar {

/// Runs the blocks of an input through these functions of `Steps`, on several threads without a
/// barrier between blocks:
///
///     bool cut(Block&)            the next block; false at the end of the input. In order.
///     bool work(Block&)           on any thread; false: the blocks after this one are not needed.
///     void take(Block&, lane)     for every lane, in order; several lanes at once.
///     void finish(Block&)         after the last lane. In order.
///     void report()               now and then on the calling thread.
///
/// `cut` and `finish` never run at the same time. Blocks are reused: at most `most_blocks` exist.
/// An exception of any function ends the run and is rethrown.
template <class Block, class Steps>
class BlockPipeline {
 public:
  BlockPipeline(Steps& steps, std::size_t most_blocks, std::size_t lanes)
      : steps_(steps), slots_(most_blocks), lanes_(lanes) {
    assert(most_blocks > 0 && lanes > 0);
  }

  void run(std::size_t threads) {
    const std::size_t workers = std::min(threads, slots_.size());
    const std::thread::id caller = std::this_thread::get_id();
    for_each_block(workers, static_cast<unsigned>(workers), [&](std::size_t worker) {
      try {
        // Workers begin with different lanes, so that they seldom wait for each other.
        while (run_block(worker * lanes_.size() / workers)) {
          if (std::this_thread::get_id() == caller) steps_.report();
        }
      } catch (...) {
        stop();
        throw;
      }
    });
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Slot {
    Block block;
    bool is_used = false;
    std::atomic<std::size_t> worked{kNone};  // number of the block that is ready for the lanes
    std::atomic<std::size_t> lanes_left{0};
  };
  struct Lane {
    std::mutex mutex;
    std::size_t next = 0;
  };

  [[nodiscard]] Slot& slot_of(std::size_t number) { return slots_[number % slots_.size()]; }

  void stop() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  bool run_block(std::size_t first_lane) {
    std::size_t number = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || !slot_of(next_).is_used; });
      if (stopped_) return false;
      if (!steps_.cut(slot_of(next_).block)) {
        stopped_ = true;
        changed_.notify_all();
        return false;
      }
      slot_of(next_).is_used = true;
      number = next_++;
    }
    Slot& slot = slot_of(number);
    if (!steps_.work(slot.block)) stop();
    slot.lanes_left = lanes_.size();
    slot.worked.store(number, std::memory_order_release);
    for (std::size_t l = 0; l < lanes_.size(); ++l) advance((first_lane + l) % lanes_.size());
    return true;
  }

  // Gives a lane all blocks that are ready for it. Whoever makes the lane's next block ready comes
  // here afterwards, so none is forgotten.
  void advance(std::size_t lane) {
    const std::scoped_lock lock(lanes_[lane].mutex);
    std::size_t& next = lanes_[lane].next;
    for (; slot_of(next).worked.load(std::memory_order_acquire) == next; ++next) {
      Slot& slot = slot_of(next);
      steps_.take(slot.block, lane);
      if (--slot.lanes_left == 0) release(slot);
    }
  }

  void release(Slot& slot) {
    const std::scoped_lock lock(mutex_);
    slot.is_used = false;
    for (; finished_ < next_ && !slot_of(finished_).is_used; ++finished_) {
      steps_.finish(slot_of(finished_).block);
    }
    changed_.notify_all();
  }

  Steps& steps_;
  std::vector<Slot> slots_;
  std::vector<Lane> lanes_;
  std::mutex mutex_;  // of what follows, and of is_used
  std::condition_variable changed_;
  std::size_t next_ = 0;      // block to be cut
  std::size_t finished_ = 0;  // blocks before it are finished
  bool stopped_ = false;
};

}  // namespace adacvar
