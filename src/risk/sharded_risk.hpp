#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/risk/cvar.hpp>

#include <optional>
#include <span>

namespace adacvar {

/// Computes `tail_risk` of the losses of all ranks; a rank may have none. Collective; the result is
/// the same on all ranks, and for any distribution of the rows over any number of ranks.
///
/// The border is found by histograms of the losses' bits, from the first to the last: 6 of 16 KiB
/// without weights, 8 of 256 exact sums with weights. Sums are exact until the end. No loss leaves
/// its rank.
///
/// `weights` of all ranks are empty, or those of the ranks with losses are not.
/// Cost: O(n) for the n losses of a rank.
/// Throws, on all ranks: as `tail_risk`; DataError if the largest weight is more than 1e300 times
/// the smallest above 0.
[[nodiscard]] TailRisk tail_risk(Communicator& ranks, std::span<const double> losses,
                                 std::span<const double> weights, double alpha);

/// As above, but none if a loss is not finite.
[[nodiscard]] std::optional<TailRisk> tail_risk_if_finite(Communicator& ranks,
                                                          std::span<const double> losses,
                                                          std::span<const double> weights,
                                                          double alpha);

}  // namespace adacvar
