#pragma once

#include <adacvar/risk/evaluate_risk.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// A value of a sample or resample and its standard error.
struct ValueWithError {
  double value = 0;
  double error = 0;
};

/// Returns the percentile interval, from the k-th smallest to the k-th largest of `values`, where k
/// = (B + 1)(1 - level) / 2 for B values, rounded down but at least 1.
[[nodiscard]] Interval percentile_interval(std::vector<double> values, double level);

/// Returns the bootstrap-t interval of `evaluate_risk`.
[[nodiscard]] Interval studentised_interval(const ValueWithError& sample,
                                            std::span<const ValueWithError> resamples,
                                            double level);

/// Returns the power of two that scales a range to about 1, so that sums and squares of differences
/// of losses neither overflow nor underflow. `half_range` is half of the range, which may itself
/// overflow.
[[nodiscard]] double scale_of_range(double half_range);

/// Divides an interval by `scale`; infinite ends become the largest doubles.
[[nodiscard]] Interval unscaled(const Interval& interval, double scale);

}  // namespace adacvar
