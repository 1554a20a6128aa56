#pragma once

#include <cstddef>
#include <span>

namespace adacvar {

/// Throws unless there are no weights, or one per row: OptionError for another number, DataError
/// for a weight that is negative or not finite.
void check_row_weights(std::span<const double> weights, std::size_t rows);

/// The number of equally weighted rows that say as much as rows with these weights: the square of
/// their sum over the sum of their squares (Kish).
[[nodiscard]] double effective_count(std::span<const double> weights);

}  // namespace adacvar
