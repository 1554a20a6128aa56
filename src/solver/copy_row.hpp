#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace adacvar {

/// Writes a row's features, dense or sparse, to `entries`.
inline void copy_row(const Dataset& data, Index row, std::span<float> entries) {
  if (!data.is_sparse()) {
    std::copy_n(data.dense.data() + std::size_t{row} * data.features, data.features,
                entries.begin());
    return;
  }
  std::ranges::fill(entries, 0.0F);
  const std::size_t end = data.start[row + std::size_t{1}];
  for (std::size_t e = data.start[row]; e < end; ++e) entries[data.column[e]] = data.value[e];
}

}  // namespace adacvar
