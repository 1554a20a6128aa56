#include "data/preprocess.hpp"

#include "base/collectives.hpp"
#include "data/class_labels.hpp"
#include "data/column_statistics.hpp"
#include "data/matrix_columns.hpp"
#include "data/number_format.hpp"
#include "data/row_weights.hpp"
#include "data/target_task.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

// One typing error must not turn thousands of numbers into as many categories.
void refuse_texts(const Column& column, const std::vector<bool>& is_training,
                  const std::string& source) {
  const auto found = std::ranges::find_if(
      column.texts, [&](const TextValue& text) { return is_training[text.row]; });
  if (found == column.texts.end()) return;
  throw DataError(
      fmt::format("'{}' in column '{}', nearly all of whose values are numbers; correct it, leave "
                  "it empty, declare it missing, or declare the column categorical",
                  found->text, column.name),
      source, found->line);
}

std::vector<bool> marked_rows(std::size_t count, std::span<const Index> rows) {
  std::vector<bool> marked(count, false);
  for (const Index row : rows) marked[row] = true;
  return marked;
}

/// Fits the transform of one feature column; nothing if it is constant in the training rows. Trees
/// can split off missing values.
std::optional<ColumnTransform> fit_numeric(const Column& column, const TrainingRows& training,
                                           const PreprocessOptions& options,
                                           const std::string& source, Communicator& ranks) {
  const WeightedValues sample = present_values(column, training);
  const Spread spread = spread_of(sample.values, ranks);
  const bool has_missing = options.for_trees && spread.count < row_count(training, ranks);
  if (spread.count == 0 || (spread.is_constant() && !has_missing)) return std::nullopt;
  const auto [mean, sd] = moments(sample, ranks);
  if (!std::isfinite(sd) || (sd == 0 && !has_missing)) {
    throw DataError(
        fmt::format("the standard deviation of column '{}' is outside the range of doubles",
                    column.name),
        source);
  }
  ColumnTransform transform;
  transform.name = column.name;
  transform.format = column.format;
  transform.fill = mean;
  transform.for_trees = options.for_trees;
  // A float has seven digits: those of a value far from 0 would not tell rows apart.
  constexpr double kFar = 1e3;
  if (options.for_trees && std::abs(mean) > kFar * sd) transform.mean = mean;
  if (options.standardise && !options.for_trees) {
    transform.mean = mean;
    transform.scale = sd;
  }
  return transform;
}

// A feature per row fits any training targets and does not generalise to new rows.
bool is_identifier(const Column& column, std::span<const Index> rows, Communicator& ranks) {
  if (!column.categorical || column.declared) return false;
  std::vector<std::size_t> counts = count_levels(column, rows);
  sum_counts(ranks, counts);
  const std::size_t values = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t levels =
      counts.size() - static_cast<std::size_t>(std::ranges::count(counts, std::size_t{0}));
  return values > kMostIdentifierRows && 2 * levels > values;
}

std::optional<ColumnTransform> fit_categorical(const Column& column, std::span<const Index> rows,
                                               bool for_trees, Communicator& ranks) {
  ColumnTransform transform;
  transform.name = column.name;
  transform.categorical = true;
  transform.levels = names_in(column, rows, ranks);
  transform.missing_level = any_of(
      ranks, std::ranges::any_of(rows, [&](Index row) { return is_missing_at(column, row); }));
  if (transform.features() < 2) return std::nullopt;
  if (for_trees) {
    transform.for_trees = true;
    transform.missing_level = false;
  }
  return transform;
}

void check_target_is_present(const Column& target, const TrainingRows& training,
                             const std::string& source) {
  for (const Index row : training.rows) {
    if (is_missing_at(target, row)) {
      throw DataError(fmt::format("target '{}' is missing in row {}", target.name,
                                  training.first_row + row + 1),
                      source);
    }
  }
}

// The first training row is that of the first rank that has some.
[[noreturn]] void refuse_text_target(const Column& target, const TrainingRows& training,
                                     const std::string& source, Communicator& ranks) {
  std::string place;
  if (!training.rows.empty()) {
    const Index row = training.rows[0];
    place = fmt::format("'{}' in row {}", value_name(target, row), training.first_row + row + 1);
  }
  const std::vector<std::string> places = gather_text(ranks, place);
  const auto first = std::ranges::find_if(places, [](const auto& text) { return !text.empty(); });
  throw DataError(fmt::format("target '{}' is not numeric: {}", target.name, *first), source);
}

