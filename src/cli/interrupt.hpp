#pragma once

#include <atomic>

namespace adacvar::cli {

/// Whether a watched signal has come.
[[nodiscard]] const std::atomic<bool>& interrupted() noexcept;

/// From now on the first SIGINT or SIGTERM sets the flag, the second ends the program; until then
/// the first one does.
void watch_interrupts();

/// Thrown where a signal leaves nothing to keep.
struct Interrupted {};

/// Throws: Interrupted once a watched signal has come.
void give_up_if_interrupted();

/// Ends the program by the signal that came, so that a shell or script sees it.
[[noreturn]] void end_by_interrupt();

}  // namespace adacvar::cli
