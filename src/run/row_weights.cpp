#include "run/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <cmath>

namespace adacvar {

std::vector<Index> rows_with_weight(std::size_t rows, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != rows) {
    throw DataError(fmt::format("{} weights, the matrix has {} rows", weights.size(), rows));
  }
  std::vector<Index> result;
  result.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw DataError(
          fmt::format("weight {} is {}: weights must be finite and at least 0", i + 1, weight));
    }
    if (weight > 0) result.push_back(static_cast<Index>(i));
  }
  if (result.empty() && rows > 0) throw DataError("every row has weight 0");
  return result;
}

}  // namespace adacvar
