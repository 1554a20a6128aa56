#pragma once

#include <adacvar/base/communicator.hpp>

#include <chrono>
#include <cstddef>
#include <functional>

namespace adacvar {

/// Calls work(ranks) on `count` threads, each of which is a rank, and returns when all have ended.
/// When a rank throws, the others get a CommunicationError with its message from their next call;
/// its exception is rethrown. `deadline`: how long a rank waits for the others.
void run_on_threads(std::size_t count, const std::function<void(Communicator& ranks)>& work,
                    std::chrono::milliseconds deadline = std::chrono::minutes(1));

}  // namespace adacvar
