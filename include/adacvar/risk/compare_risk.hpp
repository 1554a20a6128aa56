#pragma once

#include <adacvar/risk/evaluate_risk.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// The CVaR of one model less that of another on the same rows.
struct CvarDifference {
  double value = 0;
  double error = 0;  ///< its standard error
  Interval interval = {};

  /// Whether the interval leaves out 0.
  [[nodiscard]] bool is_told_apart() const { return interval.low > 0 || interval.high < 0; }

  friend bool operator==(const CvarDifference&, const CvarDifference&) = default;
};

/// The CVaR at `alpha` of the losses of every model less that of models[reference], with paired
/// bootstrap intervals: a resample draws rows, which are the same for all models. models[m][i] is
/// the loss of model m on row i.
///
/// The interval is studentised as in `evaluate_risk`, by
///   se^2 = variance of (L - VaR)+ / alpha of the one less that of the other / n.
/// With more than 100,000 rows resampling would hardly change it: t_low and t_high are the
/// quantiles of the normal distribution. Draw j of resample b is the j-th Rng(seed, b).below(n),
/// a row's number in the order of the rows that are in no model's tail last.
///
/// Row weights, one per row and the same for all models, as in `evaluate_risk`: rows, not copies,
/// are drawn.
///
/// Limits: rows must be independent, and chosen without regard to the models: of rows that were
/// trained on, an interval says how much the choice of rows matters, not how models do elsewhere.
/// Where several models are compared to the best of them, each has its own interval.
/// Cost: O(n) a model, and up to 100,000 rows O(resamples * n); where resamples = 0 they are as
/// many as 2e7 draws allow, from 200 to 1000.
/// Throws: OptionError for an option or alpha that is not allowed, or no such reference; DataError
/// when there are no losses, not the same number of all models, or one is not finite; weights as in
/// `tail_risk`.
[[nodiscard]] std::vector<CvarDifference> compare_cvar(std::span<const std::vector<double>> models,
                                                       std::size_t reference, double alpha,
                                                       const BootstrapOptions& options = {},
                                                       std::span<const double> weights = {});

}  // namespace adacvar
