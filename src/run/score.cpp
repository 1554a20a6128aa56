#include "run/score.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

void check_losses(const std::vector<double>& losses) {
  const auto infinite =
      std::ranges::find_if(losses, [](double loss) { return !std::isfinite(loss); });
  if (infinite == losses.end()) return;
  throw NumericalError(
      fmt::format("the loss of row {} is not finite", infinite - losses.begin() + 1));
}

}  // namespace

ScoredRows score(const Scorer& model, const Loss& loss, double alpha, const Dataset& data,
                 const TargetScale& scale) {
  std::vector<double> scores = all_scores(model, data);
  ScoredRows result;
  result.losses.resize(data.rows);
  std::vector<double> derivatives(scores.size());
  loss.evaluate(scores, data.targets, result.losses, derivatives);
  const double unit = loss.unit(scale.sd);
  for (double& value : result.losses) value *= unit;
  check_losses(result.losses);
  result.predictions = to_predictions(std::move(scores), loss, model.outputs(), scale);
  result.risk.rows = data.rows;
  result.risk.weight = data.total_weight();
  result.risk.risk = tail_risk(result.losses, data.weights, alpha);
  if (data.task == Task::regression) return result;
  ConfusionMatrix matrix(data.class_names.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    matrix.add(static_cast<std::size_t>(data.targets[i]),
               static_cast<std::size_t>(result.predictions.values[i]), data.weight(i));
  }
  result.risk.accuracy = matrix.accuracy();
  result.risk.min_class_precision = matrix.min_class_precision();
  if (!result.predictions.probabilities.empty()) {
    result.risk.calibration_error = calibration_error(calibration_of(data, result.predictions));
  }
  return result;
}

std::vector<CalibrationBin> calibration_of(const Dataset& data, const Predictions& predictions) {
  if (predictions.probabilities.empty()) return {};
  const std::size_t classes = data.class_names.size();
  std::vector<double> confidences(data.rows);
  std::vector<std::uint8_t> correct(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const auto predicted = static_cast<std::size_t>(predictions.values[i]);
    const double probability = predictions.probabilities[i * classes + predicted];
    confidences[i] = std::clamp(probability, 0.0, 1.0);  // rounding
    correct[i] = data.targets[i] == predictions.values[i] ? 1 : 0;
  }
  return calibration(confidences, correct, 10, data.weights);
}

}  // namespace adacvar
