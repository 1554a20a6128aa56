#pragma once

#include <cstddef>
#include <span>

namespace adacvar {

/// Throws, as documented in kdpp.hpp, unless the weights define a k-DPP.
void check_kdpp(std::span<const double> log_weights, std::size_t k);

}  // namespace adacvar
