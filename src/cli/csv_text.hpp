#pragma once

#include <string>

namespace adacvar::cli {

/// Returns the text as a field of a CSV file, quoted if necessary.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
  const auto is_blank = [](char c) {
    return c == ' ' || c == '\t';
  };  // readers strip blanks around a field
  if (text.find_first_of(",\"\r\n") == std::string::npos &&
      (text.empty() || !(is_blank(text.front()) || is_blank(text.back())))) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace adacvar::cli
