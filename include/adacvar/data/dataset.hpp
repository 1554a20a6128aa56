#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adacvar {

enum class Task : std::uint8_t { regression, binary, multiclass };

/// Shape of image rows: features are stored channel by channel, each line by line. All 0: the rows
/// are not images.
struct ImageShape {
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;

  [[nodiscard]] std::size_t size() const noexcept { return channels * height * width; }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// Units of a regression target: a learner fits (target - mean) / sd. For classes, mean 0 and sd 1.
struct TargetScale {
  double mean = 0;
  double sd = 1;

  friend bool operator==(const TargetScale&, const TargetScale&) = default;
};

/// Preprocessed data for training: a row of features and a target per example. It is made by a
/// model's preprocessing, which keeps the scale that turns predictions back into the user's units.
///
/// Features are dense, row by row in `dense`, or sparse: row i has the entries start[i] .. start[i
/// + 1] - 1 of `column` and `value`. Sparse data is never expanded.
struct Dataset {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<float> dense;           ///< rows * features, or empty
  std::vector<std::size_t> start;     ///< sparse: rows + 1
  std::vector<std::uint32_t> column;  ///< sparse: from 0, increasing within a row
  std::vector<float> value;           ///< sparse; empty: every entry is 1, as in one-hot tables
  std::vector<double>
      targets;  ///< regression: standardised, unless made by hand; classes: 0, 1, ...
  std::vector<double> weights;  ///< row weights, finite and > 0; empty: every row counts 1
  /// Known scores that a linear model is added to, as a prediction to correct: one per row and
  /// output of the model; empty: 0.
  std::vector<double> offsets;
  /// Features that are 1 minus others, up to an affine map: a level of each category. A linear
  /// model with an intercept does not need them; exact solutions without a ridge leave them out.
  std::vector<std::uint32_t> reference_levels;
  /// Features as trees take them: the number of levels of each, whose values are their positions, 0
  /// for numbers; missing values are NaN. Empty: features are numbers without missing values.
  std::vector<std::uint32_t> levels;
  Task task = Task::regression;
  double target_error = 0;  ///< regression: rounding error of the standardised targets
  ImageShape image = {};    ///< image data: dense, features = image.size()
  std::vector<std::string> class_names;

  [[nodiscard]] bool is_sparse() const noexcept { return !start.empty(); }
  /// Sparse: value of an entry.
  [[nodiscard]] float entry(std::size_t place) const noexcept {
    return value.empty() ? 1.0F : value[place];
  }
  [[nodiscard]] double weight(std::size_t row) const noexcept {
    return weights.empty() ? 1.0 : weights[row];
  }
  /// Sum of the row weights; without them the number of rows.
  [[nodiscard]] double total_weight() const noexcept {
    if (weights.empty()) return static_cast<double>(rows);
    double total = 0;
    for (const double one : weights) total += one;
    return total;
  }
};

}  // namespace adacvar
