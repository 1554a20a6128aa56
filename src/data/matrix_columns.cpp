#include "data/matrix_columns.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace adacvar {

namespace {

void check_value(double value, std::size_t row, const std::string& column) {
  if (std::isfinite(value)) return;
  throw DataError(fmt::format("row {}, column '{}' is {}: values must be finite", row + 1, column,
                              std::isnan(value) ? "NaN" : "infinite"),
                  kMatrixSource);
}

// The user calls these categories: none is left out as an identifier, or read as numbers.
Column to_categories(const MatrixView& features, std::size_t place, std::span<const Index> rows,
                     const std::string& name, std::span<const std::string> levels) {
  Column column;
  column.name = name;
  column.categorical = true;
  column.declared = true;
  for (const std::string& level : levels) column.levels.push_back(level);
  column.codes.reserve(rows.size());
  const auto count = static_cast<double>(levels.size());
  for (const Index row : rows) {
    const double code = features.at(row, place);
    if (!(code >= -1 && code < count && code == std::floor(code))) {
      throw DataError(fmt::format("row {}, column '{}' is {}: a category is a whole number in "
                                  "[-1, {}]",
                                  row + 1, name, code, levels.size() - 1),
                      kMatrixSource);
    }
    column.codes.push_back(code < 0 ? kMissingLevel : static_cast<std::uint32_t>(code));
  }
  return column;
}

}  // namespace

Column to_column(const MatrixView& features, std::size_t place, std::span<const Index> rows,
                 const std::string& name, NanValues nan) {
  if (const auto* const levels = features.levels_of(place)) {
    return to_categories(features, place, rows, name, *levels);
  }
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const Index row : rows) {
    numbers.push_back(features.at(row, place));
    const bool is_missing = nan == NanValues::missing && std::isnan(numbers.back());
    if (!is_missing) check_value(numbers.back(), row, name);
  }
  Column column;
  column.name = name;
  column.numbers = std::move(numbers);
  return column;
}

SparseRows to_sparse_rows(const MatrixView& features, std::span<const Index> rows) {
  SparseRows result;
  result.source = kMatrixSource;
  result.columns = features.columns();
  result.target.assign(rows.size(), 0.0);
  std::vector<std::pair<std::uint32_t, float>> entries;
  for (const Index row : rows) {
    entries.clear();
    features.for_each_entry(row, [&](std::uint32_t column, double value) {
      check_value(static_cast<double>(static_cast<float>(value)), row,
                  fmt::format("c{}", std::uint64_t{column} + 1));
      if (value != 0) entries.emplace_back(column, static_cast<float>(value));
    });
    std::ranges::sort(entries);
    for (const auto& [column, value] : entries) {
      if (result.column.size() > result.start.back() && result.column.back() == column) {
        throw DataError(fmt::format("row {} has column {} more than once", row + 1, column),
                        result.source);
      }
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.start.push_back(result.column.size());
  }
  return result;
}

}  // namespace adacvar
