#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>

#include <vector>

namespace adacvar {

/// What a model says of each row, in the user's terms.
struct Predictions {
  std::vector<double> values;         ///< regression: targets; classes: numbers of the classes
  std::vector<double> probabilities;  ///< logistic and softmax: rows * classes; else empty
  std::vector<double> scores;         ///< hinge: the score, positive for class 1; else empty
};

/// The most probable class wins; of equal ones the first.
/// Throws: OptionError when the data has other features; NumericalError when a score overflows.
[[nodiscard]] Predictions predict(const Scorer& model, const Loss& loss, const Dataset& data);

}  // namespace adacvar
