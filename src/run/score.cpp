#include "run/score.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

void check_losses(const std::vector<double>& losses) {
  const auto infinite =
      std::ranges::find_if(losses, [](double loss) { return !std::isfinite(loss); });
  if (infinite == losses.end()) return;
  throw NumericalError(
      fmt::format("the loss of row {} is not finite", infinite - losses.begin() + 1));
}

// Log-odds of the classes of a row: in the order of the probabilities, but still distinct where
// these round to 1.
void to_log_odds(std::span<const double> probabilities, std::span<double> scores) {
  for (std::size_t c = 0; c < probabilities.size(); ++c) {
    double rest = 1 - probabilities[c];
    if (probabilities[c] > 0.5) {
      rest = 0;
      for (std::size_t other = 0; other < probabilities.size(); ++other) {
        if (other != c) rest += probabilities[other];
      }
    }
    scores[c] = std::log(probabilities[c]) - std::log(rest);
  }
}

std::vector<double> counts_of(const ConfusionMatrix& matrix) {
  std::vector<double> counts;
  for (std::size_t actual = 0; actual < matrix.classes(); ++actual) {
    for (std::size_t predicted = 0; predicted < matrix.classes(); ++predicted) {
      counts.push_back(matrix.count(actual, predicted));
    }
  }
  return counts;
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
  result.risk.confusion = counts_of(matrix);
  if (!result.predictions.probabilities.empty()) {
    result.risk.calibration_error = calibration_error(calibration_of(data, result.predictions));
  }
  return result;
}

std::optional<double> auc_of(const Dataset& data, const Predictions& predictions,
                             std::span<const std::size_t> places) {
  const std::size_t classes = data.class_names.size();
  if (data.task == Task::regression) return std::nullopt;
  std::vector<double> scores;
  std::vector<double> targets;
  std::vector<double> weights;
  std::vector<double> odds(classes);
  for (const std::size_t i : places) {
    targets.push_back(data.targets[i]);
    if (!data.weights.empty()) weights.push_back(data.weights[i]);
    if (!predictions.scores.empty()) {  // hinge
      odds = {-predictions.scores[i], predictions.scores[i]};
    } else {
      to_log_odds(std::span(predictions.probabilities).subspan(i * classes, classes), odds);
    }
    scores.insert(scores.end(), odds.begin(), odds.end());
  }
  return macro_auc(scores, classes, targets, weights);  // the same for both of two classes
}

std::optional<double> auc_of(const Dataset& data, const Predictions& predictions) {
  std::vector<std::size_t> places(data.rows);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return auc_of(data, predictions, places);
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
