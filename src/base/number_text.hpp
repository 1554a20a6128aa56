#pragma once

#include <string>

namespace adacvar {

/// Formats a number for display: four significant digits, no decimals from 10,000, exponent
/// notation for very large and small values.
[[nodiscard]] std::string number_text(double value);

/// Formats a count with thousands separators: 12,345.
[[nodiscard]] std::string count_text(std::size_t value);

}  // namespace adacvar
