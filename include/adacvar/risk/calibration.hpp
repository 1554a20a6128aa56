#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Rows whose predicted class was given a chance within one range.
struct CalibrationBin {
  std::uint64_t rows = 0;
  double weight = 0;      ///< of these rows; without weights their number
  double confidence = 0;  ///< mean chance given to the predicted class
  double accuracy = 0;    ///< share of them whose class was right
};

/// Bins of equal width over [0, 1], those without rows left out. `confidences` are the chances
/// given to the predicted classes, `correct` is 1 where that class was right, else 0. `weights`:
/// how often every row counts in means and shares; empty: once. Rows of weight 0 are left out.
/// Throws: OptionError when lengths differ, bins is 0 or a confidence is outside [0, 1]; DataError
/// for a weight that is negative or not finite.
[[nodiscard]] std::vector<CalibrationBin> calibration(std::span<const double> confidences,
                                                      std::span<const std::uint8_t> correct,
                                                      std::size_t bins = 10,
                                                      std::span<const double> weights = {});

/// Mean distance between confidence and accuracy, bins counting by their weight; 0 without rows.
[[nodiscard]] double calibration_error(std::span<const CalibrationBin> bins);

}  // namespace adacvar
