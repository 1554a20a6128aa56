#pragma once

#include <string>

namespace adacvar::support {

/// The words of the `Error` that `call` throws; another exception passes, none gives this text.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace adacvar::support
