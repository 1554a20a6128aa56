#include <adacvar/data/matrix_view.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/base/index.hpp>

#include <fmt/core.h>

#include <utility>

namespace adacvar {

namespace {

void check_shape(std::size_t rows, std::size_t columns) {
  if (rows > kMaxSize || columns > kMaxSize) {
    throw DataError(fmt::format("the matrix is {} x {}: at most {} rows and columns are supported",
                                rows, columns, kMaxSize));
  }
}

void check_count(std::size_t count, std::size_t rows, std::size_t columns) {
  check_shape(rows, columns);
  if (count == rows * columns) return;
  throw DataError(fmt::format("the matrix has {} values, {} x {} needs {}", count, rows, columns,
                              rows * columns));
}

std::pair<std::ptrdiff_t, std::ptrdiff_t> strides_of(Layout layout, std::size_t rows,
                                                     std::size_t columns) {
  if (layout == Layout::row_major) return {static_cast<std::ptrdiff_t>(columns), 1};
  return {1, static_cast<std::ptrdiff_t>(rows)};
}

}  // namespace

MatrixView::MatrixView(ValueArray values, std::size_t rows, std::size_t columns,
                       std::ptrdiff_t row_stride, std::ptrdiff_t column_stride)
    : values_(values),
      rows_(rows),
      columns_(columns),
      row_stride_(row_stride),
      column_stride_(column_stride) {
  check_shape(rows, columns);
  if (values.data == nullptr && rows * columns > 0) {
    throw DataError(fmt::format("the matrix of {} x {} values is a null pointer", rows, columns));
  }
}

MatrixView::MatrixView(const float* values, std::size_t rows, std::size_t columns, Layout layout)
    : MatrixView(ValueArray{values, rows * columns, false}, rows, columns,
                 strides_of(layout, rows, columns).first,
                 strides_of(layout, rows, columns).second) {}

MatrixView::MatrixView(const double* values, std::size_t rows, std::size_t columns, Layout layout)
    : MatrixView(ValueArray{values, rows * columns, true}, rows, columns,
                 strides_of(layout, rows, columns).first,
                 strides_of(layout, rows, columns).second) {}

MatrixView::MatrixView(std::span<const float> values, std::size_t rows, std::size_t columns,
                       Layout layout)
    : MatrixView(values.data(), rows, columns, layout) {
  check_count(values.size(), rows, columns);
}

MatrixView::MatrixView(std::span<const double> values, std::size_t rows, std::size_t columns,
                       Layout layout)
    : MatrixView(values.data(), rows, columns, layout) {
  check_count(values.size(), rows, columns);
}

MatrixView MatrixView::strided(const float* values, std::size_t rows, std::size_t columns,
                               std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) {
  return {ValueArray{values, rows * columns, false}, rows, columns, row_stride, column_stride};
}

MatrixView MatrixView::strided(const double* values, std::size_t rows, std::size_t columns,
                               std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) {
  return {ValueArray{values, rows * columns, true}, rows, columns, row_stride, column_stride};
}

MatrixView MatrixView::csr(IndexArray start, IndexArray column, ValueArray values,
                           std::size_t columns) {
  if (start.size == 0) throw DataError("the CSR matrix has no offsets: rows + 1 are needed");
  const std::size_t rows = start.size - 1;
  check_shape(rows, columns);
  if (column.size != values.size) {
    throw DataError(fmt::format("the CSR matrix has {} columns of entries and {} values",
                                column.size, values.size));
  }
  const auto entries = static_cast<std::int64_t>(values.size);
  for (std::size_t i = 0; i <= rows; ++i) {
    const std::int64_t least = i == 0 ? 0 : start.at(i - 1);
    if (start.at(i) >= least && start.at(i) <= entries) continue;
    throw DataError(fmt::format("offset {} of the CSR matrix is {}, outside [{}, {}]", i,
                                start.at(i), least, entries));
  }
  for (std::size_t e = 0; e < column.size; ++e) {
    if (column.at(e) >= 0 && column.at(e) < static_cast<std::int64_t>(columns)) continue;
    throw DataError(fmt::format("entry {} of the CSR matrix is in column {}, there are {}", e,
                                column.at(e), columns));
  }
  MatrixView view(values, 0, columns, 0, 0);
  view.rows_ = rows;
  view.start_ = start;
  view.column_ = column;
  return view;
}

MatrixView MatrixView::with_categories(std::size_t column,
                                       std::span<const std::string> levels) const {
  if (is_sparse()) throw DataError("a sparse matrix cannot have columns of categories");
  if (column >= columns_) {
    throw DataError(fmt::format("column {} of categories: the matrix has {}", column, columns_));
  }
  MatrixView view = *this;
  std::erase_if(view.categories_, [&](const Categories& each) { return each.column == column; });
  view.categories_.push_back({column, levels});
  return view;
}

std::vector<std::string> default_names(std::size_t columns) {
  std::vector<std::string> names;
  names.reserve(columns);
  for (std::size_t c = 1; c <= columns; ++c) names.push_back(fmt::format("x{}", c));
  return names;
}

}  // namespace adacvar
