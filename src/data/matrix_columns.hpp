#pragma once

#include <adacvar/data/matrix_view.hpp>
#include "data/table.hpp"

#include <cstddef>
#include <string>

namespace adacvar {

/// Rows begin .. end - 1 of a dense matrix's column `place`.
/// Throws: DataError naming row and column of a NaN or infinity.
[[nodiscard]] Column to_column(const MatrixView& features, std::size_t place, std::size_t begin,
                               std::size_t end, const std::string& name);

/// Rows begin .. end - 1 of a sparse matrix, with targets 0.
/// Throws: DataError likewise, and for a column that is given more than once in a row.
[[nodiscard]] SparseRows to_sparse_rows(const MatrixView& features, std::size_t begin,
                                        std::size_t end);

}  // namespace adacvar