void fit_regression(const Column& target, const TrainingRows& training, const std::string& source,
                    Preprocessor::Parts& parts, Communicator& ranks) {
  if (target.categorical) refuse_text_target(target, training, source, ranks);
  const WeightedValues sample = present_values(target, training);
  const Spread spread = spread_of(sample.values, ranks);
  if (spread.is_constant()) {
    throw DataError(fmt::format("target '{}' is constant in the training rows: {}", target.name,
                                number_name(spread.low)),
                    source);
  }
  const auto [mean, sd] = moments(sample, ranks);
  if (!std::isfinite(sd) || sd == 0) {
    throw DataError(
        fmt::format("the standard deviation of target '{}' is outside the range of doubles",
                    target.name),
        source);
  }
  parts.task = Task::regression;
  parts.target_mean = mean;
  parts.target_sd = sd;
}

void fit_classes(const Column& target, std::span<const Index> rows, std::optional<Task> task,
                 const std::string& source, Preprocessor::Parts& parts, Communicator& ranks) {
  parts.class_names = names_in(target, rows, ranks);
  const std::size_t classes = parts.class_names.size();
  if (classes == 1) {
    throw DataError(fmt::format("target '{}' has one class only in the training rows: '{}'",
                                target.name, parts.class_names[0]),
                    source);
  }
  if (task == Task::binary && classes != 2) {
    throw DataError(
        fmt::format("target '{}' has {} classes, a binary task has 2", target.name, classes),
        source);
  }
  parts.task = task.value_or(classes == 2 ? Task::binary : Task::multiclass);
}

void fit_target(const Column& target, const TrainingRows& training, std::optional<Task> task,
                const std::string& source, Preprocessor::Parts& parts, Communicator& ranks) {
  const std::span<const Index> rows = training.rows;
  parts.target = target.name;
  parts.target_format = target.format;
  check_target_is_present(target, training, source);
  const bool classes = task ? *task != Task::regression
                            : target.categorical || has_two_values(target.numbers, rows, ranks);
  if (classes) {
    fit_classes(target, rows, task, source, parts, ranks);
  } else {
    fit_regression(target, training, source, parts, ranks);
  }
}

std::string identifier_note(const std::string& name) {
  return fmt::format(
      "column '{}' has a different value in more than half of the training rows: left out as an "
      "identifier; --categorical {} keeps it",
      name, name);
}

[[noreturn]] void refuse_without_features(const Preprocessor::Parts& parts,
                                          const std::string& source) {
  if (!parts.identifiers.empty()) {
    throw DataError("no features are left: " + identifier_note(parts.identifiers[0]), source);
  }
  throw DataError("no features are left: every column is constant in the training rows", source);
}

TrainingRows training_rows_of(const Table& table, std::span<const Index> rows,
                              const PreprocessOptions& options) {
  if (options.weight.empty()) return {rows, {}, table.first_row};
  if (options.weight == options.target) {
    throw OptionError(fmt::format("weight = '{}' is the target", options.weight));
  }
  return {rows, positive_weights_of(table, options.weight, rows), table.first_row};
}

std::size_t feature_count(const std::vector<ColumnTransform>& columns) {
  std::size_t count = 0;
  for (const ColumnTransform& column : columns) count += column.features();
  return count;
}

void check_prediction_column(const PreprocessOptions& options) {
  const std::string& name = options.prediction.prediction;
  if (name.empty()) return;
  for (const auto& [other, role] :
       {std::pair(&options.target, "target"), std::pair(&options.weight, "column of weights")}) {
    if (name != *other) continue;
    throw OptionError(fmt::format("prediction = '{}' is the {}", name, role));
  }
}

/// The moments that `transform` lacks, of the scores of the training rows.
void fit_moments(PredictionTransform& transform, WeightedValues scores, const std::string& source) {
  SelfCommunicator self;
  if (spread_of(scores.values, self).is_constant()) {
    throw DataError(fmt::format("the predictions '{}' are the same in all training rows: {}",
                                transform.name, number_name(scores.values[0])),
                    source);
  }
  const Moments first = moments(scores, self);
  if (!std::isfinite(first.sd) || first.sd == 0) {
    throw DataError(
        fmt::format(
            "the standard deviation of the predictions '{}' is outside the range of doubles",
            transform.name),
        source);
  }
  transform.mean = first.mean;
  transform.sd = first.sd;
  for (double& score : scores.values) {
    const double z = transform.standardised(score);
    score = z * z;
  }
  // Two values of equal frequency have equal squares; the feature is then 0.
  const Moments square = moments(scores, self);
  transform.square_mean = square.mean;
  transform.square_sd = square.sd > 1e-12 ? square.sd : 1.0;
}

