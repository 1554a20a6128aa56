#include <adacvar/risk/evaluate_risk.hpp>

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::uint64_t kDraws = 200'000'000;  // about 2 s of one core
constexpr std::uint64_t kMostResamples = 1000;
constexpr std::uint64_t kLeastResamples = 200;  // 5 in each tail at level 0.95

constexpr double kReliableTail = 10;

// A block allocates its counts once; small blocks keep all cores busy to the end.
constexpr std::size_t kResamplesPerBlock = 8;

/// The losses from the largest down, times `scale`, a power of two so small that their
/// differences and sums do not overflow.
struct Descending {
  std::vector<double> losses;
  double scale = 1;

  explicit Descending(std::span<const double> given) : losses(given.begin(), given.end()) {
    std::ranges::sort(losses, std::greater<>());
    if (std::max(std::abs(losses.front()), std::abs(losses.back())) > 0x1.0p+900) {
      scale = 0x1.0p-100;
    }
    for (double& loss : losses) loss = loss * scale + 0.0;  // -0 is 0, as for tail_risk
  }
};

/// A tail share and its risk in every resample.
struct Tail {
  double count;      // alpha n
  std::size_t rank;  // of the border loss
  std::vector<double> var;
  std::vector<double> cvar;

  Tail(double alpha, std::size_t n, std::size_t resamples)
      : count(detail::tail_count(alpha, n)),
        rank(std::min(static_cast<std::size_t>(count), n - 1)),
        var(resamples),
        cvar(resamples) {}
};

/// Resample b drew the loss of rank i counts[i] times. One walk from the largest loss down gives
/// the risk at all tails, which are in order of their ranks: with C_i losses drawn down to rank i,
///   CVaR = VaR + sum C_i (loss_i - loss_(i+1)) / (alpha n), over the i above the border,
/// a sum without cancellation.
void measure(const Descending& sample, std::span<const std::uint32_t> counts, std::size_t b,
             std::span<Tail> tails) {
  const std::span<const double> losses = sample.losses;
  std::uint64_t drawn = 0;  // of the ranks before i
  double excess = 0;
  std::size_t i = 0;
  for (Tail& tail : tails) {
    for (; drawn + counts[i] <= tail.rank; ++i) {
      drawn += counts[i];
      excess += static_cast<double>(drawn) * (losses[i] - losses[i + 1]);
    }
    // Rounding must not lead above the largest loss.
    const double cvar = std::min(losses[i] + excess / tail.count, losses.front());
    tail.var[b] = losses[i] / sample.scale;
    tail.cvar[b] = cvar / sample.scale;
  }
}

void resample(const Descending& sample, std::uint64_t seed, std::size_t b,
              std::vector<std::uint32_t>& counts, std::span<Tail> tails) {
  const std::size_t n = sample.losses.size();
  counts.assign(n, 0);
  Rng rng(seed, b);
  for (std::size_t j = 0; j < n; ++j) ++counts[rng.below(static_cast<std::uint32_t>(n))];
  measure(sample, counts, b, tails);
}

Interval percentile_interval(std::vector<double> values, double level) {
  std::ranges::sort(values);
  const double outside = detail::tail_count((1 - level) / 2, values.size() + 1);
  const std::size_t k = std::max<std::size_t>(1, static_cast<std::size_t>(outside));
  return {values[k - 1], values[values.size() - k]};
}

void check_input(std::span<const double> losses, std::span<const double> alphas) {
  if (alphas.empty()) throw OptionError("alphas is empty: at least one tail share is needed");
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    check_range(fmt::format("alphas[{}]", i), alphas[i], {.low = 0, .high = 1, .low_ok = false});
  }
  if (losses.size() > kMaxSize) {
    throw DataError(
        fmt::format("losses has {} values, at most {} are allowed", losses.size(), kMaxSize));
  }
}

}  // namespace

std::uint64_t resample_count(const BootstrapOptions& options, std::size_t n) {
  if (options.resamples > 0) return options.resamples;
  return std::clamp(kDraws / std::max<std::size_t>(n, 1), kLeastResamples, kMostResamples);
}

std::vector<RiskEstimate> evaluate_risk(std::span<const double> losses,
                                        std::span<const double> alphas,
                                        const BootstrapOptions& options) {
  check_options(options);
  check_input(losses, alphas);
  std::vector<RiskEstimate> estimates;
  for (const double alpha : alphas) {
    const TailRisk risk = tail_risk(losses, alpha);
    estimates.push_back({alpha, risk.mean, risk.var, risk.cvar});
  }

  const std::size_t n = losses.size();
  const std::size_t resamples = resample_count(options, n);
  std::vector<std::size_t> order(alphas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [alphas](std::size_t i) { return alphas[i]; });
  std::vector<Tail> tails;
  tails.reserve(order.size() + 1);
  for (const std::size_t i : order) tails.emplace_back(alphas[i], n, resamples);
  tails.emplace_back(1.0, n, resamples);  // the mean is the CVaR of all

  const Descending sample(losses);
  const std::size_t blocks = (resamples + kResamplesPerBlock - 1) / kResamplesPerBlock;
  for_each_block(blocks, options.threads, [&](std::size_t block) {
    std::vector<std::uint32_t> counts;
    const std::size_t end = std::min((block + 1) * kResamplesPerBlock, resamples);
    for (std::size_t b = block * kResamplesPerBlock; b < end; ++b) {
      resample(sample, options.seed, b, counts, tails);
    }
  });

  const Interval mean_interval = percentile_interval(tails.back().cvar, options.level);
  for (std::size_t t = 0; t < order.size(); ++t) {
    RiskEstimate& estimate = estimates[order[t]];
    estimate.mean_interval = mean_interval;
    estimate.var_interval = percentile_interval(tails[t].var, options.level);
    estimate.cvar_interval = percentile_interval(tails[t].cvar, options.level);
    estimate.reliable = tails[t].count >= kReliableTail;
  }
  return estimates;
}

}  // namespace adacvar
