#include "risk/bootstrap.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace adacvar {

namespace {

// Keeps a resample with a nearly constant tail from moving an end of the interval arbitrarily far;
// with at least 10 losses in the tail this bound is practically never reached.
constexpr double kLeastSpread = 0.1;

}  // namespace

Interval percentile_interval(std::vector<double> values, double level) {
  std::ranges::sort(values);
  const double outside = detail::tail_count((1 - level) / 2, values.size() + 1);
  const std::size_t k = std::max<std::size_t>(1, static_cast<std::size_t>(outside));
  return {values[k - 1], values[values.size() - k]};
}

Interval studentised_interval(const ValueWithError& sample,
                              std::span<const ValueWithError> resamples, double level) {
  std::vector<double> values(resamples.size());
  if (sample.error == 0) {
    std::ranges::transform(resamples, values.begin(), &ValueWithError::value);
    return percentile_interval(std::move(values), level);
  }
  std::ranges::transform(resamples, values.begin(), [&](const ValueWithError& resample) {
    return (resample.value - sample.value) / std::max(resample.error, kLeastSpread * sample.error);
  });
  const Interval t = percentile_interval(std::move(values), level);
  return {sample.value - sample.error * t.high, sample.value - sample.error * t.low};
}

double scale_of_range(double half_range) {
  if (!(half_range > 0)) return 1;
  return std::ldexp(1.0, -std::clamp(std::ilogb(half_range), -1000, 1000));
}

Interval unscaled(const Interval& interval, double scale) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return {std::clamp(interval.low / scale, -kMost, kMost),
          std::clamp(interval.high / scale, -kMost, kMost)};
}

}  // namespace adacvar
