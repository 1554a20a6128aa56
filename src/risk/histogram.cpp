#include "risk/histogram.hpp"

#include <adacvar/base/error.hpp>

#include "risk/row_weights.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

std::vector<double> bin_edges(double low, double high, std::size_t bins, bool log) {
  if (!std::isfinite(low) || !std::isfinite(high) || low >= high || bins == 0 ||
      (log && low <= 0)) {
    throw OptionError("bins need low < high, both positive for equal ratios");
  }
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges[i] = log ? std::exp(std::lerp(std::log(low), std::log(high), share))
                   : std::lerp(low, high, share);
  }
  edges.front() = low;
  edges.back() = high;
  return edges;
}

Histogram histogram(std::span<const double> losses, std::vector<double> edges,
                    std::span<const double> weights) {
  if (edges.size() < 2) throw OptionError("a histogram needs at least two edges");
  check_row_weights(weights, losses.size());
  Histogram result{.edges = std::move(edges), .counts = {}};
  result.counts.resize(result.edges.size() - 1);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double loss = losses[i];
    if (std::isnan(loss)) throw DataError("a histogram cannot contain a NaN");
    const auto above = std::ranges::upper_bound(result.edges, loss) - result.edges.begin();
    const auto last = static_cast<std::ptrdiff_t>(result.counts.size()) - 1;
    const auto bin = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, last));
    result.counts[bin] += weights.empty() ? 1.0 : weights[i];
  }
  return result;
}

}  // namespace adacvar
