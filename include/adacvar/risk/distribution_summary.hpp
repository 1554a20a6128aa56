#pragma once

#include <span>

namespace adacvar {

/// A distribution over the rows in three numbers. With row weights, rows are counted in rows of the
/// mean weight: a row of w times the mean weight is w of them, which share its probability.
struct DistributionSummary {
  double effective_rows = 0;  ///< 1 / sum q^2: how many rows it plays on
  double tail_share = 0;      ///< its share on the rows whose loss exceeds the VaR
  double entropy = 0;  ///< -sum q log q; log N where it is uniform (with weights: as they are)
};

/// Throws: OptionError when the lengths differ; as `value_at_risk`. DataError for a row weight of 0
/// that has a probability above 0.
[[nodiscard]] DistributionSummary summarise_distribution(std::span<const double> distribution,
                                                         std::span<const double> losses,
                                                         double alpha,
                                                         std::span<const double> weights = {});

}  // namespace adacvar
