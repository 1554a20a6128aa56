#include "solver/remainder_data.hpp"

#include "solver/mobility.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace adacvar {

namespace {

/// New columns, by feature; an empty one is 0.
using Columns = std::map<std::uint32_t, std::vector<double>>;

Columns remainders_of(const Problem& problem) {
  const std::size_t rows = problem.rows();
  std::vector<Edge> edges(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    edges[i] = {
        .row = static_cast<Index>(i), .position = i, .mobility = 1 / static_cast<double>(rows)};
  }
  std::vector<Eigen::Index> parameters(problem.data().features + 1);
  std::iota(parameters.begin(), parameters.end(), Eigen::Index{0});
  const Mobility mobility(problem, std::move(edges), std::move(parameters));
  Columns columns;
  for (const std::uint32_t f : problem.dependent()) columns[f] = {};
  for (const Mobility::Remainder& remainder : mobility.remainders()) {
    columns[static_cast<std::uint32_t>(remainder.column)] = remainder.values;
  }
  return columns;
}

float entry(const std::vector<double>& column, std::size_t row) {
  return column.empty() ? 0.0F : static_cast<float>(column[row]);
}

void replace_dense(const Columns& columns, Dataset& data) {
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (const auto& [f, column] : columns) data.dense[i * data.features + f] = entry(column, i);
  }
}

void replace_sparse(const Columns& columns, Dataset& data) {
  Dataset next;
  for (std::size_t i = 0; i < data.rows; ++i) {
    std::map<std::uint32_t, float> row;
    for (std::size_t e = data.start[i]; e < data.start[i + 1]; ++e) {
      if (!columns.contains(data.column[e])) row[data.column[e]] = data.value[e];
    }
    for (const auto& [f, column] : columns) {
      if (const float x = entry(column, i); x != 0) row[f] = x;
    }
    next.start.push_back(next.column.size());
    for (const auto& [f, x] : row) {
      next.column.push_back(f);
      next.value.push_back(x);
    }
  }
  next.start.push_back(next.column.size());
  data.start = std::move(next.start);
  data.column = std::move(next.column);
  data.value = std::move(next.value);
}

}  // namespace

Dataset with_remainders(const Problem& problem) {
  const Columns columns = remainders_of(problem);
  Dataset data = problem.data();
  if (data.is_sparse()) {
    replace_sparse(columns, data);
  } else {
    replace_dense(columns, data);
  }
  return data;
}

}  // namespace adacvar
