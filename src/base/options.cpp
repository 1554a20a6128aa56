#include <adacvar/base/options.hpp>

#include "base/printable.hpp"

#include <fmt/format.h>

#include <cmath>

namespace adacvar {

bool Bounds::contains(double value) const noexcept {
  const bool above = low_ok ? value >= low : value > low;
  const bool below = high_ok ? value <= high : value < high;
  return above && below && std::isfinite(value);
}

std::string Bounds::text() const {
  const bool low_closed = low_ok && std::isfinite(low);
  const bool high_closed = high_ok && std::isfinite(high);
  return fmt::format("{}{}, {}{}", low_closed ? '[' : '(', low, high, high_closed ? ']' : ')');
}

void check_range(std::string_view name, double value, const Bounds& bounds) {
  if (!bounds.contains(value)) {
    throw OptionError(fmt::format("{} = {} is outside {}", name, printable(value), bounds.text()));
  }
}

void detail::check_name_count(std::string_view name, std::uint64_t value, std::size_t count) {
  if (value >= count) {
    throw OptionError(fmt::format("{} = {} is not one of its {} values", name, value, count));
  }
}

}  // namespace adacvar
