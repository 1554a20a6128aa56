#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Returns m with sum_i r_i sigma((L_i - m) / width) = alpha sum_i r_i: the level at which the
/// marginals of a k-DPP with log-weights L / width match a tail share of alpha. No weights: r_i
/// = 1. Cost: O(rows), some 4 passes. Precondition: 0 < alpha < 1, width > 0, finite losses.
[[nodiscard]] double matched_level(std::span<const double> losses, std::span<const double> weights,
                                   double alpha, double width, unsigned threads = 1);

/// Returns the CVaR smoothed over `temperature` times itself: min over m of m + w/alpha mean
/// softplus((L - m) / w), w = temperature * CVaR.
[[nodiscard]] double smoothed_cvar(std::span<const double> losses, std::span<const double> weights,
                                   double alpha, double temperature);

/// What a round of boosting minimises: the mean loss, or (1 - gamma) of the smoothed CVaR plus
/// gamma times the mean.
struct BoostingRule {
  bool for_tail = false;
  double alpha = 0.1;
  double gamma = 0.1;
  double temperature = 0.5;  ///< width of the tail's border, as a multiple of the CVaR
};

/// First and second derivatives of that objective in the scores of the rows.
///
/// With q_i = sigma((L_i - m) / w), w = temperature * CVaR of the losses L, row i has the weight
/// u_i = (1 - gamma) q_i / alpha + gamma, its mean over the rows being 1, and
///   gradient u L', second derivative u L'' + (1 - gamma) q (1 - q) / (alpha w) L'^2,
/// the last term being how the weight grows with the loss. Where L'' is 0, it counts as 1.
///
/// Values are rounded to 22 bits of the largest one, so that sums of them in double are exact: a
/// tree does not depend on the order of summation, and so not on the number of threads.
class BoostingObjective {
 public:
  /// Keeps references.
  BoostingObjective(const Dataset& rows, const Loss& loss, const BoostingRule& rule,
                    unsigned threads);

  /// Computes them at the scores `margins`, outputs per row; returns the mean loss. Throws:
  /// NumericalError if a loss is not finite.
  double compute(std::span<const float> margins, std::span<float> gradients,
                 std::span<float> hessians);

 private:
  // Losses and their derivatives; returns the mean loss.
  double evaluate(std::span<const float> margins);

  const Dataset& rows_;
  const Loss& loss_;
  BoostingRule rule_;
  unsigned threads_;
  std::size_t outputs_;
  double total_weight_;
  std::vector<double> losses_;
  std::vector<double> derivatives_;
};

}  // namespace adacvar
