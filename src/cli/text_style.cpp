#include "cli/text_style.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace adacvar::cli {

namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// As POSIX specifies, the first variable that is set counts.
bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    for (const std::string_view code : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(code) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

}  // namespace

TextStyle text_style() {
  return {.colour = ::isatty(STDOUT_FILENO) != 0 && environment("NO_COLOR").empty() &&
                    environment("TERM") != "dumb",
          .unicode = is_utf8_locale()};
}

}  // namespace adacvar::cli
