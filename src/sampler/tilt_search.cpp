#include "sampler/tilt_search.hpp"

#include <cmath>

namespace adacvar {

bool TiltSearch::step(const TiltSums& sums, double& tilt) {
  const double gap = sums.value - target_;
  if (std::abs(gap) <= tolerance_) return true;
  (gap < 0 ? low_ : high_) = tilt;

  double step = gap < 0 ? limit_ : -limit_;
  if (sums.first > 0.0 && std::abs(gap) < limit_ * sums.first) {
    const double e = gap / sums.first;
    const double a2 = sums.second / (2.0 * sums.first);
    const double a3 = sums.third / (6.0 * sums.first);
    const double cubic = -e * (1.0 + e * (a2 + e * (2.0 * a2 * a2 - a3)));
    if (std::abs(e) < 0.1 && 4.0 * sums.first * e * e * e * e <= tolerance_) {
      tilt += cubic;
      last_step_ = cubic;
      return true;
    }
    step = std::abs(e) < 0.5 ? cubic : -e;
  } else {
    limit_ *= growth_;
  }
  double next = tilt + step;
  if (next <= low_ || next >= high_) next = 0.5 * (low_ + high_);
  // Far from 0 the spacing of doubles is coarse: none is nearer to the root.
  const bool settled = std::abs(next - tilt) <= 4e-16 * std::abs(tilt);
  tilt = next;
  return settled;
}

}  // namespace adacvar
