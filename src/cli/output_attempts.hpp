#pragma once

#include <adacvar/run/result.hpp>

#include <exception>
#include <functional>
#include <span>

namespace adacvar::cli {

/// Writes the outputs of a command; each is attempted even if another fails, so that a full disk
/// under the report does not lose the table or the model. `finish` throws the first error; later
/// errors go to standard error.
class OutputAttempts {
 public:
  /// Returns whether `write` succeeded.
  bool run(const std::function<void()>& write);

  /// Reports results whose training could not write its checkpoints.
  void check_checkpoints(std::span<const RunResult> results);

  /// Throws the first error, if there was one.
  void finish() const;

 private:
  std::exception_ptr first_;
};

}  // namespace adacvar::cli
