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

/// From the k-th smallest to the k-th largest of `values`, where k = (B + 1)(1 - level) / 2 for B
/// values, rounded down but at least 1.
[[nodiscard]] Interval percentile_interval(std::vector<double> values, double level);

/// The bootstrap-t interval of `evaluate_risk`.
[[nodiscard]] Interval studentised_interval(const ValueWithError& sample,
                                            std::span<const ValueWithError> resamples,
                                            double level);

/// The power of two that brings a range near 1: sums and squares of differences of losses neither
/// overflow nor vanish. `half_range` is half of it, as the whole may overflow.
[[nodiscard]] double scale_of_range(double half_range);

/// Divided by `scale`; infinite ends become the largest numbers.
[[nodiscard]] Interval unscaled(const Interval& interval, double scale);

}  // namespace adacvar
