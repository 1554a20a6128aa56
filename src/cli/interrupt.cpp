#include "cli/interrupt.hpp"

#include <csignal>
#include <cstdlib>

namespace adacvar::cli {

namespace {

std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may touch nothing else

std::atomic<int> received = SIGINT;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  received = number;
  signalled = true;
  std::signal(number, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupted() noexcept { return signalled; }

void watch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void give_up_if_interrupted() {
  if (signalled) throw Interrupted{};
}

void end_by_interrupt() {
  std::signal(received, SIG_DFL);
  std::raise(received);
  std::abort();  // the signal is blocked
}

}  // namespace adacvar::cli
