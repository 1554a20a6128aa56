#include "run/row_detail.hpp"

#include "base/number_text.hpp"
#include "learner/tree_model.hpp"
#include "run/input_columns.hpp"

#include <adacvar/learner/linear_model.hpp>
#include <adacvar/risk/classification.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kMostColumns = 12;

std::string prediction_text(const Dataset& data, double value) {
  if (data.task == Task::regression) return number_text(value);
  return data.class_names[static_cast<std::size_t>(value)];
}

std::string target_text(const RowsView& view, std::size_t row) {
  const TargetScale scale = view.preprocessor.target_scale();
  return prediction_text(view.data, scale.mean + scale.sd * view.data.targets[row]);
}

std::vector<std::size_t> worst_indices(std::span<const double> losses, std::size_t count) {
  std::vector<std::size_t> indices(losses.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  count = std::min(count, indices.size());
  const auto end = indices.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(indices, end, [&](std::size_t a, std::size_t b) {
    return std::pair(-losses[a], a) < std::pair(-losses[b], b);
  });
  indices.resize(count);
  return indices;
}

// Features are standardised, so their weights are comparable.
double weight_of(const InputColumn& column, const LinearModel& model) {
  double largest = 0;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    for (const double weight : model.weights(o).subspan(column.first, column.count)) {
      largest = std::max(largest, std::abs(weight));
    }
  }
  return largest;
}

// Returns the columns with the largest weights, in the order of the data.
std::vector<InputColumn> main_columns(const RowsView& view) {
  std::vector<InputColumn> columns = input_columns(view.preprocessor.parts());
  if (columns.size() <= kMostColumns) return columns;
  if (const auto* const linear = dynamic_cast<const LinearModel*>(&view.scorer)) {
    std::ranges::stable_sort(columns, std::ranges::greater(),
                             [&](const InputColumn& column) { return weight_of(column, *linear); });
  } else if (const auto* const trees = dynamic_cast<const TreeModel*>(&view.scorer)) {
    std::ranges::stable_sort(
        columns, std::ranges::greater(),
        [shares = trees->importance()](const InputColumn& column) { return shares[column.first]; });
  }
  columns.resize(kMostColumns);
  std::ranges::sort(columns, {}, &InputColumn::first);
  return columns;
}

double feature_value(const Dataset& data, std::size_t row, std::size_t feature) {
  if (!data.is_sparse()) return double{data.dense[row * data.features + feature]};
  const auto begin = data.column.begin() + static_cast<std::ptrdiff_t>(data.start[row]);
  const auto end = data.column.begin() + static_cast<std::ptrdiff_t>(data.start[row + 1]);
  const auto found = std::lower_bound(begin, end, static_cast<std::uint32_t>(feature));
  if (found == end || *found != feature) return 0;
  return double{data.entry(static_cast<std::size_t>(found - data.column.begin()))};
}

std::string category_text(const Dataset& data, std::size_t row, const InputColumn& column) {
  const std::vector<std::string>& levels = column.transform->levels;
  for (std::size_t i = 0; i < column.count; ++i) {
    if (feature_value(data, row, column.first + i) == 0) continue;
    return i < levels.size() ? levels[i] : "(missing)";
  }
  return "(other)";
}

// As trees take it: one feature, the number itself or the position of the level.
std::string tree_input_text(double value, const ColumnTransform& transform) {
  if (std::isnan(value)) return "(missing)";
  return transform.categorical ? transform.levels[static_cast<std::size_t>(value)]
                               : number_text(value);
}

std::string input_text(const Dataset& data, std::size_t row, const InputColumn& column) {
  if (column.transform == nullptr) {
    return number_text(feature_value(data, row, column.first) * column.scale);
  }
  if (column.transform->for_trees) {
    return tree_input_text(feature_value(data, row, column.first), *column.transform);
  }
  if (column.transform->categorical) return category_text(data, row, column);
  const double mean = column.transform->mean;
  const double scale = column.transform->scale;
  const double value = feature_value(data, row, column.first) * scale + mean;
  // Features have single precision: a tiny value is a zero with rounding error.
  return number_text(std::abs(value) < 1e-6 * (std::abs(mean) + scale) ? 0.0 : value);
}

std::vector<ClassScore> class_scores(const RowsView& view) {
  const Dataset& data = view.data;
  ConfusionMatrix matrix(data.class_names.size());
  std::vector<std::uint64_t> rows(data.class_names.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    const auto actual = static_cast<std::size_t>(data.targets[i]);
    matrix.add(actual, static_cast<std::size_t>(view.scored.predictions.values[i]), data.weight(i));
    ++rows[actual];
  }
  std::vector<ClassScore> scores;
  for (std::size_t c = 0; c < data.class_names.size(); ++c) {
    scores.push_back({data.class_names[c], rows[c], matrix.precision(c), matrix.recall(c)});
  }
  return scores;
}

std::vector<WorstRow> worst_rows(const RowsView& view, std::size_t count) {
  const std::vector<InputColumn> columns = main_columns(view);
  std::vector<WorstRow> worst;
  for (const std::size_t i : worst_indices(view.scored.losses, count)) {
    WorstRow row{std::size_t{view.rows[i]} + 1, view.scored.losses[i], target_text(view, i),
                 prediction_text(view.data, view.scored.predictions.values[i])};
    for (const InputColumn& column : columns) {
      row.values.push_back(input_text(view.data, i, column));
    }
    worst.push_back(std::move(row));
  }
  return worst;
}

}  // namespace

PartDetail describe_rows(const RowsView& view, std::size_t worst) {
  PartDetail detail;
  for (const InputColumn& column : main_columns(view)) {
    detail.columns.push_back(column.name);
  }
  detail.worst = worst_rows(view, worst);
  if (view.data.task == Task::regression) {
    const TargetScale scale = view.preprocessor.target_scale();
    for (const double target : view.data.targets) {
      detail.targets.push_back(scale.mean + scale.sd * target);
    }
    detail.predictions = view.scored.predictions.values;
    return detail;
  }
  detail.classes = class_scores(view);
  detail.calibration = calibration_of(view.data, view.scored.predictions);
  return detail;
}

}  // namespace adacvar
