#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>

#include <cstddef>
#include <vector>

namespace adacvar {

/// Predictions for rows, in the user's units.
struct Predictions {
  std::vector<double> values;         ///< regression: targets; classification: class numbers
  std::vector<double> probabilities;  ///< logistic and softmax: rows * classes; else empty
  std::vector<double> scores;         ///< hinge: the score, positive for class 1; else empty
};

/// Returns the scores of every row, row by row.
/// Throws: OptionError when the number of features differs; NumericalError, with the row, when a
/// score is not finite.
[[nodiscard]] std::vector<double> all_scores(const Scorer& model, const Dataset& data);

/// Converts scores, `outputs` per row, to predictions: the most probable class, the first among
/// ties.
[[nodiscard]] Predictions to_predictions(std::vector<double> scores, const Loss& loss,
                                         std::size_t outputs, const TargetScale& scale = {});

/// Computes scores and predictions. Throws: as all_scores.
[[nodiscard]] Predictions predict(const Scorer& model, const Loss& loss, const Dataset& data,
                                  const TargetScale& scale = {});

}  // namespace adacvar
