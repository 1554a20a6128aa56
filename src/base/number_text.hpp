#pragma once

#include <string>

namespace adacvar {

/// A number for people: four significant digits, whole from 10,000 on, a power of ten where it is
/// very large or small.
[[nodiscard]] std::string number_text(double value);

/// A whole number with commas between thousands: 12,345.
[[nodiscard]] std::string count_text(std::size_t value);

}  // namespace adacvar
