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

/// Classes of power-law size [CLJK20]: class c = 1, ..., C (number c - 1 in `classes`) keeps
/// n c^(log beta) rows, rounded, at least one; n is the size of the smallest class among `rows`.
/// So class 1 keeps n rows, and beta = 1 leaves all classes alike. Drawn at random by `seed`, in
/// increasing order. A class without rows keeps its number.
/// Throws: OptionError for a beta outside (0, 1] or an index beyond `classes`.
[[nodiscard]] std::vector<Index> power_law_rows(std::span<const Index> rows,
                                                std::span<const std::uint32_t> classes, double beta,
                                                std::uint64_t seed);

/// `total` of the rows, each class by its share of them, rounded by largest remainder, ties to the
/// earlier class; drawn at random by `seed`, in increasing order.
/// Throws: OptionError unless 1 <= total <= rows, and for an index beyond `classes`.
[[nodiscard]] std::vector<Index> thin_rows(std::span<const Index> rows,
                                           std::span<const std::uint32_t> classes,
                                           std::size_t total, std::uint64_t seed);

}  // namespace adacvar
