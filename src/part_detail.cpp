#include "part_detail.hpp"

#include <adacvar/report/number_text.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kMostColumns = 12;

std::string value_text(const Dataset& data, double value) {
  if (data.task == Task::regression) return number_text(value);
  return data.class_names[static_cast<std::size_t>(value)];
}

std::vector<std::size_t> places_of_worst(std::span<const double> losses, std::size_t count) {
  std::vector<std::size_t> places(losses.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  count = std::min(count, places.size());
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(places, end, [&](std::size_t a, std::size_t b) {
    return std::pair(-losses[a], a) < std::pair(-losses[b], b);
  });
  places.resize(count);
  return places;
}

/// An input column and the features made of it.
struct InputColumn {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 1;
  const ColumnTransform* transform = nullptr;  // none: sparse
  double scale = 1;                            // sparse
};

std::vector<InputColumn> input_columns(const Preprocessor::Parts& parts) {
  std::vector<InputColumn> columns;
  std::size_t first = 0;
  for (const ColumnTransform& column : parts.columns) {
    columns.push_back({column.name, first, column.features(), &column});
    first += column.features();
  }
  for (std::size_t c = 0; c < parts.sparse_columns.size(); ++c) {
    columns.push_back(
        {fmt::format("c{}", parts.sparse_columns[c] + 1), c, 1, nullptr, parts.sparse_scales[c]});
  }
  return columns;
}

// Features are standardised, so weights compare.
double weight_of(const InputColumn& column, const LinearModel& model) {
  double most = 0;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    for (const double weight : model.weights(o).subspan(column.first, column.count)) {
      most = std::max(most, std::abs(weight));
    }
  }
  return most;
}

// In the order of the data.
std::vector<InputColumn> weightiest_columns(const JudgedRows& judged) {
  std::vector<InputColumn> columns = input_columns(judged.preprocessor.parts());
  if (columns.size() <= kMostColumns) return columns;
  if (judged.linear != nullptr) {
    std::ranges::stable_sort(columns, std::ranges::greater(), [&](const InputColumn& column) {
      return weight_of(column, *judged.linear);
    });
  }
  columns.resize(kMostColumns);
  std::ranges::sort(columns, {}, &InputColumn::first);
  return columns;
}

double feature_of(const Dataset& data, std::size_t row, std::size_t feature) {
  if (!data.is_sparse()) return double{data.dense[row * data.features + feature]};
  const auto begin = data.column.begin() + static_cast<std::ptrdiff_t>(data.start[row]);
  const auto end = data.column.begin() + static_cast<std::ptrdiff_t>(data.start[row + 1]);
  const auto found = std::lower_bound(begin, end, static_cast<std::uint32_t>(feature));
  if (found == end || *found != feature) return 0;
  return double{data.value[static_cast<std::size_t>(found - data.column.begin())]};
}

std::string category_text(const Dataset& data, std::size_t row, const InputColumn& column) {
  const std::vector<std::string>& levels = column.transform->levels;
  for (std::size_t i = 0; i < column.count; ++i) {
    if (feature_of(data, row, column.first + i) == 0) continue;
    return i < levels.size() ? levels[i] : "(missing)";
  }
  return "(other)";
}

std::string input_text(const Dataset& data, std::size_t row, const InputColumn& column) {
  if (column.transform == nullptr) {
    return number_text(feature_of(data, row, column.first) * column.scale);
  }
  if (column.transform->categorical) return category_text(data, row, column);
  const double mean = column.transform->mean;
  const double scale = column.transform->scale;
  const double value = feature_of(data, row, column.first) * scale + mean;
  // Features are of single precision: what is left of a zero is rounding.
  return number_text(std::abs(value) < 1e-6 * (std::abs(mean) + scale) ? 0.0 : value);
}

std::vector<ClassScore> class_scores(const JudgedRows& judged) {
  const Dataset& data = judged.data;
  ConfusionMatrix matrix(data.class_names.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    matrix.add(static_cast<std::size_t>(data.targets[i]),
               static_cast<std::size_t>(judged.predictions.values[i]));
  }
  std::vector<ClassScore> scores;
  for (std::size_t c = 0; c < data.class_names.size(); ++c) {
    scores.push_back({data.class_names[c], static_cast<std::uint64_t>(matrix.count(c).actual),
                      matrix.precision(c), matrix.recall(c)});
  }
  return scores;
}

std::vector<CalibrationBin> calibration_of(const JudgedRows& judged) {
  const std::size_t classes = judged.data.class_names.size();
  std::vector<double> confidences(judged.data.rows);
  std::vector<std::uint8_t> correct(judged.data.rows);
  for (std::size_t i = 0; i < judged.data.rows; ++i) {
    const auto predicted = static_cast<std::size_t>(judged.predictions.values[i]);
    const double chance = judged.predictions.probabilities[i * classes + predicted];
    confidences[i] = std::clamp(chance, 0.0, 1.0);  // rounding
    correct[i] = judged.data.targets[i] == judged.predictions.values[i] ? 1 : 0;
  }
  return calibration(confidences, correct);
}

}  // namespace

std::vector<WorstRow> worst_rows(const JudgedRows& judged, std::size_t count) {
  const std::vector<InputColumn> columns = weightiest_columns(judged);
  std::vector<WorstRow> worst;
  for (const std::size_t i : places_of_worst(judged.losses, count)) {
    WorstRow row{std::size_t{judged.rows[i]} + 1, judged.losses[i],
                 value_text(judged.data, judged.data.targets[i]),
                 value_text(judged.data, judged.predictions.values[i])};
    for (const InputColumn& column : columns) {
      row.values.push_back(input_text(judged.data, i, column));
    }
    worst.push_back(std::move(row));
  }
  return worst;
}

PartDetail look_closely(const JudgedRows& judged, std::size_t worst) {
  PartDetail detail;
  for (const InputColumn& column : weightiest_columns(judged)) {
    detail.columns.push_back(column.name);
  }
  detail.worst = worst_rows(judged, worst);
  if (judged.data.task == Task::regression) return detail;
  detail.classes = class_scores(judged);
  if (!judged.predictions.probabilities.empty()) detail.calibration = calibration_of(judged);
  return detail;
}

}  // namespace adacvar
