#include "solver/remade_columns.hpp"

#include <map>

namespace adacvar {

namespace {

/// New columns, by feature; an empty one is 0.
using Columns = std::map<std::uint32_t, std::vector<double>>;

// Of a column's square: with less left of it, what is left takes its place.
constexpr Care kMuch{.well = 1e-3};

std::vector<Mobility::Remainder> remainders_of(const Problem& problem, Models models) {
  const std::size_t rows = problem.rows();
  std::vector<Edge> edges(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    edges[i] = {
        .row = static_cast<Index>(i), .position = i, .mobility = 1 / static_cast<double>(rows)};
  }
  std::vector<Eigen::Index> parameters;
  for (Eigen::Index i = 0; i <= static_cast<Eigen::Index>(problem.data().features); ++i) {
    if (models == Models::all || !problem.is_held(i)) parameters.push_back(i);
  }
  return Mobility(problem, std::move(edges), std::move(parameters), kMuch).remainders();
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

RemadeColumns::RemadeColumns(const Problem& problem, Models models)
    : data_(problem.data()),
      remainders_(remainders_of(problem, models)),
      width_(static_cast<Eigen::Index>(problem.data().features + 1)) {
  Columns columns;
  for (const std::uint32_t f : problem.dependent()) columns[f] = {};
  for (const Mobility::Remainder& remainder : remainders_) {
    columns[static_cast<std::uint32_t>(remainder.column)] = remainder.values;
  }
  if (data_.is_sparse()) {
    replace_sparse(columns, data_);
  } else {
    replace_dense(columns, data_);
  }
}

// A new column is sum of factor * old column.
Eigen::VectorXd RemadeColumns::to_problem(Eigen::VectorXd theta) const {
  for (Eigen::Index first = 0; first < theta.size(); first += width_) {
    const Eigen::VectorXd own = theta.segment(first, width_);
    for (const Mobility::Remainder& remainder : remainders_) {
      theta(first + remainder.column) -= own(remainder.column);
      theta.segment(first, width_) += own(remainder.column) * remainder.factors.head(width_);
    }
  }
  return theta;
}

// Later columns may have parts of earlier ones, so the last is taken apart first.
Eigen::VectorXd RemadeColumns::from_problem(Eigen::VectorXd theta) const {
  for (Eigen::Index first = 0; first < theta.size(); first += width_) {
    auto own = theta.segment(first, width_);
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(width_);
    for (auto remainder = remainders_.rbegin(); remainder != remainders_.rend(); ++remainder) {
      const Eigen::Index column = remainder->column;
      weights(column) = own(column) / remainder->factors(column);
      own -= weights(column) * remainder->factors.head(width_);
      own(column) = 0;
    }
    own += weights;
  }
  return theta;
}

}  // namespace adacvar
