#pragma once

#include <cstddef>

namespace adacvar {

/// Most parameters of a model that second-order methods take: they hold matrices of their square.
inline constexpr std::size_t kMostParameters = 5000;

}  // namespace adacvar
