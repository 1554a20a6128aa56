#include "data/preprocess.hpp"

#include "base/collectives.hpp"
#include "base/did_you_mean.hpp"
#include "base/name_list.hpp"
#include "data/class_labels.hpp"
#include "data/matrix_columns.hpp"
#include "data/number_format.hpp"
#include "data/preprocess_images.hpp"
#include "data/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

namespace adacvar {

namespace {

constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

/// Finds names in a list. It takes four bytes per name, since there may be as many names as rows.
class Places {
  [[nodiscard]] auto name_at() const {
    return [this](std::uint32_t place) { return std::string_view(names_[place]); };
  }

 public:
  explicit Places(const std::vector<std::string>& names) : names_(names), order_(names.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    if (!std::ranges::is_sorted(names)) std::ranges::sort(order_, {}, name_at());
  }
  // Returns kNotFound if the name is not in the list.
  [[nodiscard]] std::size_t find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(order_, name, {}, name_at());
    return found != order_.end() && names_[*found] == name ? *found : kNotFound;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::uint32_t> order_;  // places by name
};

[[noreturn]] void refuse_float(std::string_view name, std::size_t row, const std::string& source) {
  throw DataError(fmt::format("column '{}', row {}: the value does not fit a float", name, row),
                  source);
}

/// Rows of a table that become rows of a dataset, column by column; `offset` is the first feature
/// of the current column.
class FeatureRows {
 public:
  FeatureRows(Dataset& data, std::span<const Index> dataset_rows, const Table& from, bool sparse)
      : rows(dataset_rows), table(from), data_(data) {
    if (sparse) {
      data.start.resize(rows.size() + 1);
    } else {
      data.dense.resize(data.rows * data.features);
    }
  }

  // Sparse: counts a nonzero feature of row i; called for all rows before `reserve`.
  void count(std::size_t i) { ++data_.start[i + 1]; }
  // Sparse: from here on start[i + 1] is where the next entry of row i goes, so that it ends where
  // the next row begins. `one_hot`: every value will be 1, and none is stored.
  void reserve(bool one_hot) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < data_.start.size(); ++i) {
      begin += std::exchange(data_.start[i], begin);
    }
    data_.column.resize(begin);
    if (!one_hot) data_.value.resize(begin);
  }
  void set(std::size_t i, std::size_t feature, float value) {
    if (!data_.is_sparse()) {
      data_.dense[i * data_.features + offset + feature] = value;
      return;
    }
    const std::size_t place = data_.start[i + 1]++;
    data_.column[place] = static_cast<std::uint32_t>(offset + feature);
    if (!data_.value.empty()) data_.value[place] = value;
  }
  [[nodiscard]] std::size_t row_number(Index row) const { return table.first_row + row + 1; }

  std::span<const Index> rows;
  const Table& table;
  std::size_t offset = 0;

 private:
  Dataset& data_;
};

[[noreturn]] void refuse_text_column(const std::string& name, const ColumnTransform& transform,
                                     const NumericReport& report, const std::string& source) {
  throw DataError(
      fmt::format(
          "column '{}' is numeric in training, with a decimal {}{}, but has '{}' in {}; "
          "set --decimal to the decimal sign of these numbers",
          name, transform.format.decimal == ',' ? "comma" : "point",
          transform.format.mark.empty() ? "" : fmt::format(" and '{}'", transform.format.mark),
          report.first_text, report.first_place),
      source);
}

bool has_numbers(const Column& column) {
  return std::ranges::any_of(column.numbers, [](double number) { return !std::isnan(number); });
}

void count_numbers(const Column& column, const FeatureRows& to, NumericReport& report) {
  for (const Index row : to.rows) {
    if (!std::isnan(column.numbers[row])) {
      ++report.numbers;
      continue;
    }
    const TextValue* const text = text_at(column, row);
    ++(text == nullptr ? report.missing : report.texts);
    if (text == nullptr || report.texts > 1) continue;
    report.first_text = text->text;
    report.first_place = place_of(to.table, column, row);
  }
}

