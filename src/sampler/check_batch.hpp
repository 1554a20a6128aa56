#pragma once

#include <adacvar/base/index.hpp>

#include <span>

namespace adacvar {

/// Throws OptionError unless 1 <= size <= kMaxSize.
void check_size(std::size_t size);

/// Throws OptionError unless there is a weight per example.
void check_weight_count(std::size_t weights, std::size_t size);

/// Throws OptionError unless i < size.
void check_index(Index i, std::size_t size);

/// Throws unless `drawn` and `losses` have one length, every index is below `size`
/// (OptionError) and every loss is finite and not negative (DataError).
void check_batch(std::span<const Index> drawn, std::span<const double> losses, std::size_t size);

}  // namespace adacvar
