#include <adacvar/risk/distribution_summary.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <cmath>
#include <numeric>

namespace adacvar {

DistributionSummary summarise_distribution(std::span<const double> distribution,
                                           std::span<const double> losses, double alpha,
                                           std::span<const double> weights) {
  if (distribution.size() != losses.size())
    throw OptionError("distribution and losses differ in length");
  const double var = value_at_risk(losses, weights, alpha);
  const double mean_weight =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(losses.size());
  DistributionSummary summary;
  double squares = 0;
  for (std::size_t i = 0; i < distribution.size(); ++i) {
    if (!(distribution[i] > 0)) continue;
    const double copies = weights.empty() ? 1.0 : weights[i] / mean_weight;
    if (copies == 0) throw DataError("a row of weight 0 has a probability above 0");
    squares += distribution[i] * distribution[i] / copies;
    if (losses[i] > var) summary.tail_share += distribution[i];
    summary.entropy -= distribution[i] * std::log(distribution[i] / copies);
  }
  summary.effective_rows = 1.0 / squares;
  return summary;
}

}  // namespace adacvar
