#include <adacvar/data/preprocess.hpp>

#include "base/did_you_mean.hpp"
#include "base/name_list.hpp"
#include "data/class_labels.hpp"
#include "data/number_text.hpp"
#include "data/preprocess_images.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace adacvar {

namespace {

using Places = std::unordered_map<std::string, std::size_t>;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  return places;
}

std::size_t place_of(const Places& places, const std::string& name) {
  const auto found = places.find(name);
  return found == places.end() ? kNowhere : found->second;
}

float narrow(double value, std::string_view name, std::size_t row, const std::string& source) {
  const auto result = static_cast<float>(value);
  if (!std::isfinite(result)) {
    throw DataError(fmt::format("column '{}', row {}: the value does not fit a float", name, row),
                    source);
  }
  return result;
}

/// One column's share of the dense matrix: `features` numbers from `offset` on in each row.
struct Target {
  Dataset& data;
  std::size_t offset;
  std::span<const Index> rows;
  const Table& table;

  [[nodiscard]] std::size_t row_number(Index row) const { return table.first_row + row + 1; }
  [[nodiscard]] float& at(std::size_t i, std::size_t feature) const {
    return data.dense[i * data.features + offset + feature];
  }
};

// A column of text: the first value that is no number is what is wrong with it.
[[noreturn]] void refuse_text(const Column& column, const Target& to) {
  const auto is_text = [&](Index row) {
    double ignored = 0;
    return !is_missing_at(column, row) && !parse_number(value_name(column, row), ignored);
  };
  const auto found = std::ranges::find_if(to.rows, is_text);
  const Index row = found == to.rows.end() ? to.rows[0] : *found;
  throw DataError(fmt::format("column '{}' is numeric in training, but has '{}' in row {}",
                              column.name, value_name(column, row), to.row_number(row)),
                  to.table.source);
}

void apply_numeric(const ColumnTransform& transform, const Column& column, const Target& to) {
  if (column.categorical &&
      std::ranges::any_of(to.rows, [&](Index row) { return !is_missing_at(column, row); })) {
    refuse_text(column, to);
  }
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const Index row = to.rows[i];
    const double value = is_missing_at(column, row) ? transform.fill : column.numbers[row];
    to.at(i, 0) = narrow((value - transform.mean) / transform.scale, column.name,
                         to.row_number(row), to.table.source);
  }
}

/// Number of values that training had not seen.
std::size_t apply_categorical(const ColumnTransform& transform, const Column& column,
                              const Target& to) {
  const Places places = places_of(transform.levels);
  std::vector<std::size_t> place_of_code;
  for (const std::string& level : column.levels) place_of_code.push_back(place_of(places, level));
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    const Index row = to.rows[i];
    std::size_t place = kNowhere;
    if (is_missing_at(column, row)) {
      if (transform.missing_level) place = transform.levels.size();
    } else {
      // Levels that look like numbers may come back as a numeric column.
      place = column.categorical ? place_of_code[column.codes[row]]
                                 : place_of(places, value_name(column, row));
    }
    if (place == kNowhere) {
      ++unknown;
    } else {
      to.at(i, place) = 1.0F;
    }
  }
  return unknown;
}

std::vector<double> class_targets(const Preprocessor::Parts& parts, const Column& target,
                                  std::span<const Index> rows, const std::string& source) {
  const Places places = places_of(parts.class_names);
  std::vector<double> targets;
  targets.reserve(rows.size());
  for (const Index row : rows) {
    const std::string name = value_name(target, row);
    const std::size_t place = place_of(places, name);
    if (place == kNowhere) {
      throw DataError(
          fmt::format("class '{}' in row {} is not one of those seen in training: {}{}", name,
                      row + 1, name_list(parts.class_names), did_you_mean(name, parts.class_names)),
          source);
    }
    targets.push_back(static_cast<double>(place));
  }
  return targets;
}

std::vector<double> make_targets(const Preprocessor::Parts& parts, const Column& target,
                                 std::span<const Index> rows, const std::string& source) {
  for (const Index row : rows) {
    if (is_missing_at(target, row)) {
      throw DataError(fmt::format("target '{}' is missing in row {}", target.name, row + 1),
                      source);
    }
  }
  if (parts.task != Task::regression) return class_targets(parts, target, rows, source);
  std::vector<double> targets;
  targets.reserve(rows.size());
  for (const Index row : rows) {
    if (target.categorical) {
      throw DataError(fmt::format("target '{}' is not numeric: '{}' in row {}", target.name,
                                  value_name(target, row), row + 1),
                      source);
    }
    targets.push_back(target.numbers[row]);
  }
  return targets;
}

Dataset make_dataset(const Preprocessor& preprocessor, std::size_t rows) {
  Dataset data;
  data.rows = rows;
  data.features = preprocessor.features();
  data.task = preprocessor.parts().task;
  data.target_mean = preprocessor.parts().target_mean;
  data.target_sd = preprocessor.parts().target_sd;
  data.class_names = preprocessor.parts().class_names;
  data.feature_names = preprocessor.feature_names();
  return data;
}

// Columns mostly come in the order of training; `place` is where this one is looked for first.
const Column& next_column(const Table& table, const std::string& name, std::size_t& place) {
  const bool in_order = place < table.columns.size() && table.columns[place].name == name;
  const Column& column = in_order ? table.columns[place] : find_column(table, name, "feature");
  place = static_cast<std::size_t>(&column - table.columns.data()) + 1;
  return column;
}

}  // namespace

std::string unknown_note(const ApplyReport& report, std::string_view part) {
  if (report.unknown_categories == 0) return {};
  const bool one = report.unknown_categories == 1;
  return fmt::format("{} value{} of {} in {} rows {} not seen in training: all zeros",
                     report.unknown_categories, one ? "" : "s", name_list(report.unknown_columns),
                     part, one ? "was" : "were");
}

Dataset Preprocessor::apply_features(const Table& table, std::span<const Index> rows,
                                     ApplyReport* report) const {
  if (parts_.sparse || parts_.image.size() > 0)
    refuse_kind(parts_, "this is a table", table.source);
  if (!rows.empty()) check_rows(rows, table.rows, table.source);
  Dataset data = make_dataset(*this, rows.size());
  data.dense.resize(data.rows * data.features);
  std::size_t offset = 0;
  std::size_t place = 0;
  for (const ColumnTransform& transform : parts_.columns) {
    const Column& column = next_column(table, transform.name, place);
    const Target to{data, offset, rows, table};
    if (transform.categorical) {
      const std::size_t unknown = apply_categorical(transform, column, to);
      if (report != nullptr && unknown > 0) {
        report->unknown_categories += unknown;
        report->unknown_columns.push_back(transform.name);
      }
    } else {
      apply_numeric(transform, column, to);
    }
    offset += transform.features();
  }
  return data;
}

Dataset Preprocessor::apply(const Table& table, std::span<const Index> rows,
                            ApplyReport* report) const {
  if (!rows.empty()) check_rows(rows, table.rows, table.source);
  const Column& target = find_column(table, parts_.target, "target");
  std::vector<double> targets = make_targets(parts_, target, rows, table.source);
  Dataset data = apply_features(table, rows, report);
  data.targets = std::move(targets);
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
      data.column.push_back(static_cast<std::uint32_t>(place));
      data.value.push_back(
          narrow(static_cast<double>(sparse.value[e]) / parts_.sparse_scales[place],
                 data.feature_names[place], row + 1, sparse.source));
    }
    data.start.push_back(data.column.size());
  }
  return data;
}

}  // namespace adacvar
