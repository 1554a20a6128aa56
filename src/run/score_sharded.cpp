#include "run/score_sharded.hpp"

#include "base/collectives.hpp"
#include "base/exact_sum.hpp"
#include "learner/predict.hpp"
#include "risk/sharded_risk.hpp"
#include "run/score.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

void check_losses(const std::vector<double>& losses, const ShardedRows& rows) {
  const auto infinite =
      std::ranges::find_if(losses, [](double loss) { return !std::isfinite(loss); });
  if (infinite == losses.end()) return;
  const auto place = static_cast<std::size_t>(infinite - losses.begin());
  throw NumericalError(fmt::format("the loss of row {} is not finite", rows.row[place] + 1));
}

/// Counts of all ranks by actual and predicted class; weights are added exactly.
std::vector<double> confusion_of(const Dataset& data, const Predictions& predictions,
                                 Communicator& ranks) {
  const std::size_t classes = data.class_names.size();
  std::vector<ExactSum> sums(classes * classes);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const auto actual = static_cast<std::size_t>(data.targets[i]);
    const auto predicted = static_cast<std::size_t>(predictions.values[i]);
    sums[actual * classes + predicted].add(data.weight(i));
  }
  sum(ranks, sums);
  std::vector<double> counts;
  for (const ExactSum& one : sums) counts.push_back(one.value());
  return counts;
}

void add_class_measures(std::vector<double> confusion, std::size_t classes, PartRisk& risk) {
  ConfusionMatrix matrix(classes);
  for (std::size_t actual = 0; actual < classes; ++actual) {
    for (std::size_t predicted = 0; predicted < classes; ++predicted) {
      matrix.add(actual, predicted, confusion[actual * classes + predicted]);
    }
  }
  risk.accuracy = matrix.accuracy();
  risk.min_class_precision = matrix.min_class_precision();
  risk.confusion = std::move(confusion);
}

}  // namespace

PartRisk score_sharded(const Scorer& model, const Loss& loss, double alpha, const ShardedRows& rows,
                       const TargetScale& scale, Communicator& ranks) {
  std::vector<double> scores = all_scores(model, rows.data);
  const std::vector<double> losses = losses_of(loss, scores, rows.data, loss.unit(scale.sd));
  check_losses(losses, rows);
  PartRisk risk;
  risk.rows = rows.total_rows;
  risk.weight = weights_of(rows, ranks).total;
  risk.risk = tail_risk(ranks, losses, rows.data.weights, alpha);
  if (rows.data.task == Task::regression) return risk;
  const Predictions predictions = to_predictions(std::move(scores), loss, model.outputs(), scale);
  add_class_measures(confusion_of(rows.data, predictions, ranks), rows.data.class_names.size(),
                     risk);
  return risk;
}

RowWeightSums weights_of(const ShardedRows& rows, Communicator& ranks) {
  const std::vector<double>& weights = rows.data.weights;
  RowWeightSums sums{.rows = rows.total_rows, .total = static_cast<double>(rows.total_rows)};
  if (!any_of(ranks, !weights.empty())) return sums;
  ExactSum total = exact_sum(weights);
  sum(ranks, std::span(&total, 1));
  sums.total = total.value();
  double least = std::numeric_limits<double>::infinity();
  for (const double weight : weights) least = std::min(least, weight);
  sums.least = std::ranges::min(gather_one(ranks, least));
  return sums;
}

}  // namespace adacvar
