#include "learner/predict.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr std::size_t kScoredAtOnce = 1024;  // rows whose numbers are in memory

// Replaces the scores of one row by class probabilities.
void softmax(std::span<double> scores) {
  const double largest = *std::ranges::max_element(scores);
  double sum = 0.0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
}

Predictions predict_binary(std::vector<double> scores, bool with_probabilities) {
  Predictions result;
  result.values.reserve(scores.size());
  if (with_probabilities) result.probabilities.reserve(2 * scores.size());
  for (const double score : scores) {
    result.values.push_back(score > 0 ? 1.0 : 0.0);
    if (!with_probabilities) continue;
    const double e = std::exp(-std::abs(score));
    const double of_one = score > 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
    const double of_zero = score > 0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
    result.probabilities.insert(result.probabilities.end(), {of_zero, of_one});
  }
  if (!with_probabilities) result.scores = std::move(scores);
  return result;
}

Predictions predict_classes(std::vector<double> scores, std::size_t classes) {
  Predictions result;
  result.values.reserve(scores.size() / classes);
  for (auto row = scores.begin(); row != scores.end();
       row += static_cast<std::ptrdiff_t>(classes)) {
    const std::span<double> part(row, classes);
    result.values.push_back(static_cast<double>(std::ranges::max_element(part) - part.begin()));
    softmax(part);
  }
  result.probabilities = std::move(scores);
  return result;
}

}  // namespace

std::vector<double> all_scores(const Scorer& model, const Dataset& data) {
  std::vector<double> scores(data.rows * model.outputs());
  std::array<Index, kScoredAtOnce> rows;
  std::size_t start = 0;
  do {  // also without rows, so that the features are checked
    const std::size_t count = std::min(kScoredAtOnce, data.rows - start);
    const std::span<Index> part = std::span(rows).first(count);
    std::iota(part.begin(), part.end(), static_cast<Index>(start));
    model.scores(data, part,
                 std::span(scores).subspan(start * model.outputs(), count * model.outputs()));
    start += count;
  } while (start < data.rows);
  const auto infinite =
      std::ranges::find_if(scores, [](double score) { return !std::isfinite(score); });
  if (infinite != scores.end()) {
    throw NumericalError(fmt::format(
        "the score of row {} is not finite",
        (infinite - scores.begin()) / static_cast<std::ptrdiff_t>(model.outputs()) + 1));
  }
  return scores;
}

Predictions to_predictions(std::vector<double> scores, const Loss& loss, std::size_t outputs,
                           const TargetScale& scale) {
  switch (loss.kind()) {
    case LossKind::softmax:
      return predict_classes(std::move(scores), outputs);
    case LossKind::logistic:
    case LossKind::hinge:
      return predict_binary(std::move(scores), loss.kind() == LossKind::logistic);
    default:
      break;
  }
  for (double& score : scores) score = scale.mean + scale.sd * score;
  return {.values = std::move(scores), .probabilities = {}, .scores = {}};
}

Predictions predict(const Scorer& model, const Loss& loss, const Dataset& data,
                    const TargetScale& scale) {
  return to_predictions(all_scores(model, data), loss, model.outputs(), scale);
}

}  // namespace adacvar
