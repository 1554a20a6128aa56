#pragma once

#include <adacvar/base/index.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Numbers of the rows whose weight is above 0; all `rows` where there are no weights.
/// Throws: DataError for another number of weights, a weight that is negative or not finite (with
/// its row), or when all are 0.
[[nodiscard]] std::vector<Index> rows_with_weight(std::size_t rows,
                                                  std::span<const double> weights);

}  // namespace adacvar
