#pragma once

#include <string>

namespace adacvar::cli {

/// A field of a CSV file, in quotes where it needs them.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with(' ') &&
      !text.ends_with(' ')) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace adacvar::cli