/// Standardised values are clipped at `clip` standard deviations.
void apply_numeric(const ColumnTransform& transform, const Column& column, double clip,
                   FeatureRows& to, NumericReport& report, bool has_other_rows = false) {
  count_numbers(column, to, report);
  // A column without any number is not the column of training.
  if (!has_other_rows && report.numbers == 0 && report.texts > 0 && !has_numbers(column)) {
    refuse_text_column(column.name, transform, report, to.table.source);
  }
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const Index row = to.rows[i];
    const bool is_missing = is_missing_at(column, row);
    if (is_missing && transform.for_trees) {
      to.set(i, 0, std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const double value = is_missing ? transform.fill : column.numbers[row];
    const auto feature =
        static_cast<float>(std::clamp((value - transform.mean) / transform.scale, -clip, clip));
    if (!std::isfinite(feature)) refuse_float(column.name, to.row_number(row), to.table.source);
    to.set(i, 0, feature);
  }
}

/// Finds the feature of each row in a categorical column.
class LevelPlaces {
 public:
  LevelPlaces(const ColumnTransform& transform, const Column& column)
      : transform_(transform),
        column_(column),
        places_(transform.levels),
        place_of_code_(column.levels.size(), kNotLookedUp) {}

  // Returns kNotFound for a value not seen in training.
  std::size_t at(Index row) {
    if (is_missing_at(column_, row)) {
      return transform_.missing_level ? transform_.levels.size() : kNotFound;
    }
    // Levels that look like numbers may come back as a numeric column.
    if (!column_.categorical) return places_.find(value_name(column_, row));
    std::size_t& place = place_of_code_[column_.codes[row]];
    if (place == kNotLookedUp) place = places_.find(column_.levels[column_.codes[row]]);
    return place;
  }

 private:
  static constexpr std::size_t kNotLookedUp = kNotFound - 1;

  const ColumnTransform& transform_;
  const Column& column_;
  Places places_;
  std::vector<std::size_t> place_of_code_;
};

/// Returns the number of values not seen in training.
std::size_t apply_categorical(const ColumnTransform& transform, const Column& column,
                              FeatureRows& to) {
  LevelPlaces places(transform, column);
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const std::size_t place = places.at(to.rows[i]);
    if (transform.for_trees) {
      to.set(
          i, 0,
          place == kNotFound ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(place));
      if (place == kNotFound && !is_missing_at(column, to.rows[i])) ++unknown;
    } else if (place == kNotFound) {
      ++unknown;
    } else {
      to.set(i, place, 1.0F);
    }
  }
  return unknown;
}

[[noreturn]] void refuse_class(const Preprocessor::Parts& parts, std::string_view name, Index row,
                               const std::string& source) {
  throw DataError(
      fmt::format("class '{}' in row {} is not one of those seen in training: {}{}", name, row + 1,
                  name_list(parts.class_names), did_you_mean(name, parts.class_names)),
      source);
}

std::vector<double> class_targets(const Preprocessor::Parts& parts, const Column& target,
                                  std::span<const Index> rows, const std::string& source) {
  const Places places(parts.class_names);
  std::vector<double> targets;
  targets.reserve(rows.size());
  for (const Index row : rows) {
    const std::string name = value_name(target, row);
    const std::size_t place = places.find(name);
    if (place == kNotFound) refuse_class(parts, name, row, source);
    targets.push_back(static_cast<double>(place));
  }
  return targets;
}

std::vector<double> make_targets(const Preprocessor::Parts& parts, const Column& target,
                                 std::span<const Index> rows, const std::string& source) {
  for (const Index row : rows) {
    if (!is_missing_at(target, row)) continue;
    const TextValue* const text = text_at(target, row);
    throw DataError(fmt::format("target '{}' is missing in row {}{}", target.name, row + 1,
                                text == nullptr ? "" : fmt::format(": '{}'", text->text)),
                    source);
  }
  if (parts.task != Task::regression) return class_targets(parts, target, rows, source);
  std::vector<double> targets;
  targets.reserve(rows.size());
  for (const Index row : rows) {
    targets.push_back((target.numbers[row] - parts.target_mean) / parts.target_sd);
  }
  return targets;
}

