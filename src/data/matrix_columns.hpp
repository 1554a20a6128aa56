#pragma once

#include "data/table.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/data/matrix_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace adacvar {

/// Name of data in memory in messages.
inline const std::string kMatrixSource = "the matrix";

enum class NanValues : std::uint8_t { refused, missing };

/// Copies `rows` of column `place` of a dense matrix; its categories are declared ones.
/// Throws: DataError, with row and column, for an infinity, a NaN unless that is a missing value,
/// or a position that is none.
[[nodiscard]] Column to_column(const MatrixView& features, std::size_t place,
                               std::span<const Index> rows, const std::string& name,
                               NanValues nan = NanValues::refused);

/// Copies `rows` of a sparse matrix, with targets 0.
/// Throws: DataError likewise, and for a column that is given more than once in a row.
[[nodiscard]] SparseRows to_sparse_rows(const MatrixView& features, std::span<const Index> rows);

}  // namespace adacvar