/// Adds the transform of the predictions in `column` of `table`; the other columns are dropped if
/// they make too many features.
void fit_prediction(const Column& column, const Table& table, const TrainingRows& training,
                    const PredictionOptions& options, Preprocessor::Parts& parts) {
  PredictionTransform transform = prediction_of(options, parts.task, parts.class_names);
  if (column.categorical) {
    const Index row = training.rows[0];
    throw DataError(fmt::format("prediction '{}' is not numeric: '{}' in {}", column.name,
                                is_missing_at(column, row) ? "" : value_name(column, row),
                                place_of(table, column, row)),
                    table.source);
  }
  transform.format = column.format;
  std::size_t clipped = 0;  // reported where the transform is applied
  fit_moments(
      transform,
      {prediction_scores(transform, column, training.rows, table, clipped), training.weights},
      table.source);
  const std::size_t features = feature_count(parts.columns);
  if (options.features == FeatureUse::automatic && features > kMostCorrectionFeatures) {
    transform.features_left_out = features;
    parts.columns.clear();
    parts.dropped.clear();
    parts.identifiers.clear();
  }
  parts.prediction = std::move(transform);
}

bool is_large(std::size_t rows, std::size_t features, std::size_t columns) {
  return rows > kMostDenseBytes / sizeof(float) / features &&
         features / kMostDenseFeatures > columns;
}

}  // namespace

Preprocessor Preprocessor::fit(const Table& table, std::span<const Index> training_rows,
                               const PreprocessOptions& options) {
  SelfCommunicator self;
  return fit(table, training_rows, options, self);
}

Preprocessor Preprocessor::fit(const Table& table, std::span<const Index> training_rows,
                               const PreprocessOptions& options, Communicator& ranks) {
  const std::size_t all_training_rows = sum_of(ranks, training_rows.size());
  if (all_training_rows == 0 || !training_rows.empty()) {
    check_rows(training_rows, table.rows, table.source);
  }
  check_prediction_column(options);
  const bool has_prediction = !options.prediction.prediction.empty();
  Parts parts;
  parts.weight = options.weight;
  const TrainingRows training = training_rows_of(table, training_rows, options);
  const std::vector<bool> is_training = marked_rows(table.rows, training_rows);
  const Column& target = find_column(table, options.target, "target");
  refuse_texts(target, is_training, table.source);
  const std::optional<Column> numeric_target = numeric_in(target, training_rows, ranks);
  fit_target(numeric_target ? *numeric_target : target, training, options.task, table.source, parts,
             ranks);
  for (const Column& given : table.columns) {
    if (&given == &target || given.name == options.weight) continue;
    parts.inputs.push_back(given.name);
    if (has_prediction && (given.name == options.prediction.prediction ||
                           options.prediction.features == FeatureUse::no)) {
      continue;
    }
    refuse_texts(given, is_training, table.source);
    const std::optional<Column> numeric = numeric_in(given, training_rows, ranks);
    const Column& column = numeric ? *numeric : given;
    if (is_identifier(column, training_rows, ranks)) {
      parts.identifiers.push_back(column.name);
      continue;
    }
    std::optional<ColumnTransform> transform =
        column.categorical ? fit_categorical(column, training_rows, options.for_trees, ranks)
                           : fit_numeric(column, training, options, table.source, ranks);
    if (transform) {
      parts.columns.push_back(*std::move(transform));
    } else {
      parts.dropped.push_back(column.name);
    }
  }
  if (has_prediction) {
    const Column& given = find_column(table, options.prediction.prediction, "prediction");
    refuse_texts(given, is_training, table.source);
    const std::optional<Column> numeric = numeric_in(given, training_rows);
    fit_prediction(numeric ? *numeric : given, table, training, options.prediction, parts);
  } else if (parts.columns.empty() && parts.dropped.empty() && parts.identifiers.empty()) {
    throw DataError(fmt::format("no features are left: the target '{}' is the only column that is "
                                "not dropped",
                                target.name),
                    table.source);
  }
  if (parts.columns.empty() && !has_prediction) refuse_without_features(parts, table.source);
  parts.sparse_categories =
      !parts.columns.empty() &&
      is_large(all_training_rows, feature_count(parts.columns), parts.columns.size());
  return Preprocessor(std::move(parts));
}

namespace {

Preprocessor::Parts fit_sparse(const SparseRows& rows, const TrainingRows& training,
                               const Column& target, const PreprocessOptions& options) {
  check_rows(training.rows, rows.rows(), rows.source);
  Preprocessor::Parts parts;
  parts.sparse = true;
  SelfCommunicator self;
  fit_target(target, training, options.task, rows.source, parts, self);
  const SparseSpread spread = sparse_spread(rows, training);
  for (std::size_t c = 0; c < spread.columns.size(); ++c) {
    if (spread.sd[c] == 0) continue;
    parts.sparse_columns.push_back(spread.columns[c]);
    parts.sparse_scales.push_back(options.standardise && !options.for_trees ? spread.sd[c] : 1.0);
  }
  if (parts.sparse_columns.empty()) refuse_without_features(parts, rows.source);
  return parts;
}

}  // namespace

