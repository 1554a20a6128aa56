#pragma once

#include <atomic>

namespace adacvar::cli {

/// From now on the first SIGINT or SIGTERM sets the flag, the second ends the program.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

}  // namespace adacvar::cli
