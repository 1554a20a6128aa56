#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Counts of losses between edges.
struct Histogram {
  std::vector<double> edges;   ///< ascending, one more than counts
  std::vector<double> counts;  ///< number of losses, or their weight
};

/// Returns `bins` + 1 edges from `low` to `high`, equally spaced or, with `log`, in equal ratios.
/// Throws: OptionError unless low < high are finite, bins is at least 1 and, for `log`, low > 0.
[[nodiscard]] std::vector<double> bin_edges(double low, double high, std::size_t bins, bool log);

/// Counts every loss in the bin that begins at or below it; losses beyond the edges in the first or
/// last bin, so that the counts sum to the number of losses. `weights` are the row weights; empty:
/// every loss counts 1.
/// Cost: O(n log bins). Throws: OptionError for fewer than two edges or lengths that differ;
/// DataError for a NaN, or a weight that is negative or not finite.
[[nodiscard]] Histogram histogram(std::span<const double> losses, std::vector<double> edges,
                                  std::span<const double> weights = {});

}  // namespace adacvar
