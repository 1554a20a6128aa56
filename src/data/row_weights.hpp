#pragma once

#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Returns the weights of `rows` from column `name`, each at least 0.
/// Throws: DataError, with the line or row and the value, when the column does not exist or a
/// weight is missing, text, negative or infinite.
[[nodiscard]] std::vector<double> weights_of(const Table& table, const std::string& name,
                                             std::span<const Index> rows);

/// Returns those of `rows` that have a weight above 0, in their order. Throws: as weights_of.
[[nodiscard]] std::vector<Index> rows_with_weight(const Table& table, const std::string& name,
                                                  std::span<const Index> rows);

/// Returns the weights as weights_of does; a weight of 0 is an error, since such rows must be
/// removed before.
[[nodiscard]] std::vector<double> positive_weights_of(const Table& table, const std::string& name,
                                                      std::span<const Index> rows);

/// Returns the rows of a matrix whose weight is above 0; all rows if there are no weights.
/// Throws: DataError for a wrong number of weights, a weight that is negative or not finite (with
/// its row), or when all are 0.
[[nodiscard]] std::vector<Index> rows_with_weight(std::size_t rows,
                                                  std::span<const double> weights);

/// Rejects a weight column for data without named columns. Throws: OptionError unless `weight` is
/// empty.
void refuse_weight(const std::string& weight, const char* kind, const std::string& source);

}  // namespace adacvar
