#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace adacvar {

/// A flag for work that can be stopped: raised when the user's flag is, or when time is over.
class TimeLimit {
 public:
  /// `user` may be null. `seconds` from now on; infinity: no limit.
  TimeLimit(const std::atomic<bool>* user, double seconds);

  /// Work that begins now may last until this share of the time; lowers the flag if that is later.
  void allow_until(double share);

  /// Raised at most 10 ms late.
  [[nodiscard]] const std::atomic<bool>& flag() const noexcept { return raised_; }
  [[nodiscard]] bool is_over() const noexcept { return raised_; }
  /// Stopped by the user, whatever the time.
  [[nodiscard]] bool is_stopped() const noexcept { return user_ != nullptr && *user_; }

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop);
  void check();

  const std::atomic<bool>* user_;
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  double share_ = 1;
  std::atomic<bool> raised_ = false;
  std::condition_variable_any wake_;
  std::jthread watcher_;
};

}  // namespace adacvar
