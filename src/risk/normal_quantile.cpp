#include "risk/normal_quantile.hpp"

#include <cmath>
#include <numbers>

namespace adacvar {

// Newton's method on the distribution function. From 0 on the side of the larger tail the function
// is concave, so the steps do not overshoot; they converge quadratically.
double normal_quantile(double p) {
  if (p < 0.5) return -normal_quantile(1 - p);
  const double tail = 1 - p;
  double z = 0;
  for (int step = 0; step < 100; ++step) {
    const double excess = 0.5 * std::erfc(z / std::numbers::sqrt2) - tail;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double next = z + excess / density;
    if (!(next > z)) return z;
    z = next;
  }
  return z;
}

}  // namespace adacvar
