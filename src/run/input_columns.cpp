#include "run/input_columns.hpp"

#include <fmt/core.h>

namespace adacvar {

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

}  // namespace adacvar
