#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Rows whose predicted class has a probability within one range.
struct CalibrationBin {
  std::uint64_t rows = 0;
  double weight = 0;      ///< total weight of these rows; without weights their number
  double confidence = 0;  ///< mean probability of the predicted class
  double accuracy = 0;    ///< share of these rows that are classified correctly
};

/// Returns bins of equal width over [0, 1], without empty ones. `confidences` are the probabilities
/// of the predicted classes, `correct` is 1 where that class is right, else 0. `weights` are the
/// row weights in means and shares; empty: every row counts 1. Rows of weight 0 are ignored.
/// Throws: OptionError when lengths differ, bins is 0 or a confidence is outside [0, 1]; DataError
/// for a weight that is negative or not finite.
[[nodiscard]] std::vector<CalibrationBin> calibration(std::span<const double> confidences,
                                                      std::span<const std::uint8_t> correct,
                                                      std::size_t bins = 10,
                                                      std::span<const double> weights = {});

/// Returns the expected calibration error: the mean distance between confidence and accuracy,
/// weighted by the weight of the bins; 0 without rows.
[[nodiscard]] double calibration_error(std::span<const CalibrationBin> bins);

}  // namespace adacvar
