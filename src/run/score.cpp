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

// The derivatives, which are not needed, take a block.
std::vector<double> losses_of(const Loss& loss, std::span<const double> scores, const Dataset& data,
                              double unit) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t outputs = scores.size() / std::max<std::size_t>(1, data.rows);
  std::vector<double> losses(data.rows);
  std::vector<double> derivatives(std::min(kBlock, data.rows) * outputs);
  for (std::size_t start = 0; start < data.rows; start += kBlock) {
    const std::size_t count = std::min(kBlock, data.rows - start);
    loss.evaluate(scores.subspan(start * outputs, count * outputs),
                  std::span(data.targets).subspan(start, count),
                  std::span(losses).subspan(start, count),
                  std::span(derivatives).first(count * outputs));
  }
  for (double& value : losses) value *= unit;
  return losses;
}

namespace {

// Log-odds of a class: in the order of its probabilities, but still distinct where these round
// to 1.
double log_odds(std::span<const double> probabilities, std::size_t c) {
  double rest = 1 - probabilities[c];
  if (probabilities[c] > 0.5) {
    rest = 0;
    for (std::size_t other = 0; other < probabilities.size(); ++other) {
      if (other != c) rest += probabilities[other];
    }
  }
  return std::log(probabilities[c]) - std::log(rest);
}

// What ranks the rows by how likely they are of class `c`.
double class_score(const Predictions& predictions, std::size_t classes, std::size_t row,
                   std::size_t c) {
  if (!predictions.scores.empty()) {  // hinge
    return c == 1 ? predictions.scores[row] : -predictions.scores[row];
  }
  return log_odds(std::span(predictions.probabilities).subspan(row * classes, classes), c);
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
  result.losses = losses_of(loss, scores, data, loss.unit(scale.sd));
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
  std::vector<double> targets;
  std::vector<double> weights;
  for (const std::size_t i : places) {
    targets.push_back(data.targets[i]);
    if (!data.weights.empty()) weights.push_back(data.weights[i]);
  }
  return macro_auc(  // the same for both of two classes
      [&](std::size_t i, std::size_t c) { return class_score(predictions, classes, places[i], c); },
      classes, targets, weights);
}

std::optional<double> auc_of(const Dataset& data, const Predictions& predictions) {
  const std::size_t classes = data.class_names.size();
  if (data.task == Task::regression) return std::nullopt;
  return macro_auc(
      [&](std::size_t i, std::size_t c) { return class_score(predictions, classes, i, c); },
      classes, data.targets, data.weights);
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
