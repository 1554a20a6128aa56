#pragma once

#include <cstddef>
#include <cstdint>

namespace adacvar {

/// Zero-based index of an example. With 32 bits the sampler needs 20 bytes per example.
using Index = std::uint32_t;

/// Largest number of examples of a sampler.
inline constexpr std::size_t kMaxSize = 0xffff'fffeU;

}  // namespace adacvar
