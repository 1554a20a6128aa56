#include <adacvar/risk/law_summary.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <cmath>
#include <numeric>

namespace adacvar {

LawSummary summarise_law(std::span<const double> law, std::span<const double> losses, double alpha,
                         std::span<const double> weights) {
  if (law.size() != losses.size()) throw OptionError("law and losses differ in length");
  const double var = value_at_risk(losses, weights, alpha);
  const double mean_weight =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(losses.size());
  LawSummary summary;
  double squares = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!(law[i] > 0)) continue;
    const double copies = weights.empty() ? 1.0 : weights[i] / mean_weight;
    if (copies == 0) throw DataError("a row of weight 0 has a probability above 0");
    squares += law[i] * law[i] / copies;
    if (losses[i] > var) summary.tail_share += law[i];
    summary.entropy -= law[i] * std::log(law[i] / copies);
  }
  summary.effective_rows = 1.0 / squares;
  return summary;
}

}  // namespace adacvar
