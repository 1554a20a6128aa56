#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>

#include <cstddef>
#include <vector>

namespace adacvar {

/// Predictions for rows, in the user's terms.
struct Predictions {
  std::vector<double> values;         ///< regression: targets; classes: numbers of the classes
  std::vector<double> probabilities;  ///< logistic and softmax: rows * classes; else empty
  std::vector<double> scores;         ///< hinge: the score, positive for class 1; else empty
};

/// Scores of every row, row by row.
/// Throws: OptionError when the data has other features; NumericalError, naming the row, when a
/// score is not finite.
[[nodiscard]] std::vector<double> all_scores(const Scorer& model, const Dataset& data);

/// Predictions from scores with `outputs` of them a row. The most probable class wins; of equal
/// ones the first.
[[nodiscard]] Predictions to_predictions(std::vector<double> scores, const Loss& loss,
                                         std::size_t outputs, const TargetScale& scale = {});

/// Both steps. Throws: as all_scores.
[[nodiscard]] Predictions predict(const Scorer& model, const Loss& loss, const Dataset& data,
                                  const TargetScale& scale = {});

}  // namespace adacvar
