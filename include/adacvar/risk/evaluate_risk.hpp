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

/// How many resamples of n losses `options` ask for: where resamples = 0, as many as 2e8 draws
/// allow, from 200 to 1000.
[[nodiscard]] std::uint64_t resample_count(const BootstrapOptions& options, std::size_t n);

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// From this tail index on, where the variance is infinite, the intervals of mean and CVaR hold the
/// true value less often than they say, however many losses there are.
inline constexpr double kHeavyTailIndex = 0.5;

/// Mean, VaR and CVaR of one sample of losses, and where those of its distribution should lie.
struct RiskEstimate {
  double alpha = 1;
  double mean = 0;
  double var = 0;
  double cvar = 0;
  Interval mean_interval = {};
  Interval var_interval = {};
  Interval cvar_interval = {};
  /// alpha n >= 10, with weights: the tail says as much as 10 equally weighted rows; otherwise the
  /// intervals of VaR and CVaR mean little.
  bool reliable = false;
  std::optional<double> tail_index = {};  ///< of all the losses, as the function of that name

  /// Whether the tail seems too heavy for intervals of mean and CVaR.
  [[nodiscard]] bool heavy_tail() const { return tail_index && *tail_index >= kHeavyTailIndex; }

  friend bool operator==(const RiskEstimate&, const RiskEstimate&) = default;
};

/// `tail_risk` of `losses` at every tail share of `alphas`, in that order, with bootstrap
/// intervals for the mean, VaR and CVaR of the distribution that the losses came from.
///
/// A resample draws n of the n losses with replacement; its mean, VaR and CVaR follow the
/// conventions of `tail_risk`. With B resamples and k = (B + 1)(1 - level) / 2, rounded down but
/// at least 1, the interval of the VaR goes from the k-th smallest to the k-th largest of their
/// values (the percentile interval). That of the CVaR is studentised (bootstrap-t): with
///   se^2 = (mean of (L - VaR)+^2 / alpha^2 - (CVaR - VaR)^2) / n
/// of the sample, and of a resample at least a tenth of the sample's, it goes from
/// CVaR - se t_high to CVaR - se t_low, where t_low and t_high are the k-th smallest and k-th
/// largest of the resamples' (CVaR* - CVaR) / se*. Where se is 0, the tail's losses being equal,
/// it is the percentile interval. The mean is the CVaR at alpha = 1. All shares see the same
/// resamples. Draw j of resample b is the j-th Rng(seed, b).below(n), a rank from the largest loss
/// down: neither the order of `losses` nor the number of threads changes an interval.
///
/// Row weights, where given, count a row as w rows in mean, VaR and CVaR, but the independent units
/// are the rows, not their copies: a resample draws rows, each with its weight, so that exposures
/// or survey weights are not taken for more evidence than they are. The tail of a resample is alpha
/// of its own weight, and with e = (L - VaR)+ / alpha and m = CVaR - VaR
///   se^2 = sum w^2 (e - m)^2 / (sum w)^2.
/// Ranks are by loss, then by weight.
///
/// Paper: [E79] for resamples and percentiles, [H88] for studentising.
/// Limits: rows must be independent. docs/intervals.md has how often 95 % intervals hold the true
/// value: 93 to 96 % for light tails from 10 losses in the tail on, less for heavy ones
/// (`heavy_tail`). The VaR needs about 10 losses on its other side too: at alpha = 1 it is the
/// smallest loss. At most 2^32 - 2 losses.
/// Cost: a sort, then O(resamples * n); memory for a copy of the losses, 4n bytes a thread, and
/// 24 bytes a resample and share.
/// Throws: OptionError for an option or alpha that is not allowed, or no alpha; DataError when
/// `losses` is empty, too long or holds a NaN or infinity; weights as in `tail_risk`.
[[nodiscard]] std::vector<RiskEstimate> evaluate_risk(std::span<const double> losses,
                                                      std::span<const double> alphas,
                                                      const BootstrapOptions& options = {},
                                                      std::span<const double> weights = {});

}  // namespace adacvar
