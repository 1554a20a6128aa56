#pragma once

#include <adacvar/risk/evaluate_risk.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Difference in CVaR between two models on the same rows.
struct CvarDifference {
  double value = 0;
  double error = 0;  ///< standard error
  Interval interval = {};

  /// True if the interval does not contain 0.
  [[nodiscard]] bool is_told_apart() const { return interval.low > 0 || interval.high < 0; }

  friend bool operator==(const CvarDifference&, const CvarDifference&) = default;
};

/// Compares the CVaR at `alpha` of every model to that of models[reference]: differences, with
/// paired bootstrap intervals. A resample draws the same rows for all models. models[m][i] is the
/// loss of model m on row i.
///
/// The interval is studentised as in `evaluate_risk`, by
///   se^2 = variance of (L - VaR)+ / alpha of the one less that of the other / n.
/// With more than 100,000 rows resampling would hardly change it: t_low and t_high are the
/// quantiles of the normal distribution. Draw j of resample b is the j-th Rng(seed, b).below(n), a
/// row number in an order in which rows that are in no model's tail come last.
///
/// Row weights, one per row and the same for all models, as in `evaluate_risk`: rows, not copies,
/// are drawn.
///
/// Limits: rows must be independent of each other and of the models: on training rows an interval
/// shows how much the choice of rows matters, not how models perform on new rows. Intervals are not
/// adjusted for comparing several models.
/// Cost: O(n) per model, and up to 100,000 rows O(resamples * n); resamples = 0 means as many as
/// 2e7 draws allow, from 200 to 1000.
/// Throws: OptionError for an option, alpha or reference out of range; DataError when there are no
/// losses, models differ in their number, or one is not finite; for weights as `tail_risk`.
[[nodiscard]] std::vector<CvarDifference> compare_cvar(std::span<const std::vector<double>> models,
                                                       std::size_t reference, double alpha,
                                                       const BootstrapOptions& options = {},
                                                       std::span<const double> weights = {});

}  // namespace adacvar
