#include "data/prediction_transform.hpp"

#include "base/name_list.hpp"
#include "data/class_labels.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

void check_scale(PredictionScale scale, Task task) {
  const bool is_value = scale == PredictionScale::value;
  if (scale == PredictionScale::automatic || is_value == (task == Task::regression)) return;
  throw OptionError(fmt::format("prediction-scale = {} needs {}", kPredictionScaleNames.of(scale),
                                is_value ? "a target that is a number; for classes it is "
                                           "probability or logit"
                                         : "a target of two classes; the target is a number"));
}

std::size_t positive_class(const std::string& name, const std::vector<std::string>& class_names) {
  if (name.empty()) return 1;
  if (class_names.empty()) {
    throw OptionError(fmt::format("positive = '{}' needs classes; the target is a number", name));
  }
  const auto found = std::ranges::find(class_names, name);
  if (found == class_names.end()) {
    throw OptionError(
        fmt::format("positive = '{}' is not one of the classes: {}", name, name_list(class_names)));
  }
  return static_cast<std::size_t>(found - class_names.begin());
}

[[noreturn]] void refuse_missing(const Column& column, Index row, const Table& table) {
  const TextValue* const text = text_at(column, row);
  throw DataError(
      fmt::format("prediction '{}' is {} in {}; every row needs one", column.name,
                  text == nullptr ? "missing" : fmt::format("not a number ('{}')", text->text),
                  place_of(table, column, row)),
      table.source);
}

double log_odds(double probability) { return std::log(probability) - std::log1p(-probability); }

}  // namespace

const std::vector<OptionSpec>& PredictionOptions::options() {
  using O = PredictionOptions;
  static const std::vector<OptionSpec> all{
      {"prediction", &O::prediction,
       "column with the out-of-fold predictions of the model to correct: values or, for two "
       "classes, probabilities"},
      {"prediction-scale", &O::prediction_scale, kPredictionScaleNames,
       "auto: value if the target is a number, probability if it has two classes"},
      {"positive", &O::positive,
       "class that the predictions are probabilities of; default: the one that sorts last, as in "
       "predict_proba(X)[:, 1] of scikit-learn"},
      {"features", &O::features, Names{"auto", "yes", "no"},
       "whether the correction depends on the features too; auto: if there are at most 40"},
  };
  return all;
}

double PredictionTransform::standardised(double score) const noexcept {
  return std::clamp((score - mean) / sd, -clip, clip);
}

double PredictionTransform::standardised_square(double score) const noexcept {
  const double z = standardised(score);
  return std::clamp((z * z - square_mean) / square_sd, -clip, clip);
}

PredictionTransform prediction_of(const PredictionOptions& options, Task task,
                                  const std::vector<std::string>& class_names) {
  if (task == Task::multiclass) {
    throw OptionError(
        fmt::format("prediction = '{}': the target has {} classes; only numbers and two classes "
                    "can be corrected, so take one class against the others",
                    options.prediction, class_names.size()));
  }
  check_scale(options.prediction_scale, task);
  PredictionTransform prediction;
  prediction.name = options.prediction;
  prediction.positive = positive_class(options.positive, class_names);
  prediction.scale = options.prediction_scale;
  if (prediction.scale == PredictionScale::automatic) {
    prediction.scale =
        task == Task::regression ? PredictionScale::value : PredictionScale::probability;
  }
  return prediction;
}

void refuse_prediction(const PredictionOptions& options, const char* kind,
                       const std::string& source) {
  if (options.prediction.empty()) return;
  throw OptionError(fmt::format("prediction = '{}' needs named columns; {} is a {}",
                                options.prediction, source, kind));
}

std::vector<double> prediction_scores(const PredictionTransform& prediction, const Column& column,
                                      std::span<const Index> rows, const Table& table,
                                      std::size_t& clipped) {
  std::vector<double> scores;
  scores.reserve(rows.size());
  const double sign = prediction.positive == 1 ? 1 : -1;
  for (const Index row : rows) {
    if (is_missing_at(column, row)) refuse_missing(column, row, table);
    const double value = column.numbers[row];
    if (prediction.scale == PredictionScale::value) {
      scores.push_back(value);
      continue;
    }
    if (prediction.scale == PredictionScale::logit) {
      scores.push_back(sign * value);
      continue;
    }
    if (!(value >= 0 && value <= 1)) {
      throw DataError(fmt::format("prediction '{}' is {:g} in {}: a probability is in [0, 1]; "
                                  "prediction-scale = logit takes log-odds",
                                  column.name, value, place_of(table, column, row)),
                      table.source);
    }
    const double inside = std::clamp(value, kLeastProbability, 1 - kLeastProbability);
    if (inside != value) ++clipped;
    scores.push_back(sign * log_odds(inside));
  }
  return scores;
}

}  // namespace adacvar
