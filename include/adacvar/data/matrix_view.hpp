#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

enum class Layout : std::uint8_t { row_major, column_major };

/// View of a feature matrix in the caller's memory, with a row per example: float or double, dense
/// with any strides, or sparse in CSR format. Nothing is copied; the memory must outlive the view.
///
/// Throws: DataError when sizes do not match, or there are more than 2^32 - 2 rows or columns.
/// Values are checked where they are used: NaN and infinity are refused there, with their row and
/// column.
class MatrixView {
 public:
  MatrixView(std::span<const float> values, std::size_t rows, std::size_t columns,
             Layout layout = Layout::row_major);
  MatrixView(std::span<const double> values, std::size_t rows, std::size_t columns,
             Layout layout = Layout::row_major);
  /// `values` points to rows * columns values.
  MatrixView(const float* values, std::size_t rows, std::size_t columns,
             Layout layout = Layout::row_major);
  MatrixView(const double* values, std::size_t rows, std::size_t columns,
             Layout layout = Layout::row_major);

  /// Entry (i, j) is values[i * row_stride + j * column_stride].
  [[nodiscard]] static MatrixView strided(const float* values, std::size_t rows,
                                          std::size_t columns, std::ptrdiff_t row_stride,
                                          std::ptrdiff_t column_stride);
  [[nodiscard]] static MatrixView strided(const double* values, std::size_t rows,
                                          std::size_t columns, std::ptrdiff_t row_stride,
                                          std::ptrdiff_t column_stride);

  /// CSR matrix: row i has the entries start[i] .. start[i + 1] - 1 of `column` and `values`.
  /// Column indices start at 0 and are distinct within a row. Throws: DataError also for an offset
  /// or column out of range.
  template <class Offset, class Column, class Value>
  [[nodiscard]] static MatrixView csr(std::span<const Offset> start, std::span<const Column> column,
                                      std::span<const Value> values, std::size_t columns) {
    return csr(to_array(start), to_array(column), to_values(values), columns);
  }

  /// Returns the view with column `column` of categories: its values are positions in `levels`, or
  /// -1 where the value is missing. The names are borrowed like the values. Dense matrices only.
  /// Throws: DataError otherwise, and for a column out of range.
  [[nodiscard]] MatrixView with_categories(std::size_t column,
                                           std::span<const std::string> levels) const;

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] bool is_sparse() const noexcept { return start_.data != nullptr; }
  [[nodiscard]] bool has_categories() const noexcept { return !categories_.empty(); }
  /// The names of the column's categories; null for a column of numbers.
  [[nodiscard]] const std::span<const std::string>* levels_of(std::size_t column) const noexcept {
    for (const Categories& each : categories_) {
      if (each.column == column) return &each.levels;
    }
    return nullptr;
  }

  /// Entry of a dense matrix.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const noexcept {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(row) * row_stride_ +
                                 static_cast<std::ptrdiff_t>(column) * column_stride_;
    return value(place);
  }

  /// Calls use(column, value) for the entries of a sparse row, in their order.
  template <class Use>
  void for_each_entry(std::size_t row, Use use) const {
    for (std::int64_t e = start_.at(row); e < start_.at(row + 1); ++e) {
      use(static_cast<std::uint32_t>(column_.at(static_cast<std::size_t>(e))), value(e));
    }
  }

 private:
  /// Integers of 4 or 8 bytes.
  struct IndexArray {
    const void* data = nullptr;
    std::size_t size = 0;
    bool is_wide = false;

    [[nodiscard]] std::int64_t at(std::size_t i) const noexcept {
      return is_wide ? static_cast<const std::int64_t*>(data)[i]
                     : std::int64_t{static_cast<const std::int32_t*>(data)[i]};
    }
  };
  struct ValueArray {
    const void* data = nullptr;
    std::size_t size = 0;
    bool is_double = false;
  };

  template <class Integer>
  static IndexArray to_array(std::span<const Integer> numbers) {
    static_assert(sizeof(Integer) == 4 || sizeof(Integer) == 8, "indices have 4 or 8 bytes");
    return {numbers.data(), numbers.size(), sizeof(Integer) == 8};
  }
  static ValueArray to_values(std::span<const float> v) { return {v.data(), v.size(), false}; }
  static ValueArray to_values(std::span<const double> v) { return {v.data(), v.size(), true}; }

  struct Categories {
    std::size_t column;
    std::span<const std::string> levels;
  };

  MatrixView(ValueArray values, std::size_t rows, std::size_t columns, std::ptrdiff_t row_stride,
             std::ptrdiff_t column_stride);
  static MatrixView csr(IndexArray start, IndexArray column, ValueArray values,
                        std::size_t columns);

  [[nodiscard]] double value(std::ptrdiff_t place) const noexcept {
    return values_.is_double ? static_cast<const double*>(values_.data)[place]
                             : double{static_cast<const float*>(values_.data)[place]};
  }

  ValueArray values_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::ptrdiff_t row_stride_ = 0;
  std::ptrdiff_t column_stride_ = 0;
  IndexArray start_ = {};  // sparse
  IndexArray column_ = {};
  std::vector<Categories> categories_ = {};
};

/// Returns the default column names x1, x2, ...
[[nodiscard]] std::vector<std::string> default_names(std::size_t columns);

}  // namespace adacvar