Preprocessor Preprocessor::fit(const SparseRows& rows, std::span<const Index> training_rows,
                               const PreprocessOptions& options) {
  refuse_weight(options.weight, "LIBSVM file", rows.source);
  refuse_prediction(options.prediction, "LIBSVM file", rows.source);
  Column target;
  target.name = "target";
  target.numbers = rows.target;
  return Preprocessor(fit_sparse(rows, {training_rows, {}, 0}, target, options));
}

Preprocessor Preprocessor::fit(const MatrixView& features, std::span<const Index> training_rows,
                               std::span<const std::string> names, const Column& target,
                               std::span<const double> weights, const PreprocessOptions& options) {
  const TrainingRows training{training_rows, {weights.begin(), weights.end()}, 0};
  if (features.is_sparse()) {
    refuse_prediction(options.prediction, "sparse matrix", kMatrixSource);
    std::vector<Index> all(features.rows());
    std::iota(all.begin(), all.end(), Index{0});
    Parts parts = fit_sparse(to_sparse_rows(features, all), training, target, options);
    parts.sparse_width = features.columns();
    return Preprocessor(std::move(parts));
  }
  check_rows(training_rows, features.rows(), kMatrixSource);
  Parts parts;
  parts.inputs.assign(names.begin(), names.end());
  SelfCommunicator self;
  fit_target(target, training, options.task, kMatrixSource, parts, self);
  std::vector<Index> all(training_rows.size());
  std::iota(all.begin(), all.end(), Index{0});
  const TrainingRows in_order{all, training.weights, 0};
  const bool has_prediction = !options.prediction.prediction.empty();
  std::optional<Column> prediction;
  for (std::size_t c = 0; c < features.columns(); ++c) {
    const NanValues nan = options.has_missing ? NanValues::missing : NanValues::refused;
    Column column = to_column(features, c, training_rows, names[c], nan);
    if (has_prediction && names[c] == options.prediction.prediction) {
      prediction = std::move(column);
      continue;
    }
    if (has_prediction && options.prediction.features == FeatureUse::no) continue;
    if (auto transform = column.categorical
                             ? fit_categorical(column, all, options.for_trees, self)
                             : fit_numeric(column, in_order, options, kMatrixSource, self)) {
      parts.columns.push_back(*std::move(transform));
    } else {
      parts.dropped.push_back(names[c]);
    }
  }
  if (prediction) {
    Table table;
    table.source = kMatrixSource;
    fit_prediction(*prediction, table, in_order, options.prediction, parts);
  } else if (parts.columns.empty()) {
    refuse_without_features(parts, kMatrixSource);
  }
  parts.sparse_categories =
      features.has_categories() && !parts.columns.empty() &&
      is_large(training_rows.size(), feature_count(parts.columns), parts.columns.size());
  return Preprocessor(std::move(parts));
}

std::size_t Preprocessor::features() const noexcept {
  return parts_.sparse_columns.size() + parts_.image.size() + feature_count(parts_.columns) +
         (parts_.prediction ? kPredictionFeatures : 0);
}

std::vector<std::string> Preprocessor::feature_names() const {
  std::vector<std::string> names;
  for (const std::uint32_t column : parts_.sparse_columns) {
    names.push_back(fmt::format("c{}", std::uint64_t{column} + 1));
  }
  for (const ColumnTransform& column : parts_.columns) {
    if (!column.categorical || column.for_trees) names.push_back(column.name);
    if (column.for_trees) continue;
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
    if (column.missing_level) names.push_back(column.name + " is missing");
  }
  if (parts_.prediction) {
    names.push_back(parts_.prediction->name);
    names.push_back(parts_.prediction->name + "^2");
  }
  return names;
}

std::vector<std::string> Preprocessor::notes() const {
  std::vector<std::string> notes;
  for (const std::string& name : parts_.dropped) {
    notes.push_back(
        fmt::format("column '{}' is constant in the training rows and was dropped", name));
  }
  for (const std::string& name : parts_.identifiers) notes.push_back(identifier_note(name));
  for (const ColumnTransform& column : parts_.columns) {
    if (!column.for_trees || column.mean == 0) continue;
    notes.push_back(fmt::format(
        "the values of column '{}' differ by little of their size: trees split their distance from "
        "the mean, {}",
        column.name, number_name(column.mean)));
  }
  if (parts_.prediction && parts_.prediction->features_left_out > 0) {
    notes.push_back(fmt::format(
        "{} features are more than {}: the correction depends on the predictions alone; "
        "--features yes uses them",
        parts_.prediction->features_left_out, kMostCorrectionFeatures));
  }
  return notes;
}

}  // namespace adacvar
