#pragma once

#include <exception>
#include <functional>

namespace adacvar::cli {

/// The outputs of a command, each written though another fails: a full disk under the report costs
/// neither the table nor the model. The first error is thrown when all have been tried; later ones
/// go to standard error.
class Attempts {
 public:
  /// Whether it succeeded.
  bool run(const std::function<void()>& write);

  /// Throws the first error, if there was one.
  void finish() const;

 private:
  std::exception_ptr first_;
};

}  // namespace adacvar::cli
