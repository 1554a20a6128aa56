#pragma once

#include <cstddef>
#include <span>

namespace adacvar {

/// Checks row weights; there may be none. Throws: OptionError for a wrong number, DataError for a
/// weight that is negative or not finite.
void check_row_weights(std::span<const double> weights, std::size_t rows);

/// Returns the effective number of rows with these weights: the square of their sum over the sum of
/// their squares (Kish).
[[nodiscard]] double effective_count(std::span<const double> weights);

}  // namespace adacvar
