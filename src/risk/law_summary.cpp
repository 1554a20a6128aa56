#include <adacvar/risk/law_summary.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <cmath>

namespace adacvar {

LawSummary summarise_law(std::span<const double> law, std::span<const double> losses,
                         double alpha) {
  if (law.size() != losses.size()) throw OptionError("law and losses differ in length");
  const double var = value_at_risk(losses, alpha);
  LawSummary summary;
  double squares = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    squares += law[i] * law[i];
    if (losses[i] > var) summary.tail_share += law[i];
    if (law[i] > 0) summary.entropy -= law[i] * std::log(law[i]);
  }
  summary.effective_rows = 1.0 / squares;
  return summary;
}

}  // namespace adacvar
