#include "base/number_text.hpp"

#include <fmt/core.h>

#include <cmath>

namespace adacvar {

std::string number_text(double value) {
  const double size = std::abs(value);
  // Not 1e4: 9999.5 with four digits is already 1.000e+04.
  if (size >= 9999.5 && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string count_text(std::size_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace adacvar
