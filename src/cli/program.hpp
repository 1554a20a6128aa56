#pragma once

#include <adacvar/learner/network.hpp>

namespace adacvar::cli {

/// The whole program: reads the arguments, runs the command, prints one line for what went wrong
/// and returns the exit code. `networks`: null in the program that starts in milliseconds.
[[nodiscard]] int run_program(int count, char** arguments, const NetworkMaker* networks = nullptr);

}  // namespace adacvar::cli
