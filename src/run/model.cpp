#include <adacvar/run/model.hpp>

#include "data/number_text.hpp"
#include "data/row_weights.hpp"
#include "run/model_coefficients.hpp"
#include "run/model_file.hpp"
#include "run/score.hpp"
#include "run/trained_model.hpp"
#include "run/tree_importance.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

// Rows per block, so that memory does not grow with the number of rows.
constexpr std::size_t kBlock = 4096;

std::vector<Index> rows_between(std::size_t begin, std::size_t end) {
  std::vector<Index> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<Index>(begin));
  return rows;
}

Predictions predict_blocks(const TrainedModel& model, const MatrixView& features) {
  Predictions all;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t begin = 0; begin < features.rows(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, features.rows());
    const Dataset data = model.preprocessor.apply_features(features, rows_between(begin, end));
    const Predictions block =
        predict(model.scorer(), model.loss, data, model.preprocessor.target_scale());
    append(all.values, block.values);
    append(all.probabilities, block.probabilities);
  }
  return all;
}

void require_classes(const TrainedModel& model, std::string_view what) {
  if (!model.preprocessor.parts().class_names.empty()) return;
  throw OptionError(fmt::format("{} needs classes; this model predicts numbers", what));
}

/// Parses class names that are numbers.
std::vector<double> class_numbers(const std::vector<std::string>& names) {
  std::vector<double> numbers;
  for (const std::string& name : names) {
    double number = 0;
    if (!parse_number(name, number)) {
      throw OptionError(fmt::format("class '{}' is not a number: use predict_classes", name));
    }
    numbers.push_back(number);
  }
  return numbers;
}

void check_length(std::size_t length, std::size_t rows, std::string_view what) {
  if (length == rows) return;
  throw DataError(fmt::format("{} {}, the matrix has {} rows", length, what, rows));
}

}  // namespace

Model::Model(TrainedModel parts) : parts_(std::make_shared<const TrainedModel>(std::move(parts))) {}

std::vector<double> Model::predict(const MatrixView& features) const {
  if (classes().empty()) return predict_blocks(*parts_, features).values;
  const std::vector<double> numbers = class_numbers(classes());
  std::vector<double> values = predict_blocks(*parts_, features).values;
  for (double& value : values) value = numbers[static_cast<std::size_t>(value)];
  return values;
}

std::vector<std::size_t> Model::predict_classes(const MatrixView& features) const {
  require_classes(*parts_, "predict_classes");
  std::vector<std::size_t> positions;
  positions.reserve(features.rows());
  for (const double value : predict_blocks(*parts_, features).values) {
    positions.push_back(static_cast<std::size_t>(value));
  }
  return positions;
}

std::vector<double> Model::predict_probabilities(const MatrixView& features) const {
  require_classes(*parts_, "predict_probabilities");
  if (parts_->loss.kind() == LossKind::hinge) {
    throw OptionError("the hinge loss has no probabilities; use logistic or softmax");
  }
  return predict_blocks(*parts_, features).probabilities;
}

std::vector<double> Model::scores(const MatrixView& features) const {
  std::vector<double> all;
  const TargetScale scale = parts_->preprocessor.target_scale();
  for (std::size_t begin = 0; begin < features.rows(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, features.rows());
    const Dataset data = parts_->preprocessor.apply_features(features, rows_between(begin, end));
    for (const double score : all_scores(parts_->scorer(), data)) {
      all.push_back(scale.mean + scale.sd * score);
    }
  }
  return all;
}

Score Model::score(const MatrixView& features, std::span<const double> targets,
                   std::span<const double> weights) const {
  check_length(targets.size(), features.rows(), "targets");
  (void)rows_with_weight(features.rows(), weights);  // checks them
  const std::vector<Index> rows = rows_between(0, features.rows());
  Dataset data = parts_->preprocessor.apply_features(features, rows);
  Column target;
  target.name = parts_->preprocessor.parts().target;
  target.numbers = std::vector<double>(targets.begin(), targets.end());
  data.targets = parts_->preprocessor.apply_targets(target, rows, "the targets");
  data.weights.assign(weights.begin(), weights.end());
  ScoredRows scored = adacvar::score(parts_->scorer(), parts_->loss, parts_->options.alpha, data,
                                     parts_->preprocessor.target_scale());
  return {.risk = scored.risk.risk,
          .losses = std::move(scored.losses),
          .predictions = std::move(scored.predictions.values),
          .accuracy = scored.risk.accuracy};
}

const std::vector<std::string>& Model::classes() const noexcept {
  return parts_->preprocessor.parts().class_names;
}

const TailRisk& Model::training_risk() const {
  if (!parts_->training_risk) {
    throw OptionError("the model file does not contain the training risk");
  }
  return *parts_->training_risk;
}

const std::optional<Certificate>& Model::certificate() const noexcept {
  return parts_->certificate;
}

const LinearModel* Model::linear() const noexcept { return parts_->linear(); }

Coefficients Model::coefficients() const { return coefficients_of(*parts_); }

std::string Model::to_text() const { return model_text(*parts_); }

Model Model::from_text(std::string_view text, const std::string& source) {
  return Model(parse_model(text, source));
}

StopReason Model::stop_reason() const noexcept { return parts_->stop_reason; }

const TrainOptions& Model::options() const noexcept { return parts_->options; }

const Loss& Model::loss() const noexcept { return parts_->loss; }

std::vector<std::string> Model::columns() const {
  const Preprocessor::Parts& parts = parts_->preprocessor.parts();
  if (!parts.sparse) return parts.inputs;
  std::vector<std::string> names;
  for (std::size_t c = 1; c <= parts.sparse_width; ++c) names.push_back(fmt::format("c{}", c));
  return names;
}

std::vector<std::string> Model::categorical_columns() const {
  std::vector<std::string> names;
  for (const ColumnTransform& column : parts_->preprocessor.parts().columns) {
    if (column.categorical) names.push_back(column.name);
  }
  return names;
}

Model::Kind Model::kind() const noexcept {
  if (parts_->trees() != nullptr) return Kind::trees;
  if (parts_->stack() != nullptr) return Kind::stack;
  return parts_->networks() != nullptr ? Kind::network : Kind::linear;
}

std::vector<ColumnImportance> Model::importance() const { return importance_of(*parts_); }

void Model::save(const std::filesystem::path& path) const { save_model(path, *parts_); }

Model Model::load(const std::filesystem::path& path, const NetworkMaker* networks) {
  return Model(load_model(path, networks));
}

}  // namespace adacvar
