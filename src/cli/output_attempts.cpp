#include "cli/output_attempts.hpp"

#include "cli/common_options.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

namespace adacvar::cli {

bool OutputAttempts::run(const std::function<void()>& write) {
  const bool is_first = first_ == nullptr;
  try {
    write();
    return true;
  } catch (const std::exception& error) {
    if (!is_first) print_message(fmt::format("adacvar: {}\n", error.what()));
    if (is_first) first_ = std::current_exception();
  } catch (...) {
    if (is_first) first_ = std::current_exception();
  }
  return false;
}

void OutputAttempts::check_checkpoints(std::span<const RunResult> results) {
  for (const RunResult& result : results) {
    if (result.checkpoint_error.empty()) continue;
    run([&] {
      throw OptionError(result.checkpoint_error + "; training continued without checkpoints");
    });
    return;  // those of one command share a folder
  }
}

void OutputAttempts::finish() const {
  if (first_) std::rethrow_exception(first_);
}

}  // namespace adacvar::cli
