#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Counts of losses between edges.
struct Histogram {
  std::vector<double> edges;  ///< ascending, one more than counts
  std::vector<std::uint64_t> counts;
};

/// `bins` + 1 numbers from `low` to `high`, at equal distances or, `log`, in equal ratios.
/// Throws: OptionError unless low < high are finite, bins is at least 1 and, for `log`, low > 0.
[[nodiscard]] std::vector<double> bin_edges(double low, double high, std::size_t bins, bool log);

/// Every loss is counted in the bin that begins at or below it; those beyond the edges in the first
/// or the last bin, so that the counts add up to the losses.
/// Cost: O(n log bins). Throws: OptionError for fewer than two edges; DataError for a NaN.
[[nodiscard]] Histogram histogram(std::span<const double> losses, std::vector<double> edges);

}  // namespace adacvar
