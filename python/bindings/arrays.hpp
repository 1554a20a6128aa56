#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/matrix_view.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar::python {

namespace py = pybind11;

/// A one-dimensional array of numbers: a view of 64-bit floats that lie one after the other, else a
/// converted copy (of lists, other types, strides).
/// Throws: TypeError for what is not an array of numbers; ValueError unless it has one dimension.
class Numbers {
 public:
  Numbers(const py::handle& given, const char* name);

  [[nodiscard]] std::span<const double> span() const noexcept { return span_; }

 private:
  py::array held_;
  std::span<const double> span_;
};

/// Numbers that may be left out: `None` is an empty span.
class OptionalNumbers {
 public:
  OptionalNumbers(const py::handle& given, const char* name) {
    if (!given.is_none()) numbers_.emplace(given, name);
  }
  [[nodiscard]] std::span<const double> span() const noexcept {
    return numbers_ ? numbers_->span() : std::span<const double>{};
  }

 private:
  std::optional<Numbers> numbers_;
};

/// The integers of a one-dimensional array as indices of `size` examples.
/// Throws: TypeError unless they are integers; IndexError for one outside [0, size).
[[nodiscard]] std::vector<Index> indices_of(const py::handle& given, const char* name,
                                            std::size_t size);

/// Returns an integer >= 0. Throws: TypeError for what is not an integer; ValueError below 0.
[[nodiscard]] std::uint64_t count_of(const py::handle& given, const char* name);

/// A feature matrix that Python holds, viewed: a two-dimensional array of 32- or 64-bit floats with
/// any strides, or the tuple (indptr, indices, data, columns) of a CSR matrix. `levels` maps
/// columns of codes to names.
class Matrix {
 public:
  Matrix(const py::object& given, const std::map<std::size_t, std::vector<std::string>>& levels);

  [[nodiscard]] const MatrixView& view() const noexcept { return *view_; }

 private:
  void view_dense(const py::object& given);
  void view_sparse(const py::tuple& given);

  std::vector<py::array> held_;
  std::map<std::size_t, std::vector<std::string>> levels_;
  std::optional<MatrixView> view_;
};

/// Returns the values as a new array that takes over the vector's memory.
template <class Value>
py::array_t<Value> to_array(std::vector<Value> values) {
  auto owner = std::make_unique<std::vector<Value>>(std::move(values));
  const auto size = static_cast<py::ssize_t>(owner->size());
  Value* const data = owner->data();
  const py::capsule free(owner.get(),
                         [](void* vector) { delete static_cast<std::vector<Value>*>(vector); });
  (void)owner.release();
  return py::array_t<Value>(size, data, free);
}

}  // namespace adacvar::python
