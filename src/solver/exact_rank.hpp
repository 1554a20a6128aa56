#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace adacvar {

/// Writes a row of a matrix.
using RowSource = std::function<void(std::size_t row, std::span<float> entries)>;

/// Which columns of a matrix are combinations of columns before them: exactly, not up to rounding.
/// Floating-point numbers are fractions whose denominators are powers of two, so they have a
/// remainder modulo any odd prime, and elimination there rounds nothing. A column is named when it
/// depends on others modulo two primes between 2^30 and 2^31, which a fingerprint of the matrix
/// chooses: a mistake needs a determinant that both divide, about one chance in 10^18.
///
/// Cost: O(columns^2) for each of the first rows, O(columns) for each column named thereafter.
[[nodiscard]] std::vector<bool> exactly_dependent(std::size_t rows, std::size_t columns,
                                                  const RowSource& row);

}  // namespace adacvar