/// Returns a column as in training: as numbers if its values were read as text.
class AsInTraining {
 public:
  AsInTraining(const Column& column, bool categorical, const NumberFormat& format)
      : column_(&column) {
    if (categorical || !column.categorical) return;
    numeric_ = as_numeric(column, format);
    column_ = &numeric_;
  }
  AsInTraining(const AsInTraining&) = delete;
  AsInTraining& operator=(const AsInTraining&) = delete;
  AsInTraining(AsInTraining&&) = delete;
  AsInTraining& operator=(AsInTraining&&) = delete;
  ~AsInTraining() = default;
  [[nodiscard]] const Column& operator*() const noexcept { return *column_; }

 private:
  Column numeric_;
  const Column* column_;
};

// A text where classes were numbers in training is a missing target, not another class.
AsInTraining target_of(const Preprocessor::Parts& parts, const Table& table) {
  const Column& target = find_column(table, parts.target, "target");
  const bool numeric =
      parts.task == Task::regression || (are_number_names(parts.class_names) && !target.declared);
  return {target, !numeric, parts.target_format};
}

bool has_column(const Table& table, const std::string& name) {
  return std::ranges::find(table.columns, name, &Column::name) != table.columns.end();
}

Dataset make_dataset(const Preprocessor& preprocessor, std::size_t rows) {
  Dataset data;
  data.rows = rows;
  data.features = preprocessor.features();
  data.task = preprocessor.parts().task;
  data.class_names = preprocessor.parts().class_names;
  const TargetScale scale = preprocessor.target_scale();
  data.target_error = std::numeric_limits<double>::epsilon() * std::abs(scale.mean) / scale.sd;
  for (const ColumnTransform& column : preprocessor.parts().columns) {
    if (column.for_trees) data.levels.push_back(static_cast<std::uint32_t>(column.levels.size()));
  }
  return data;
}

// Columns are usually in the order of training; `place` is tried first.
const Column& next_column(const Table& table, const std::string& name, std::size_t& place) {
  const bool in_order = place < table.columns.size() && table.columns[place].name == name;
  const Column& column = in_order ? table.columns[place] : find_column(table, name, "feature");
  place = static_cast<std::size_t>(&column - table.columns.data()) + 1;
  return column;
}

}  // namespace

std::vector<std::string> apply_notes(const ApplyReport& report, std::string_view part) {
  std::vector<std::string> notes;
  if (report.unknown_categories > 0) {
    const bool one = report.unknown_categories == 1;
    notes.push_back(fmt::format("{} value{} of {} in {} rows {} not seen in training: {}",
                                report.unknown_categories, one ? "" : "s",
                                name_list(report.unknown_columns), part, one ? "was" : "were",
                                report.for_trees ? "treated as missing" : "all zeros"));
  }
  for (const auto& [name, column] : report.numeric) {
    if (column.texts == 0) continue;
    notes.push_back(fmt::format(
        "{} value{} of the numeric column '{}' in {} rows {} text (first: '{}' in {}): treated "
        "as missing",
        column.texts, column.texts == 1 ? "" : "s", name, part, column.texts == 1 ? "is" : "are",
        column.first_text, column.first_place));
  }
  if (report.lacks_weights) {
    notes.push_back(fmt::format("{} rows have no column of weights: every row counts 1", part));
  }
  if (report.clipped_predictions > 0) {
    const bool one = report.clipped_predictions == 1;
    notes.push_back(
        fmt::format("{} predicted probabilit{} in {} rows {} within {:g} of 0 or 1: clipped there",
                    report.clipped_predictions, one ? "y" : "ies", part, one ? "is" : "are",
                    kLeastProbability));
  }
  return notes;
}

namespace {

/// Columns in which some rank met an unknown value, in their order.
std::vector<std::string> unknown_columns_of(const ApplyReport& report,
                                            const Preprocessor& preprocessor, Communicator& ranks) {
  std::vector<std::size_t> is_unknown;
  for (const ColumnTransform& column : preprocessor.parts().columns) {
    is_unknown.push_back(std::ranges::count(report.unknown_columns, column.name) > 0 ? 1 : 0);
  }
  sum_counts(ranks, is_unknown);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < is_unknown.size(); ++c) {
    if (is_unknown[c] > 0) names.push_back(preprocessor.parts().columns[c].name);
  }
  return names;
}

