#include "cli/interrupt.hpp"

#include <csignal>
#include <cstdlib>

namespace adacvar::cli {

namespace {

std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may use only these

std::atomic<int> received = SIGINT;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  received = number;
  signalled = true;
  if (number != SIGHUP) std::signal(number, SIG_DFL);
}

void watch(int number) {
  if (std::signal(number, on_signal) == SIG_IGN) std::signal(number, SIG_IGN);
}

std::atomic<bool> watching = false;

}  // namespace

const std::atomic<bool>& interrupted() noexcept { return signalled; }

void watch_interrupts() {
  watching = true;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) watch(number);
}

void interrupt_by(int signal) noexcept {
  if (!watching || signalled) return;
  received = signal;
  signalled = true;
}

void throw_if_interrupted() {
  if (signalled) throw Interrupted{};
}

void end_by_interrupt() { end_by_signal(received); }

void end_by_signal(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();  // the signal is blocked
}

}  // namespace adacvar::cli
