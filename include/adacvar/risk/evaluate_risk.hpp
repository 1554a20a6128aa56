#pragma once

#include <adacvar/base/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

struct BootstrapOptions {
  std::uint64_t resamples = 0;
  double level = 0.95;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;

  static const std::vector<OptionSpec>& options();
};

/// Returns the number of resamples for n losses; resamples = 0 means as many as 2e8 draws allow,
/// from 200 to 1000.
[[nodiscard]] std::uint64_t resample_count(const BootstrapOptions& options, std::size_t n);

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// From this tail index on the variance is infinite, and the intervals of mean and CVaR contain the
/// true value less often than their level, for any number of losses.
inline constexpr double kHeavyTailIndex = 0.5;

/// Mean, VaR and CVaR of a sample of losses, with intervals for those of its distribution.
struct RiskEstimate {
  double alpha = 1;
  double mean = 0;
  double var = 0;
  double cvar = 0;
  Interval mean_interval = {};
  Interval var_interval = {};
  Interval cvar_interval = {};
  /// True if alpha n >= 10; with weights, if the tail has an effective size of 10 rows. Otherwise
  /// the intervals of VaR and CVaR are unreliable.
  bool reliable = false;
  std::optional<double> tail_index = {};  ///< tail index of all losses, see tail_index()

  /// True if the tail seems too heavy for intervals of mean and CVaR.
  [[nodiscard]] bool heavy_tail() const { return tail_index && *tail_index >= kHeavyTailIndex; }

  friend bool operator==(const RiskEstimate&, const RiskEstimate&) = default;
};

/// Computes `tail_risk` of `losses` at every tail share in `alphas`, in that order, with bootstrap
/// intervals for the mean, VaR and CVaR of the distribution of the losses.
///
/// A resample draws n of the n losses with replacement; its mean, VaR and CVaR follow the
/// conventions of `tail_risk`. With B resamples and k = (B + 1)(1 - level) / 2, rounded down but
/// at least 1, the interval of the VaR goes from the k-th smallest to the k-th largest of their
/// values (the percentile interval). That of the CVaR is studentised (bootstrap-t): with
///   se^2 = (mean of (L - VaR)+^2 / alpha^2 - (CVaR - VaR)^2) / n
/// for the sample, and for a resample at least a tenth of the sample's, it goes from CVaR - se
/// t_high to CVaR - se t_low, where t_low and t_high are the k-th smallest and k-th largest of the
/// resamples' (CVaR* - CVaR) / se*. If se is 0, since all losses in the tail are equal, it is the
/// percentile interval. The mean is the CVaR at alpha = 1. All tail shares use the same resamples.
/// Draw j of resample b is the j-th Rng(seed, b).below(n), a rank from the largest loss down:
/// neither the order of `losses` nor the number of threads changes an interval.
///
/// With row weights a row counts as w rows in mean, VaR and CVaR, but the independent units are the
/// rows, not their copies: a resample draws rows, each with its weight, so that exposures or survey
/// weights do not count as additional evidence. The tail of a resample is alpha of its own weight,
/// and with e = (L - VaR)+ / alpha and m = CVaR - VaR
///   se^2 = sum w^2 (e - m)^2 / (sum w)^2.
/// Ranks are by loss, then by weight.
///
/// Paper: [E79] for resamples and percentiles, [H88] for studentising.
/// Limits: rows must be independent. Coverage of 95 % intervals (docs/intervals.md): 93 to 96 % for
/// light tails with at least 10 losses in the tail, less for heavy tails (`heavy_tail`). The VaR
/// needs about 10 losses on its other side too: at alpha = 1 it is the smallest loss. At most 2^32
/// - 2 losses.
/// Cost: a sort, then O(resamples * n); memory for a copy of the losses, 4n bytes per thread, and
/// 24 bytes per resample and share.
/// Throws: OptionError for an option or alpha out of range, or no alpha; DataError when `losses` is
/// empty, too long or contains a NaN or infinity; for weights as `tail_risk`.
[[nodiscard]] std::vector<RiskEstimate> evaluate_risk(std::span<const double> losses,
                                                      std::span<const double> alphas,
                                                      const BootstrapOptions& options = {},
                                                      std::span<const double> weights = {});

}  // namespace adacvar
