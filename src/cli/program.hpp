#pragma once

namespace adacvar::cli {

/// The whole program: reads the arguments, runs the command, prints one line for what went wrong
/// and returns the exit code.
[[nodiscard]] int run_program(int count, char** arguments);

}  // namespace adacvar::cli
