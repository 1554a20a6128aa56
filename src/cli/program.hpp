#pragma once

#include <adacvar/learner/network.hpp>

namespace adacvar::cli {

/// Runs the program: parses the arguments, runs the command, prints errors as one line and returns
/// the exit code. `networks` is null in `adacvar`, which is built without libtorch.
[[nodiscard]] int run_program(int count, char** arguments, const NetworkMaker* networks = nullptr);

}  // namespace adacvar::cli
