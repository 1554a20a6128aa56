#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Premises of the bounds below. Both must be fixed before the losses are seen.
struct CvarBoundOptions {
  double confidence = 0.95;
  double loss_max = 1;  ///< all losses, also future ones, are in [0, loss_max]
};

/// Returns upper confidence bounds on the CVaR of the distribution that `losses` are drawn from,
/// one per tail share in `alphas`. With probability `confidence` or more, all of them hold at once,
/// for every distribution on [0, loss_max] and every number of losses n.
///
/// Let G be the quantile function of the losses from the top, so that CVaR = (1/alpha) times the
/// integral of G over [0, alpha], and z_k the k-th largest of the n losses. Then z_k = G(V_k),
/// where V_k is the k-th smallest of n uniform numbers: if V_k <= c_k for all k, then G(v) <= z_k
/// for v >= c_k, and G <= loss_max below c_1. The c_k are the least of a few lines (a + b (k - 1))
/// / n; the probability that V crosses a line is a finite sum of positive terms, so each line has
/// exactly its share of 1 - confidence. Slopes are such that lines are close to k / n at the rank
/// alpha n / 2 of the largest alpha, at rank 3 and at some between: near the top, c_k - k / n is of
/// the order sqrt(k) / n, not 1 / sqrt(n) as that of the Dvoretzky-Kiefer-Wolfowitz inequality.
///
/// Paper: [TL19] for the bound from a band, with the inequality above; [D59] for the
/// probability of crossing a line.
/// Limits: losses must be independent and identically distributed, and the model fixed before they
/// are seen. Where alpha n is less than about 4, the bound is loss_max.
/// Cost: a sort, and about 20 alpha n terms; O(n) memory.
/// Throws: OptionError unless 0 < confidence < 1, loss_max is positive and finite, alphas are in
/// (0, 1] and there is one; DataError when there are no losses, or one is outside [0, loss_max].
[[nodiscard]] std::vector<double> cvar_upper_bounds(std::span<const double> losses,
                                                    std::span<const double> alphas,
                                                    const CvarBoundOptions& options);

/// Returns lower confidence bounds likewise: V_k >= d_k for all k, where the d_k are the largest of
/// lines (k - a) / (b n); then G(v) >= z_k for v <= d_k. They need no loss_max, only losses >= 0.
[[nodiscard]] std::vector<double> cvar_lower_bounds(std::span<const double> losses,
                                                    std::span<const double> alphas,
                                                    const CvarBoundOptions& options);

/// Returns upper confidence bounds on CVaR(losses) - CVaR(others) for two models on the same rows,
/// all at once; below 0 they show that `losses` have the smaller CVaR. Half of 1 - confidence is
/// spent on an upper bound of the one less a lower bound of the other, half on a bound from the
/// differences row by row, which is narrower for similar models (docs/intervals.md); the result is
/// the smaller of the two. Throws: DataError too if the numbers of losses differ.
[[nodiscard]] std::vector<double> cvar_difference_bounds(std::span<const double> losses,
                                                         std::span<const double> others,
                                                         std::span<const double> alphas,
                                                         const CvarBoundOptions& options);

/// Internal, shared with tests.
namespace detail {

enum class BandSide : bool { below, above };

/// Returns bounds on the order statistics V_1 <= ... <= V_n of n uniform numbers that hold together
/// with probability 1 - error or more. above: V_k <= c_k for the first ceil(tail) ranks; below: V_k
/// >= d_k for all. They are narrow in the first `tail` ranks.
[[nodiscard]] std::vector<double> uniform_band(std::size_t n, double tail, double error,
                                               BandSide side);

}  // namespace detail

}  // namespace adacvar
