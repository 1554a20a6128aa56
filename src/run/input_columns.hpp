#pragma once

#include "data/preprocess.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace adacvar {

/// An input column and its features.
struct InputColumn {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 1;
  const ColumnTransform* transform = nullptr;  ///< null: sparse
  double scale = 1;                            ///< of a sparse column
};

/// Returns the columns in the order of their features; none for images. They point into `parts`.
[[nodiscard]] std::vector<InputColumn> input_columns(const Preprocessor::Parts& parts);

}  // namespace adacvar
