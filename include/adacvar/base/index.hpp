#pragma once

#include <cstddef>
#include <cstdint>

namespace adacvar {

/// Number of an example, from 0. 32 bits keep the sampler at 20 bytes an example.
using Index = std::uint32_t;

/// Most examples a sampler takes.
inline constexpr std::size_t kMaxSize = 0xffff'fffeU;

}  // namespace adacvar
