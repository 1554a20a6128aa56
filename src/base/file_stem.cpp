#include "base/file_stem.hpp"

namespace adacvar {

std::string file_stem(std::string_view label) {
  std::string stem;
  bool is_gap = false;
  for (const char c : label) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (!is_upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
      is_gap = true;
      continue;
    }
    if (is_gap && !stem.empty()) stem += '-';
    is_gap = false;
    stem += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return stem;
}

}  // namespace adacvar
