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
                  "the matrix");
}

}  // namespace

Column to_column(const MatrixView& features, std::size_t place, std::size_t begin, std::size_t end,
                 const std::string& name) {
  Column column;
  column.name = name;
  column.numbers.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    column.numbers.push_back(features.at(i, place));
    check_value(column.numbers.back(), i, name);
  }
  return column;
}

SparseRows to_sparse_rows(const MatrixView& features, std::size_t begin, std::size_t end) {
  SparseRows rows;
  rows.source = "the matrix";
  rows.columns = features.columns();
  rows.target.assign(end - begin, 0.0);
  std::vector<std::pair<std::uint32_t, float>> entries;
  for (std::size_t i = begin; i < end; ++i) {
    entries.clear();
    features.for_each_entry(i, [&](std::uint32_t column, double value) {
      check_value(static_cast<double>(static_cast<float>(value)), i,
                  fmt::format("c{}", std::uint64_t{column} + 1));
      if (value != 0) entries.emplace_back(column, static_cast<float>(value));
    });
    std::ranges::sort(entries);
    for (const auto& [column, value] : entries) {
      if (rows.column.size() > rows.start.back() && rows.column.back() == column) {
        throw DataError(fmt::format("row {} has column {} more than once", i + 1, column),
                        rows.source);
      }
      rows.column.push_back(column);
      rows.value.push_back(value);
    }
    rows.start.push_back(rows.column.size());
  }
  return rows;
}

}  // namespace adacvar
