#include "data/row_weights.hpp"

#include "data/class_labels.hpp"
#include "data/number_format.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace adacvar {

namespace {

/// Sums of weights, and of their products with squares, must neither overflow nor underflow.
bool is_weight(double weight) { return weight == 0 || (weight >= 1e-100 && weight <= 1e100); }

[[noreturn]] void refuse(const Table& table, const Column& column, Index row, const char* allowed) {
  const TextValue* const text = text_at(column, row);
  const std::string value = text != nullptr ? fmt::format("'{}'", text->text)
                            : is_missing_at(column, row)
                                ? "missing"
                                : fmt::format("'{}'", value_name(column, row));
  throw DataError(fmt::format("weight '{}' is {} in {}; {}", column.name, value,
                              place_of(table, column, row), allowed),
                  table.source);
}

}  // namespace

std::vector<double> weights_of(const Table& table, const std::string& name,
                               std::span<const Index> rows) {
  constexpr const char* kAllowed = "a weight is 0 or from 1e-100 to 1e100";
  const Column& given = find_column(table, name, "weight");
  std::optional<Column> numeric = numeric_in(given, rows);
  // Text among plain numbers is reported with its value.
  if (!numeric && given.categorical) numeric = as_numeric(given, {});
  const Column& column = numeric ? *numeric : given;
  std::vector<double> weights;
  weights.reserve(rows.size());
  for (const Index row : rows) {
    const double weight = column.numbers[row];
    if (!is_weight(weight)) refuse(table, column, row, kAllowed);
    weights.push_back(weight);
  }
  return weights;
}

std::vector<Index> rows_with_weight(const Table& table, const std::string& name,
                                    std::span<const Index> rows) {
  const std::vector<double> weights = weights_of(table, name, rows);
  std::vector<Index> found;
  found.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] > 0) found.push_back(rows[i]);
  }
  return found;
}

std::vector<double> positive_weights_of(const Table& table, const std::string& name,
                                        std::span<const Index> rows) {
  std::vector<double> weights = weights_of(table, name, rows);
  const auto zero = std::ranges::find(weights, 0.0);
  if (zero != weights.end()) {
    refuse(table, find_column(table, name, "weight"),
           rows[static_cast<std::size_t>(zero - weights.begin())], "remove rows of weight 0 first");
  }
  return weights;
}

void refuse_weight(const std::string& weight, const char* kind, const std::string& source) {
  if (weight.empty()) return;
  throw OptionError(fmt::format("weight = '{}': a {} has no column of weights ({}); use a CSV file",
                                weight, kind, source));
}

std::vector<Index> rows_with_weight(std::size_t rows, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != rows) {
    throw DataError(fmt::format("{} weights, the matrix has {} rows", weights.size(), rows));
  }
  std::vector<Index> result;
  result.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (!is_weight(weight)) {
      throw DataError(
          fmt::format("weight {} is {}: a weight is 0 or from 1e-100 to 1e100", i + 1, weight));
    }
    if (weight > 0) result.push_back(static_cast<Index>(i));
  }
  if (result.empty() && rows > 0) throw DataError("every row has weight 0");
  return result;
}

}  // namespace adacvar
