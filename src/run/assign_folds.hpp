#pragma once

#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adacvar {

/// The fold of every row: at random, of equal sizes, within classes too.
[[nodiscard]] std::vector<std::size_t> assign_folds(const Dataset& data, std::size_t folds,
                                                    std::uint64_t seed);

}  // namespace adacvar
