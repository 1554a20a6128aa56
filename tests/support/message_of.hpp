#pragma once

#include <string>

namespace adacvar::support {

/// Returns the message of the `Error` that `call` throws, or this text if it throws nothing; other
/// exceptions propagate.
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
