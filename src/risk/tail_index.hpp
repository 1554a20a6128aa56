#pragma once

#include <optional>
#include <span>

namespace adacvar {

/// Estimates the tail index xi of the distribution of `losses`: above a high loss u, excesses
/// approximately follow a generalised Pareto distribution, P(L - u > x) = (1 + xi x / s)^(-1 / xi).
/// Light tails have xi near 0, bounded ones xi < 0; from 1/2 on the variance is infinite, from 1 on
/// the mean. A Pareto distribution of index a has xi = 1 / a.
///
/// The excesses are those of the min(n / 5, 3 sqrt(n)) largest losses over the next one. Returns
/// nothing if fewer than 20 of them are positive (fewer than 100 losses, or many ties).
///
/// `weights` are the row weights; empty: every loss counts the same. Rows are the independent
/// units, not their copies: with weights n is the effective number of rows, (sum w)^2 / sum w^2,
/// the largest losses are taken up to the same share of the weight, and mean and quartile of the
/// excesses are weighted.
///
/// Paper: [ZS09], with the number of excesses of [VSGYG24]. That paper's k is our xi, [ZS09]'s k
/// is -xi.
/// Limits: at xi = 1/2 the estimate has a standard deviation of about 0.25 for 200 losses and 0.1
/// for 10,000.
/// Cost: O(n) on average and a copy of the losses.
/// Throws: DataError when `losses` is empty or holds a NaN or infinity, or a weight is negative or
/// not finite; OptionError when lengths differ.
[[nodiscard]] std::optional<double> tail_index(std::span<const double> losses,
                                               std::span<const double> weights = {});

}  // namespace adacvar
