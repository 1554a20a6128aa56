#pragma once

#include <span>

namespace adacvar {

/// What a law over the rows plays on.
struct LawSummary {
  double effective_rows = 0;  ///< 1 / sum of squares of the law: how many rows it plays on
  double tail_share = 0;      ///< of the law, on the rows whose loss exceeds the VaR
  double entropy = 0;         ///< -sum q log q; log N for the uniform law of N rows
};

/// Throws: OptionError when the lengths differ; as `value_at_risk`.
[[nodiscard]] LawSummary summarise_law(std::span<const double> law, std::span<const double> losses,
                                       double alpha);

}  // namespace adacvar
