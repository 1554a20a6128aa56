#pragma once

#include <span>

namespace adacvar {

/// Summary of a distribution over the rows. With row weights, rows are counted in units of the mean
/// weight: a row of w times the mean weight is w rows, which share its probability.
struct DistributionSummary {
  double effective_rows = 0;  ///< effective number of rows, 1 / sum q^2
  double tail_share = 0;      ///< probability of the rows whose loss exceeds the VaR
  double entropy = 0;  ///< -sum q log q; log N if uniform (with weights: proportional to them)
};

/// Summarises `distribution`; `losses` and `alpha` define the tail. Throws: OptionError when the
/// lengths differ; DataError for a row of weight 0 with a probability above 0; otherwise as
/// `value_at_risk`.
[[nodiscard]] DistributionSummary summarise_distribution(std::span<const double> distribution,
                                                         std::span<const double> losses,
                                                         double alpha,
                                                         std::span<const double> weights = {});

}  // namespace adacvar
