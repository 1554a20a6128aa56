#include "run/time_limit.hpp"

namespace adacvar {

namespace {

constexpr std::chrono::milliseconds kPause{5};

}  // namespace

TimeLimit::TimeLimit(const std::atomic<bool>* user, double seconds)
    : user_(user),
      seconds_(seconds),
      watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

void TimeLimit::allow_until(double share) {
  const std::scoped_lock lock(mutex_);
  share_ = share;
  check();
}

void TimeLimit::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    check();
    wake_.wait_for(lock, stop, kPause, [] { return false; });
  }
}

void TimeLimit::check() {
  const double passed = std::chrono::duration<double>(Clock::now() - begin_).count();
  raised_ = is_stopped() || passed >= share_ * seconds_;
  raised_.notify_all();
}

}  // namespace adacvar
