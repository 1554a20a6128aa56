#pragma once

#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// The weights that column `name` has in `rows`, each at least 0.
/// Throws: DataError, with the line or row and the value, when there is no such column or a weight
/// is missing, text, negative or infinite.
[[nodiscard]] std::vector<double> weights_of(const Table& table, const std::string& name,
                                             std::span<const Index> rows);

/// Those of `rows` that have a weight above 0, in their order. Throws: as weights_of.
[[nodiscard]] std::vector<Index> rows_with_weight(const Table& table, const std::string& name,
                                                  std::span<const Index> rows);

/// As weights_of, where a weight of 0 is an error too: such rows are absent and were to be left
/// out.
[[nodiscard]] std::vector<double> positive_weights_of(const Table& table, const std::string& name,
                                                      std::span<const Index> rows);

/// Numbers of the rows in memory whose weight is above 0; all `rows` where there are no weights.
/// Throws: DataError for another number of weights, a weight that is negative or not finite (with
/// its row), or when all are 0.
[[nodiscard]] std::vector<Index> rows_with_weight(std::size_t rows,
                                                  std::span<const double> weights);

/// For data without named columns. Throws: OptionError unless `weight` is empty.
void refuse_weight(const std::string& weight, const char* kind, const std::string& source);

}  // namespace adacvar
