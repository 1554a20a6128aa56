#include "cli/interrupt.hpp"

#include <csignal>

namespace adacvar::cli {

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may touch nothing else

void on_signal(int number) {
  interrupted = true;
  std::signal(number, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return interrupted;
}

}  // namespace adacvar::cli
