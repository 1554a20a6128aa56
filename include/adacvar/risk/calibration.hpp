#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Rows whose predicted class was given a chance within one range.
struct CalibrationBin {
  std::uint64_t rows = 0;
  double confidence = 0;  ///< mean chance given to the predicted class
  double accuracy = 0;    ///< share of them whose class was right
};

/// Bins of equal width over [0, 1], those without rows left out. `confidences` are the chances
/// given to the predicted classes, `correct` is 1 where that class was right, else 0.
/// Throws: OptionError when lengths differ, bins is 0 or a confidence is outside [0, 1].
[[nodiscard]] std::vector<CalibrationBin> calibration(std::span<const double> confidences,
                                                      std::span<const std::uint8_t> correct,
                                                      std::size_t bins = 10);

/// Mean distance between confidence and accuracy, bins counting by their rows; 0 without rows.
[[nodiscard]] double calibration_error(std::span<const CalibrationBin> bins);

}  // namespace adacvar
