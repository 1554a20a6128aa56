#include "arrays.hpp"

#include <limits>
#include <utility>

namespace adacvar::python {

namespace {

std::string type_name(const py::handle& given) {
  return py::str(py::type::handle_of(given).attr("__name__"));
}

py::array array_of(const py::handle& given, const char* name, const char* kinds,
                   const char* needed) {
  const py::array array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(std::string(name) + " must be " + needed + ", not " + type_name(given));
  }
  if (std::string(kinds).find(array.dtype().kind()) == std::string::npos) {
    throw py::type_error(std::string(name) + " must be " + needed + ", not of type " +
                         std::string(py::str(array.dtype())));
  }
  if (array.ndim() != 1) {
    throw py::value_error(std::string(name) + " has " + std::to_string(array.ndim()) +
                          " dimensions; one is needed");
  }
  return array;
}

// Whether it is a vector of such values, one after the other, as most are: nothing is to be asked
// or converted then.
template <class Array>
bool is_vector_of(const py::handle& given) {
  return Array::check_(given) && py::reinterpret_borrow<py::array>(given).ndim() == 1;
}

}  // namespace

Numbers::Numbers(const py::handle& given, const char* name) {
  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  held_ = is_vector_of<Doubles>(given)
              ? py::reinterpret_borrow<py::array>(given)
              : Doubles::ensure(array_of(given, name, "fiub", "an array of numbers"));
  span_ = {static_cast<const double*>(held_.data()), static_cast<std::size_t>(held_.size())};
}

namespace {

using Integers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

Integers integers_of(const py::handle& given, const char* name) {
  if (is_vector_of<Integers>(given)) return py::reinterpret_borrow<Integers>(given);
  const py::array array = array_of(given, name, "iuf", "an array of integers");
  // NumPy makes an empty list an array of floats.
  if (array.dtype().kind() == 'f' && array.size() > 0) {
    throw py::type_error(std::string(name) + " must be an array of integers, not of type " +
                         std::string(py::str(array.dtype())));
  }
  return Integers::ensure(array);
}

}  // namespace

std::vector<Index> indices_of(const py::handle& given, const char* name, std::size_t size) {
  const Integers integers = integers_of(given, name);
  std::vector<Index> indices(static_cast<std::size_t>(integers.size()));
  const std::int64_t* const data = integers.data();
  for (std::size_t j = 0; j < indices.size(); ++j) {
    if (data[j] < 0 || static_cast<std::uint64_t>(data[j]) >= size) {
      throw py::index_error(std::string(name) + "[" + std::to_string(j) +
                            "] = " + std::to_string(data[j]) + " is outside [0, " +
                            std::to_string(size - 1) + "]");
    }
    indices[j] = static_cast<Index>(data[j]);
  }
  return indices;
}

std::uint64_t count_of(const py::handle& given, const char* name) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  if (!number) {
    PyErr_Clear();
    throw py::type_error(std::string(name) + " must be an integer, not " + type_name(given));
  }
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error(std::string(name) + " = " + std::string(py::str(number)) +
                          " is outside [0, 2^64)");
  }
  return value;
}

Matrix::Matrix(const py::object& given,
               const std::map<std::size_t, std::vector<std::string>>& levels)
    : levels_(levels) {
  if (py::isinstance<py::tuple>(given)) {
    view_sparse(given);
  } else {
    view_dense(given);
  }
  for (const auto& [column, names] : levels_) view_ = view_->with_categories(column, names);
}

void Matrix::view_dense(const py::object& given) {
  py::array array = py::array::ensure(given);
  if (!array || array.ndim() != 2) {
    PyErr_Clear();
    throw py::value_error("the features must be an array of two dimensions");
  }
  const auto item = array.itemsize();
  const bool is_float = py::isinstance<py::array_t<float>>(array);
  const bool is_viewed = (is_float || py::isinstance<py::array_t<double>>(array)) &&
                         array.strides(0) % item == 0 && array.strides(1) % item == 0;
  if (!is_viewed) array = py::array_t<double, py::array::c_style | py::array::forcecast>(array);
  held_.push_back(array);
  const auto rows = static_cast<std::size_t>(array.shape(0));
  const auto columns = static_cast<std::size_t>(array.shape(1));
  const auto row_stride = array.strides(0) / array.itemsize();
  const auto column_stride = array.strides(1) / array.itemsize();
  if (is_float) {
    view_ = MatrixView::strided(static_cast<const float*>(array.data()), rows, columns, row_stride,
                                column_stride);
  } else {
    view_ = MatrixView::strided(static_cast<const double*>(array.data()), rows, columns, row_stride,
                                column_stride);
  }
}

namespace {

template <class Value>
std::span<const Value> span_of(const py::array& array) {
  return {static_cast<const Value*>(array.data()), static_cast<std::size_t>(array.size())};
}

// Calls use(span) with the array's 4- or 8-byte integers.
template <class Use>
MatrixView with_integers(const py::array& array, const Use& use) {
  return array.itemsize() == 8 ? use(span_of<std::int64_t>(array))
                               : use(span_of<std::int32_t>(array));
}

}  // namespace

void Matrix::view_sparse(const py::tuple& given) {
  if (given.size() != 4)
    throw py::value_error("a sparse matrix is (indptr, indices, data, columns)");
  const auto columns = static_cast<std::size_t>(count_of(given[3], "columns"));
  for (const std::size_t part : {0, 1, 2}) {
    held_.push_back(py::array::ensure(given[part], py::array::c_style));
    const py::array& array = held_.back();
    const bool fits = array && array.ndim() == 1 &&
                      array.dtype().kind() == (part == 2 ? 'f' : 'i') &&
                      (array.itemsize() == 4 || array.itemsize() == 8);
    if (!fits) throw py::type_error("a sparse matrix has integers of 4 or 8 bytes, and floats");
  }
  view_ = with_integers(held_[0], [&](auto start) {
    return with_integers(held_[1], [&](auto column) {
      return held_[2].itemsize() == 8
                 ? MatrixView::csr(start, column, span_of<double>(held_[2]), columns)
                 : MatrixView::csr(start, column, span_of<float>(held_[2]), columns);
    });
  });
}

}  // namespace adacvar::python
