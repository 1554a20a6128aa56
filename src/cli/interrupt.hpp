#pragma once

#include <atomic>

namespace adacvar::cli {

/// Whether a watched signal has come.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;

/// From now on the first SIGINT or SIGTERM sets the flag, the second ends the program; until then
/// the first one does. SIGHUP sets it, too, however often it comes: a terminal that closes may send
/// it twice. A signal that the program was started to ignore, as by nohup, stays ignored.
void watch_interrupts();

/// As if `signal` had come, where signals are watched; otherwise nothing.
void interrupt_by(int signal) noexcept;

/// Thrown where a signal leaves nothing to keep.
struct Interrupted {};

/// Throws: Interrupted once a watched signal has come.
void give_up_if_interrupted();

/// Ends the program by the signal that came, so that a shell or script sees it.
[[noreturn]] void end_by_interrupt();
[[noreturn]] void end_by_signal(int signal);

}  // namespace adacvar::cli
