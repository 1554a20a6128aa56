#pragma once

#include <atomic>

namespace adacvar::cli {

/// From now on the first SIGINT or SIGTERM sets the flag, the second ends the program.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

/// Thrown where a signal leaves nothing to keep.
struct Interrupted {};

/// Throws: Interrupted once a watched signal has come.
void give_up_if_interrupted();

/// Ends the program by the signal that came, so that a shell or script sees it.
[[noreturn]] void end_by_interrupt();

}  // namespace adacvar::cli
