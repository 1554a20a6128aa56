#include <adacvar/risk/evaluate_risk.hpp>

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include "risk/tail_index.hpp"

#include "base/parallel.hpp"
#include "risk/bootstrap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr std::uint64_t kDraws = 200'000'000;  // about 2 s of one core
constexpr std::uint64_t kMostResamples = 1000;
constexpr std::uint64_t kLeastResamples = 200;  // 5 in each tail at level 0.95

constexpr double kReliableTail = 10;

// A block allocates its counts once; small blocks keep all cores busy to the end.
constexpr std::size_t kResamplesPerBlock = 8;

/// Losses in decreasing order, times `scale`, and their weights, scaled to a maximum near 1,
/// without rows of weight 0.
struct Descending {
  std::vector<double> losses;
  std::vector<double> weights;  // empty: all count 1
  double scale = 1;

  Descending(std::span<const double> given, std::span<const double> given_weights)
      : losses(given.begin(), given.end()) {
    if (given_weights.empty()) {
      std::ranges::sort(losses, std::greater<>());
    } else {
      take_weighted(given, given_weights);
    }
    scale = scale_of_range(losses.front() / 2 - losses.back() / 2);
    for (double& loss : losses) loss = loss * scale + 0.0;  // -0 is 0, as for tail_risk
  }

  void take_weighted(std::span<const double> given, std::span<const double> given_weights) {
    std::vector<std::pair<double, double>> rows;
    const int unit = -std::ilogb(std::ranges::max(given_weights));
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double weight = std::ldexp(given_weights[i], unit);
      if (weight > 0) rows.emplace_back(given[i], weight);
    }
    std::ranges::sort(rows, std::greater<>());
    losses.clear();
    for (const auto& [loss, weight] : rows) {
      losses.push_back(loss);
      weights.push_back(weight);
    }
  }

  /// Returns the effective number of rows in the worst alpha of the weight.
  [[nodiscard]] double rows_in_tail(double alpha) const {
    const double mass = alpha * std::accumulate(weights.begin(), weights.end(), 0.0);
    double left = mass;
    double squares = 0;
    for (std::size_t i = 0; i < weights.size() && left > 0; ++i) {
      squares += std::min(weights[i], left) * weights[i];
      left -= weights[i];
    }
    return mass * mass / squares;
  }
};

/// A tail share, its values in the sample and in every resample, all scaled.
struct Tail {
  double alpha;
  double count;      // alpha n
  std::size_t rank;  // rank of the border loss
  ValueWithError sample_cvar = {};
  std::vector<double> var;
  std::vector<ValueWithError> cvar;

  Tail(double tail_share, std::size_t n, std::size_t resamples)
      : alpha(tail_share),
        count(detail::tail_count(alpha, n)),
        rank(std::min(static_cast<std::size_t>(count), n - 1)),
        var(resamples),
        cvar(resamples) {}
};

/// Calls store(tail, var, cvar) for every tail in a resample in which the loss of rank i is drawn
/// counts[i] times. One pass from the largest loss down gives the values of all tails, which are
/// sorted by rank: with the C losses drawn down to rank i, and the sums S1 and S2 of their
/// differences to loss_i and of the squares of these, which grow without cancellation,
///   CVaR = VaR + S1 / (alpha n),  se^2 = S2 / (alpha n)^2 - (CVaR - VaR)^2 / n  at the border.
template <class Store>
void measure(std::span<const double> losses, std::span<const std::uint32_t> counts,
             std::span<Tail> tails, const Store& store) {
  const auto n = static_cast<double>(losses.size());
  std::uint64_t drawn = 0;  // draws of the ranks before i
  double excess = 0;
  double squares = 0;
  std::size_t i = 0;
  for (Tail& tail : tails) {
    for (; drawn + counts[i] <= tail.rank; ++i) {
      drawn += counts[i];
      const double step = losses[i] - losses[i + 1];
      const double added = static_cast<double>(drawn) * step;
      squares += (2 * excess + added) * step;
      excess += added;
    }
    const double above = excess / tail.count;
    const double variance = squares / (tail.count * tail.count) - above * above / n;
    // Rounding must not exceed the largest loss.
    store(tail, losses[i],
          ValueWithError{std::min(losses[i] + above, losses.front()),
                         std::sqrt(std::max(variance, 0.0))});
  }
}

/// As above, with row weights: with the weight A of the rows drawn down to rank i, the sum B of its
/// squares, and the sums of w e, w^2 e and w^2 e^2, where e are the differences to loss_i.
template <class Store>
void measure_weighted(const Descending& sample, std::span<const std::uint32_t> counts,
                      std::span<Tail> tails, const Store& store) {
  const std::vector<double>& losses = sample.losses;
  const std::vector<double>& weights = sample.weights;
  double total = 0;
  double total_squares = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (counts[i] == 0) continue;
    const double weight = counts[i] * weights[i];
    total += weight;
    total_squares += weight * weights[i];
    last = i;
  }
  double drawn = 0;
  double drawn_squares = 0;
  double excess = 0;          // sum of w e
  double squares_excess = 0;  // sum of w^2 e
  double squares = 0;         // sum of w^2 e^2
  std::size_t i = 0;
  for (Tail& tail : tails) {
    const double mass = tail.alpha * total;
    for (; i < last && drawn + counts[i] * weights[i] <= mass * (1 + 1e-14); ++i) {
      const double weight = counts[i] * weights[i];
      drawn += weight;
      drawn_squares += weight * weights[i];
      const double step = losses[i] - losses[i + 1];
      excess += drawn * step;
      const double added = drawn_squares * step;
      squares += (2 * squares_excess + added) * step;
      squares_excess += added;
    }
    const double above = excess / mass;
    const double variance =
        squares / (mass * mass) -
        above * (2 * squares_excess / (mass * total) - above * total_squares / (total * total));
    store(tail, losses[i],
          ValueWithError{std::min(losses[i] + above, losses.front()),
                         std::sqrt(std::max(variance, 0.0))});
  }
}

