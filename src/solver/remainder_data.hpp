#pragma once

#include "solver/problem.hpp"

#include <adacvar/data/dataset.hpp>

namespace adacvar {

/// The problem's data with features that depend on others, Problem::dependent, replaced by what is
/// left of them when these are taken away, in units of its size: mere rounding, but a column like
/// any other. Where nothing is left the column becomes 0.
[[nodiscard]] Dataset with_remainders(const Problem& problem);

}  // namespace adacvar
