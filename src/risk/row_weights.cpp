#include "risk/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

void check_row_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return;
  if (weights.size() != rows) {
    throw OptionError(
        fmt::format("weights has {} values, there are {} rows", weights.size(), rows));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0 && std::isfinite(weights[i])) continue;
    throw DataError(fmt::format("weights[{}] = {} is outside [0, inf)", i, printable(weights[i])));
  }
}

double effective_count(std::span<const double> weights) {
  if (weights.empty()) return 0;
  const double largest = std::ranges::max(weights);
  double sum = 0;
  double squares = 0;
  for (const double weight : weights) {
    const double scaled = weight / largest;
    sum += scaled;
    squares += scaled * scaled;
  }
  return largest > 0 ? sum * sum / squares : 0;
}

}  // namespace adacvar
