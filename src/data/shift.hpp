#pragma once

#include <adacvar/base/index.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Thins the majority of two classes at random to `ratio` rows for each row of the other class,
/// rounded, at least one; returns the rows in increasing order. A majority that is already smaller
/// is kept. `classes` has a number, 0 or 1, for every row of the data; the majority is determined
/// over all of `classes`, so that training, validation and test rows agree on it.
/// Throws: OptionError for a negative ratio, an index beyond `classes` or a class beyond 1.
[[nodiscard]] std::vector<Index> thin_majority(std::span<const Index> rows,
                                               std::span<const std::uint32_t> classes, double ratio,
                                               std::uint64_t seed);

/// Repeats rows of the smaller class until it has the size of the larger one: all rows equally
/// often as far as possible, the remainder drawn at random.
[[nodiscard]] std::vector<Index> upsample(std::span<const Index> rows,
                                          std::span<const std::uint32_t> classes,
                                          std::uint64_t seed);

/// Leaves out rows of the larger class at random until it has the size of the smaller one.
[[nodiscard]] std::vector<Index> downsample(std::span<const Index> rows,
                                            std::span<const std::uint32_t> classes,
                                            std::uint64_t seed);

/// Classes of power-law size [CLJK20]: class c = 1, ..., C (number c - 1 in `classes`) keeps n
/// c^(log beta) rows, rounded, at least one; n is the size of the smallest class among `rows`.
/// Class 1 keeps n rows; with beta = 1 all classes do. Drawn at random by `seed`, in increasing
/// order. A class without rows keeps its number.
/// Throws: OptionError for a beta outside (0, 1] or an index beyond `classes`.
[[nodiscard]] std::vector<Index> power_law_rows(std::span<const Index> rows,
                                                std::span<const std::uint32_t> classes, double beta,
                                                std::uint64_t seed);

/// Draws `total` of the rows at random by `seed`, each class by its share, rounded by largest
/// remainder, ties to the earlier class; returns them in increasing order.
/// Throws: OptionError unless 1 <= total <= rows, and for an index beyond `classes`.
[[nodiscard]] std::vector<Index> thin_rows(std::span<const Index> rows,
                                           std::span<const std::uint32_t> classes,
                                           std::size_t total, std::uint64_t seed);

}  // namespace adacvar
