#pragma once

#include <adacvar/data/dataset.hpp>

#include <cstdint>
#include <vector>

namespace adacvar {

/// The features that are combinations of the intercept and of features before them, but for what
/// rounding to single precision leaves: a model gains nothing by them that a reader could trust.
/// Looks at some rows first, and at all of them only where these show one.
[[nodiscard]] std::vector<std::uint32_t> dependent_columns(const Dataset& data, unsigned threads);

}  // namespace adacvar