/// The first text of any rank, and its place: ranks have their rows in order.
void merge_first_text(NumericReport& report, Communicator& ranks) {
  const std::vector<std::string> texts = gather_text(ranks, report.first_text);
  const std::vector<std::string> places = gather_text(ranks, report.first_place);
  const auto first =
      std::ranges::find_if(places, [](const std::string& place) { return !place.empty(); });
  const auto rank = static_cast<std::size_t>(first - places.begin());
  report.first_text = texts[rank];
  report.first_place = places[rank];
}

}  // namespace

void merge_report(ApplyReport& report, const Preprocessor& preprocessor, const Table& table,
                  Communicator& ranks) {
  if (ranks.size() == 1) return;
  report.unknown_columns = unknown_columns_of(report, preprocessor, ranks);
  report.unknown_categories = sum_of(ranks, report.unknown_categories);
  report.clipped_predictions = sum_of(ranks, report.clipped_predictions);
  for (const ColumnTransform& transform : preprocessor.parts().columns) {
    if (transform.categorical) continue;
    NumericReport& met = report.numeric[transform.name];
    std::array counts{met.numbers, met.missing, met.texts};
    sum_counts(ranks, counts);
    met.numbers = counts[0];
    met.missing = counts[1];
    met.texts = counts[2];
    if (met.texts == 0) continue;
    merge_first_text(met, ranks);
    const AsInTraining column(find_column(table, transform.name, "feature"), false,
                              transform.format);
    if (!any_of(ranks, has_numbers(*column)) && met.numbers == 0) {
      refuse_text_column(transform.name, transform, met, table.source);
    }
  }
}

std::string missing_note(const ApplyReport& report, std::string_view part) {
  std::size_t count = 0;
  std::vector<std::string> names;
  for (const auto& [name, column] : report.numeric) {
    count += column.missing;
    if (column.missing > 0) names.push_back(name);
  }
  if (count == 0 || report.for_trees) return {};
  return fmt::format("{} number{} of {} in {} rows {} missing: replaced by the training mean",
                     count, count == 1 ? "" : "s", name_list(names), part,
                     count == 1 ? "is" : "are");
}

namespace {

// Every row of a sparse dataset has an entry for each column, except for values not seen in
// training, and one for each feature of a prediction.
void count_entries(const Preprocessor::Parts& parts, std::span<const Column* const> columns,
                   FeatureRows& to) {
  const std::vector<ColumnTransform>& transforms = parts.columns;
  for (std::size_t f = 0; parts.prediction && f < kPredictionFeatures; ++f) {
    for (std::size_t i = 0; i < to.rows.size(); ++i) to.count(i);
  }
  for (std::size_t c = 0; c < transforms.size(); ++c) {
    if (!transforms[c].categorical) {
      for (std::size_t i = 0; i < to.rows.size(); ++i) to.count(i);
      continue;
    }
    LevelPlaces places(transforms[c], *columns[c]);
    for (std::size_t i = 0; i < to.rows.size(); ++i) {
      if (places.at(to.rows[i]) != kNotFound) to.count(i);
    }
  }
}

/// The last two features and the offsets, in the units of the dataset's targets.
void apply_prediction(const Preprocessor& preprocessor, const Column& column, FeatureRows& to,
                      Dataset& data, std::size_t& clipped) {
  const PredictionTransform& prediction = *preprocessor.parts().prediction;
  const TargetScale target = preprocessor.target_scale();
  data.offsets = prediction_scores(prediction, column, to.rows, to.table, clipped);
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const double score = data.offsets[i];
    to.set(i, 0, static_cast<float>(prediction.standardised(score)));
    to.set(i, 1, static_cast<float>(prediction.standardised_square(score)));
    data.offsets[i] = (score - target.mean) / target.sd;
  }
}

// Features of ordinary models are not clipped.
double clip_of(const Preprocessor::Parts& parts) {
  return parts.prediction ? parts.prediction->clip : std::numeric_limits<double>::infinity();
}

}  // namespace

