#pragma once

#include "learner/predict.hpp"

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/risk/calibration.hpp>
#include <adacvar/run/result.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

/// Losses, predictions and risk of a model on some rows, in the user's units.
struct ScoredRows {
  std::vector<double> losses;
  Predictions predictions;
  PartRisk risk;
};

/// Scores every row of `data` in one pass. `scale` converts standardised targets to the user's
/// units; by default losses and predictions are in the units of the targets. Throws: OptionError if
/// the data has other features; NumericalError, naming the row, if a score or loss is not finite;
/// DataError for data without rows.
[[nodiscard]] ScoredRows score(const Scorer& model, const Loss& loss, double alpha,
                               const Dataset& data, const TargetScale& scale = {});

/// Returns the losses of rows with these scores, times `unit`.
[[nodiscard]] std::vector<double> losses_of(const Loss& loss, std::span<const double> scores,
                                            const Dataset& data, double unit);

/// Returns the AUC of the rows `places` of `data` (PartRisk::auc), whose predictions are given.
[[nodiscard]] std::optional<double> auc_of(const Dataset& data, const Predictions& predictions,
                                           std::span<const std::size_t> places);
/// AUC of all rows.
[[nodiscard]] std::optional<double> auc_of(const Dataset& data, const Predictions& predictions);
/// Ten bins of the predicted classes' probabilities; empty for predictions without probabilities.
[[nodiscard]] std::vector<CalibrationBin> calibration_of(const Dataset& data,
                                                         const Predictions& predictions);

}  // namespace adacvar
