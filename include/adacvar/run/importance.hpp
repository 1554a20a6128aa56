#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// How much a column decides the predictions of trees.
struct ColumnImportance {
  std::string column;
  double share = 0;  ///< of the gain of all splits; all shares are 0 for a constant model
};

/// Mean prediction over training rows if a column had a given value in all of them.
struct PartialDependence {
  std::string column;
  std::vector<double> values = {};       ///< of a number, increasing; else empty
  std::vector<std::string> levels = {};  ///< of a category, the most frequent first; else empty
  /// Names of the outputs: classes whose probabilities are predicted, or the target.
  std::vector<std::string> outputs = {};
  /// For each output one mean prediction per value: targets in the user's units, probabilities, or
  /// scores of the hinge loss.
  std::vector<std::vector<double>> predictions = {};
};

}  // namespace adacvar
