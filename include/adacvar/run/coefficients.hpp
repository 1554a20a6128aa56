#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adacvar {

/// A number, one level of a categorical column, its missing value, or its values not seen in
/// training.
enum class TermKind : std::uint8_t { number, level, missing, other };

/// A coefficient for each output of the model.
struct Coefficient {
  TermKind kind = TermKind::number;
  std::string level = {};           ///< name of the level
  std::vector<double> values = {};  ///< one per output
};

/// Coefficients of one column.
struct ColumnCoefficients {
  std::string column;
  bool categorical = false;
  /// Standard deviation of the column's part of the scores over the training rows, as a share of
  /// the sum over all columns; several outputs are added. For a standardised number this is its
  /// absolute weight over the sum of the absolute weights. All shares are 0 for a constant model.
  double share = 0;
  double fill = 0;  ///< numbers: a missing value counts as this one
  /// One for a number. For categories one per level, one for missing values if the training rows
  /// had any, and last one for values not seen in training (and for missing values otherwise).
  std::vector<Coefficient> terms = {};
};

/// A linear model in the user's units: score = intercept + sum over the columns of coefficient *
/// value for numbers, and of the level's coefficient for categories.
///
/// Regression: the score is the prediction, in units of the target. Logistic: log-odds of the
/// second class against the first. Hinge: positive for the second class. Softmax: one output per
/// class; only differences between classes have a meaning, they are logarithms of ratios of
/// probabilities.
///
/// Levels are measured against the average training row: weighted by how often they occur in
/// training, the coefficients of a column's levels sum to 0. The intercept is the score where every
/// number is 0 and every category is average.
struct Coefficients {
  std::vector<std::string> outputs;         ///< class names if there are several outputs
  std::vector<double> intercepts;           ///< one per output
  std::vector<ColumnCoefficients> columns;  ///< by decreasing share, ties as in the data
};

}  // namespace adacvar
