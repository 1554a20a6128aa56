#pragma once

#include <adacvar/base/index.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Rows of two classes, the majority thinned at random until `ratio` of it are left for each row of
/// the other class, rounded, at least one; in increasing order. A majority that is smaller than
/// that already stays as it is. `classes` has a number, 0 or 1, for every row of the data; which of
/// them is the majority is counted over `classes`, so that all parts of the data agree on it.
/// Throws: OptionError for a negative ratio, an index beyond `classes` or a class beyond 1.
[[nodiscard]] std::vector<Index> thin_majority(std::span<const Index> rows,
                                               std::span<const std::uint32_t> classes, double ratio,
                                               std::uint64_t seed);

/// Both classes brought to the size of the larger one by repeating rows drawn at random, after each
/// row of the smaller one stands there as often as that allows.
[[nodiscard]] std::vector<Index> upsample(std::span<const Index> rows,
                                          std::span<const std::uint32_t> classes,
                                          std::uint64_t seed);

/// Both classes brought to the size of the smaller one by leaving rows out at random.
[[nodiscard]] std::vector<Index> downsample(std::span<const Index> rows,
                                            std::span<const std::uint32_t> classes,
                                            std::uint64_t seed);

}  // namespace adacvar
