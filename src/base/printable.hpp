#pragma once

#include <cmath>

namespace adacvar {

/// A number for a message: a NaN without its sign, which means nothing and differs between
/// machines.
[[nodiscard]] inline double printable(double value) {
  return std::isnan(value) ? std::abs(value) : value;
}

}  // namespace adacvar
