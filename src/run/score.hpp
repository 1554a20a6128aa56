#pragma once

#include "learner/predict.hpp"

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/run/result.hpp>

#include <vector>

namespace adacvar {

/// Losses and predictions of a model on some rows and their risk, in the user's units.
struct ScoredRows {
  std::vector<double> losses;
  Predictions predictions;
  PartRisk risk;
};

/// Scores every row of `data` once. `scale` turns standardised targets back into the user's units;
/// by default losses and predictions are in those of the targets.
/// Throws: OptionError when the data has other features; NumericalError, naming the row, when a
/// score or a loss is not finite; DataError for data without rows.
[[nodiscard]] ScoredRows score(const Scorer& model, const Loss& loss, double alpha,
                               const Dataset& data, const TargetScale& scale = {});

}  // namespace adacvar
