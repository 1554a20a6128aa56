#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace adacvar {

// Fisher and Yates, with our own bounded draw: std::shuffle differs between libraries.
inline void shuffle(std::span<Index> rows, Rng& rng) {
  for (std::size_t left = rows.size(); left > 1; --left) {
    std::swap(rows[left - 1], rows[rng.below(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace adacvar
