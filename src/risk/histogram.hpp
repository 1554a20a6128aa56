#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Losses counted between edges.
struct Histogram {
  std::vector<double> edges;   ///< ascending, one more than counts
  std::vector<double> counts;  ///< number of losses, or their weight
};

/// `bins` + 1 numbers from `low` to `high`, at equal distances or, `log`, in equal ratios.
/// Throws: OptionError unless low < high are finite, bins is at least 1 and, for `log`, low > 0.
[[nodiscard]] std::vector<double> bin_edges(double low, double high, std::size_t bins, bool log);

/// Every loss is counted in the bin that begins at or below it; those beyond the edges in the first
/// or the last bin, so that the counts add up to the losses. `weights`: how often every loss
/// counts; empty: once.
/// Cost: O(n log bins). Throws: OptionError for fewer than two edges or lengths that differ;
/// DataError for a NaN, or a weight that is negative or not finite.
[[nodiscard]] Histogram histogram(std::span<const double> losses, std::vector<double> edges,
                                  std::span<const double> weights = {});

}  // namespace adacvar
