#pragma once

#include <cmath>

namespace adacvar {

/// Returns the number for a message: a NaN loses its sign, which differs between machines.
[[nodiscard]] inline double printable(double value) {
  return std::isnan(value) ? std::abs(value) : value;
}

}  // namespace adacvar