Dataset Preprocessor::apply_features(const Table& table, std::span<const Index> rows,
                                     ApplyReport* report) const {
  if (parts_.sparse || parts_.image.size() > 0)
    refuse_kind(parts_, "this is a table", table.source);
  if (!rows.empty()) check_rows(rows, table.rows, table.source);
  std::vector<const Column*> columns;
  std::size_t place = 0;
  for (const ColumnTransform& transform : parts_.columns) {
    columns.push_back(&next_column(table, transform.name, place));
  }
  Dataset data = make_dataset(*this, rows.size());
  FeatureRows to(data, rows, table, parts_.sparse_categories);
  if (parts_.sparse_categories) {
    count_entries(parts_, columns, to);
    to.reserve(!parts_.prediction &&
               std::ranges::all_of(parts_.columns, &ColumnTransform::categorical));
  }
  ApplyReport local;
  ApplyReport& met = report != nullptr ? *report : local;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ColumnTransform& transform = parts_.columns[c];
    met.for_trees = transform.for_trees;
    if (transform.categorical) {
      const std::size_t unknown = apply_categorical(transform, *columns[c], to);
      met.unknown_categories += unknown;
      if (unknown > 0 &&
          std::ranges::find(met.unknown_columns, transform.name) == met.unknown_columns.end()) {
        met.unknown_columns.push_back(transform.name);
      }
    } else {
      const AsInTraining column(*columns[c], false, transform.format);
      apply_numeric(transform, *column, clip_of(parts_), to, met.numeric[transform.name],
                    met.has_other_rows);
    }
    to.offset += transform.features();
    if (transform.categorical && !transform.for_trees) {
      data.reference_levels.push_back(static_cast<std::uint32_t>(to.offset - 1));
    }
  }
  if (parts_.prediction) {
    const Column& given = find_column(table, parts_.prediction->name, "prediction");
    const AsInTraining column(given, false, parts_.prediction->format);
    apply_prediction(*this, *column, to, data, met.clipped_predictions);
  }
  return data;
}

std::vector<Index> Preprocessor::rows_with_target(const Table& table,
                                                  std::span<const Index> rows) const {
  const AsInTraining target = target_of(parts_, table);
  std::vector<Index> found(rows.begin(), rows.end());
  std::erase_if(found, [&](Index row) { return is_missing_at(*target, row); });
  return found;
}

std::vector<Index> Preprocessor::rows_with_weight(const Table& table,
                                                  std::span<const Index> rows) const {
  if (parts_.weight.empty() || !has_column(table, parts_.weight)) {
    return {rows.begin(), rows.end()};
  }
  return adacvar::rows_with_weight(table, parts_.weight, rows);
}

std::string Preprocessor::target_text_note(const Table& table, std::span<const Index> rows) const {
  const AsInTraining target = target_of(parts_, table);
  for (const Index row : rows) {
    const TextValue* const text = text_at(*target, row);
    if (text == nullptr) continue;
    return fmt::format("; '{}' in {} is text, not a number with a decimal {}", text->text,
                       place_of(table, *target, row),
                       parts_.target_format.decimal == ',' ? "comma" : "point");
  }
  return {};
}

Dataset Preprocessor::apply(const Table& table, std::span<const Index> rows,
                            ApplyReport* report) const {
  if (!rows.empty()) check_rows(rows, table.rows, table.source);
  const AsInTraining target = target_of(parts_, table);
  std::vector<double> targets = make_targets(parts_, *target, rows, table.source);
  std::vector<double> weights;
  if (!parts_.weight.empty()) {
    const bool lacks_weights = !has_column(table, parts_.weight);
    if (!lacks_weights) weights = positive_weights_of(table, parts_.weight, rows);
    if (report != nullptr) report->lacks_weights = lacks_weights;
  }
  Dataset data = apply_features(table, rows, report);
  data.targets = std::move(targets);
  data.weights = std::move(weights);
  return data;
}

Dataset Preprocessor::apply(const SparseRows& sparse, std::span<const Index> rows) const {
  Dataset data = apply_features(sparse, rows);
  Column target;
  target.name = parts_.target;
  target.numbers = sparse.target;
  data.targets = make_targets(parts_, target, rows, sparse.source);
  return data;
}

std::vector<double> Preprocessor::apply_targets(const Column& target, std::span<const Index> rows,
                                                const std::string& source) const {
  return make_targets(parts_, target, rows, source);
}