template <class Store>
void measure(const Descending& sample, std::span<const std::uint32_t> counts, std::span<Tail> tails,
             const Store& store) {
  if (sample.weights.empty()) {
    measure(std::span<const double>(sample.losses), counts, tails, store);
  } else {
    measure_weighted(sample, counts, tails, store);
  }
}

void resample(const Descending& sample, std::uint64_t seed, std::size_t b,
              std::vector<std::uint32_t>& counts, std::span<Tail> tails) {
  counts.assign(sample.losses.size(), 0);
  Rng rng(seed, b);
  const auto n = static_cast<std::uint32_t>(counts.size());
  for (std::uint32_t j = 0; j < n; ++j) ++counts[rng.below(n)];
  measure(sample, counts, tails, [b](Tail& tail, double var, const ValueWithError& cvar) {
    tail.var[b] = var;
    tail.cvar[b] = cvar;
  });
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

const std::vector<OptionSpec>& BootstrapOptions::options() {
  using O = BootstrapOptions;
  static const std::vector<OptionSpec> all{
      {"resamples", &O::resamples, Bounds{.low = 0, .high = 1e6},
       "bootstrap resamples; 0: 1000, from 200,000 losses on fewer, at least 200"},
      {"level", &O::level, Bounds{.low = 0, .high = 1, .low_ok = false, .high_ok = false},
       "confidence level of the intervals"},
      {"seed", &O::seed, Bounds{.low = 0}, "seed of the resamples"},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4'294'967'295.0},
       "number of threads; 0: all of the machine"},
  };
  return all;
}

std::uint64_t resample_count(const BootstrapOptions& options, std::size_t n) {
  if (options.resamples > 0) return options.resamples;
  return std::clamp(kDraws / std::max<std::size_t>(n, 1), kLeastResamples, kMostResamples);
}

std::vector<RiskEstimate> evaluate_risk(std::span<const double> losses,
                                        std::span<const double> alphas,
                                        const BootstrapOptions& options,
                                        std::span<const double> weights) {
  check_options(options);
  check_input(losses, alphas);
  std::vector<RiskEstimate> estimates;
  for (const double alpha : alphas) {
    const TailRisk risk = tail_risk(losses, weights, alpha);
    estimates.push_back({alpha, risk.mean, risk.var, risk.cvar});
  }

  const Descending sample(losses, weights);
  const std::size_t n = sample.losses.size();
  const std::size_t resamples = resample_count(options, n);
  std::vector<std::size_t> order(alphas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [alphas](std::size_t i) { return alphas[i]; });
  std::vector<Tail> tails;
  tails.reserve(order.size() + 1);
  for (const std::size_t i : order) tails.emplace_back(alphas[i], n, resamples);
  tails.emplace_back(1.0, n, resamples);  // the mean is the CVaR of all

  measure(sample, std::vector<std::uint32_t>(n, 1), tails,
          [](Tail& tail, double, const ValueWithError& cvar) { tail.sample_cvar = cvar; });
  const std::size_t blocks = (resamples + kResamplesPerBlock - 1) / kResamplesPerBlock;
  for_each_block(blocks, static_cast<unsigned>(options.threads), [&](std::size_t block) {
    std::vector<std::uint32_t> counts;
    const std::size_t end = std::min((block + 1) * kResamplesPerBlock, resamples);
    for (std::size_t b = block * kResamplesPerBlock; b < end; ++b) {
      resample(sample, options.seed, b, counts, tails);
    }
  });

  const auto cvar_interval = [&](const Tail& tail) {
    return unscaled(studentised_interval(tail.sample_cvar, tail.cvar, options.level), sample.scale);
  };
  const std::optional<double> index = tail_index(losses, weights);
  const Interval mean_interval = cvar_interval(tails.back());
  for (std::size_t t = 0; t < order.size(); ++t) {
    RiskEstimate& estimate = estimates[order[t]];
    estimate.mean_interval = mean_interval;
    estimate.var_interval =
        unscaled(percentile_interval(tails[t].var, options.level), sample.scale);
    estimate.cvar_interval = cvar_interval(tails[t]);
    const double rows_in_tail =
        weights.empty() ? tails[t].count : sample.rows_in_tail(tails[t].alpha);
    estimate.reliable = rows_in_tail >= kReliableTail;
    estimate.tail_index = index;
  }
  return estimates;
}

}  // namespace adacvar
