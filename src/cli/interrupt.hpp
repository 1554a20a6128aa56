#pragma once

#include <atomic>

namespace adacvar::cli {

/// Whether a watched signal has been received.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;

/// From now on the first SIGINT or SIGTERM sets the flag and the second ends the program; before
/// this call the first one ends it. SIGHUP only sets the flag: a closing terminal may send it
/// twice. A signal that was ignored at the start, as by nohup, stays ignored.
void watch_interrupts();

/// Acts as if `signal` had been received, if signals are watched; otherwise does nothing.
void interrupt_by(int signal) noexcept;

/// Thrown if a signal ends work that has no result to keep.
struct Interrupted {};

/// Throws Interrupted if a watched signal has been received.
void throw_if_interrupted();

/// Ends the program by the received signal, so that a shell or script sees it.
[[noreturn]] void end_by_interrupt();
[[noreturn]] void end_by_signal(int signal);

}  // namespace adacvar::cli