namespace {

// Trees take missing values as they are.
NanValues nan_values(const Preprocessor::Parts& parts) {
  const bool for_trees = !parts.columns.empty() && parts.columns[0].for_trees;
  return for_trees ? NanValues::missing : NanValues::refused;
}

Table to_table(const MatrixView& features, std::span<const Index> rows,
               const Preprocessor::Parts& parts) {
  const std::vector<std::string>& names = parts.inputs;
  Table table;
  table.source = kMatrixSource;
  table.rows = rows.size();
  for (std::size_t c = 0; c < names.size(); ++c) {
    table.columns.push_back(to_column(features, c, rows, names[c], nan_values(parts)));
  }
  return table;
}

void check_matrix(const Preprocessor::Parts& parts, const MatrixView& features) {
  if (parts.sparse != features.is_sparse() || parts.image.size() > 0) {
    refuse_kind(parts,
                features.is_sparse() ? "these are sparse rows" : "these are dense rows of numbers",
                kMatrixSource);
  }
  const std::size_t columns = parts.sparse ? parts.sparse_width : parts.inputs.size();
  if (columns == 0 && !parts.sparse) {
    throw DataError(
        "the model file does not keep the order of its columns: use a table with their names",
        kMatrixSource);
  }
  if (columns != features.columns() && columns > 0) {
    throw DataError(
        fmt::format("has {} columns, the model was trained on {}", features.columns(), columns),
        kMatrixSource);
  }
}

}  // namespace

Dataset Preprocessor::apply_features(const MatrixView& features,
                                     std::span<const Index> rows) const {
  check_matrix(parts_, features);
  std::vector<Index> in_order(rows.size());
  std::iota(in_order.begin(), in_order.end(), Index{0});
  if (features.is_sparse()) return apply_features(to_sparse_rows(features, rows), in_order);
  if (features.has_categories()) {
    return apply_features(to_table(features, rows, parts_), in_order);
  }
  Table table;
  table.source = kMatrixSource;
  table.rows = rows.size();
  Dataset data = make_dataset(*this, rows.size());
  FeatureRows to(data, in_order, table, false);
  std::size_t place = 0;
  for (const ColumnTransform& transform : parts_.columns) {
    if (transform.categorical) {
      throw DataError(fmt::format("the model's column '{}' has categories: it takes tables, not "
                                  "matrices of numbers",
                                  transform.name),
                      kMatrixSource);
    }
    while (parts_.inputs[place] != transform.name) ++place;
    NumericReport report;
    apply_numeric(transform, to_column(features, place, rows, transform.name, nan_values(parts_)),
                  clip_of(parts_), to, report);
    ++to.offset;
  }
  if (parts_.prediction) {
    const std::string& name = parts_.prediction->name;
    const auto found = std::ranges::find(parts_.inputs, name);
    std::size_t clipped = 0;
    apply_prediction(
        *this,
        to_column(features, static_cast<std::size_t>(found - parts_.inputs.begin()), rows, name),
        to, data, clipped);
  }
  return data;
}

Dataset Preprocessor::apply_features(const SparseRows& sparse, std::span<const Index> rows) const {
  if (!parts_.sparse) refuse_kind(parts_, "these are sparse rows", sparse.source);
  if (!rows.empty()) check_rows(rows, sparse.rows(), sparse.source);
  Dataset data = make_dataset(*this, rows.size());
  data.start.push_back(0);
  for (const Index row : rows) {
    for (std::size_t e = sparse.start[row]; e < sparse.start[row + 1]; ++e) {
      const auto found = std::ranges::lower_bound(parts_.sparse_columns, sparse.column[e]);
      if (found == parts_.sparse_columns.end() || *found != sparse.column[e]) continue;
      const auto place = static_cast<std::size_t>(found - parts_.sparse_columns.begin());
      const auto value =
          static_cast<float>(static_cast<double>(sparse.value[e]) / parts_.sparse_scales[place]);
      if (!std::isfinite(value)) {
        refuse_float(fmt::format("c{}", std::uint64_t{*found} + 1), row + 1, sparse.source);
      }
      data.column.push_back(static_cast<std::uint32_t>(place));
      data.value.push_back(value);
    }
    data.start.push_back(data.column.size());
  }
  return data;
}

}  // namespace adacvar
