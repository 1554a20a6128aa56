#include <adacvar/risk/cvar_bound.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/risk/cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace adacvar {

namespace {

using detail::BandSide;

// Lines are close to k / n at the rank in the middle of the tail, at kLeastRank, and at ranks
// between, in ratios of about kRankRatio. Ratios from 10 to 30 give about the same widths.
constexpr double kLeastRank = 3;
constexpr double kRankRatio = 20;
// Relative allowance for rounding in the probability of a crossing.
constexpr double kRounding = 1e-6;

/// A bound on the order statistics V_1 <= ... <= V_n of n uniform numbers:
/// above: V_k <= (offset + slope (k - 1)) / n; below: V_k >= (k - offset) / (slope n).
struct Line {
  double offset;
  double slope;
};

double value_at(const Line& line, BandSide side, double k, double n) {
  return side == BandSide::above ? (line.offset + line.slope * (k - 1)) / n
                                 : (k - line.offset) / (line.slope * n);
}

// Logarithm of the probability that V crosses the line with exactly m of the numbers on the near
// side of the crossing, without the binomial coefficient of n and m. By the ballot theorem, the
// crossing is the first one (`below`: the last one) with probability `ballot` / t, where t is the
// length of the interval before (after) it [D59].
double log_crossing(const Line& line, BandSide side, double m, double n) {
  if (side == BandSide::above) {
    const double place = (line.offset + line.slope * m) / n;
    if (place >= 1) return -INFINITY;
    const double ballot = line.offset / n;
    return std::log(ballot) + (m - 1) * std::log(place) + (n - m) * std::log1p(-place);
  }
  const double place = (m - line.offset) / (line.slope * n);
  if (place <= 0) return -INFINITY;
  const double ballot = 1 - (n - line.offset) / (line.slope * n);
  return std::log(ballot) + m * std::log(place) + (n - m - 1) * std::log1p(-place);
}

// Upper bound on the probability that one of V_1, ..., V_ranks is beyond the line, exact up to
// kRounding. Terms have one peak, so the last one before the sum ends early bounds those left out.
double crossing_probability(const Line& line, BandSide side, std::size_t n, std::size_t ranks) {
  const auto count = static_cast<double>(n);
  const std::size_t first = side == BandSide::above ? 0 : 1;
  detail::AccurateSum log_binomial;
  if (first == 1) log_binomial.add(std::log(count));
  double sum = 0;
  double last = 0;
  for (std::size_t m = first; m < ranks + first; ++m) {
    const auto near = static_cast<double>(m);
    if (m > first) log_binomial.add(std::log((count - near + 1) / near));
    const double term = std::exp(log_binomial.value() + log_crossing(line, side, near, count));
    const double rest = term * static_cast<double>(ranks + first - 1 - m);
    sum += term;
    if (term < last && rest < kRounding * sum) return (sum + rest) * (1 + kRounding);
    last = term;
  }
  return sum * (1 + kRounding);
}

// The line of that slope which V crosses with probability `error` at most, and at least 0.999 of
// it. The logarithm of that probability is almost linear in the offset, as that of a Brownian
// bridge, exp(-2 offset (slope - 1)), so interpolation is fast. `high` is always safe.
Line fit_line(double slope, double error, BandSide side, std::size_t n, std::size_t ranks) {
  constexpr double kSlack = 1e-3;
  const auto log_probability = [&](double offset) {
    return std::log(crossing_probability({offset, slope}, side, n, ranks));
  };
  const double target = std::log(error);
  const auto largest = static_cast<double>(n);  // such a line is never crossed
  double low = 0;
  double low_log = 0;
  double high = std::min(largest, -target / (slope - 1));
  double high_log = log_probability(high);
  while (high_log > target) {
    low = high;
    low_log = high_log;
    high = std::min(largest, 2 * high);
    high_log = log_probability(high);
  }
  for (int i = 0; i < 60 && high_log < target - kSlack; ++i) {
    const double share =
        std::isinf(high_log) ? 0.5 : (low_log - (target - kSlack / 2)) / (low_log - high_log);
    const double middle = low + std::clamp(share, 0.05, 0.95) * (high - low);
    const double middle_log = log_probability(middle);
    const bool is_safe = middle_log <= target;
    (is_safe ? high : low) = middle;
    (is_safe ? high_log : low_log) = middle_log;
  }
  return {high, slope};
}

// Decreasing; at least 1.
std::vector<double> ranks_of_lines(double tail) {
  const double middle = std::max(1.0, tail / 2);
  const double steps = std::round(std::log(middle / kLeastRank) / std::log(kRankRatio));
  std::vector<double> ranks = {middle};
  for (double i = 1; i <= steps; ++i) {
    ranks.push_back(middle * std::pow(kLeastRank / middle, i / steps));
  }
  return ranks;
}

std::vector<double> sorted_from_top(std::span<const double> losses,
                                    const CvarBoundOptions& options) {
  if (losses.empty()) throw DataError("there are no losses");
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i] >= 0 && losses[i] <= options.loss_max) continue;
    throw DataError(fmt::format("loss {} of {} is {:g}, outside [0, {:g}], the range to loss_max",
                                i + 1, losses.size(), losses[i], options.loss_max));
  }
  std::vector<double> sorted(losses.begin(), losses.end());
  std::ranges::sort(sorted, std::greater<>());
  return sorted;
}

void check(std::span<const double> alphas, const CvarBoundOptions& options) {
  check_range("confidence", options.confidence,
              {.low = 0, .high = 1, .low_ok = false, .high_ok = false});
  check_range("loss_max", options.loss_max, {.low = 0, .low_ok = false});
  if (alphas.empty()) throw OptionError("there is no tail share alpha");
  for (const double alpha : alphas) detail::check_alpha(alpha);
}

std::vector<double> band_for(std::size_t n, std::span<const double> alphas,
                             const CvarBoundOptions& options, BandSide side) {
  const double tail = std::ranges::max(alphas) * static_cast<double>(n);
  return detail::uniform_band(n, tail, 1 - options.confidence, side);
}

// Largest possible mean of G over [0, alpha]: G(v) <= sorted[i] for v >= band[i], and `largest`
// before.
double upper_mean(std::span<const double> sorted, std::span<const double> band, double alpha,
                  double largest) {
  double sum = 0;
  double start = 0;
  for (std::size_t i = 0; i < band.size() && start < alpha; ++i) {
    const double end = std::min(band[i], alpha);
    sum += largest * ((end - start) / alpha);
    largest = sorted[i];
    start = end;
  }
  return sum + largest * ((alpha - start) / alpha);
}

// Least possible mean of G over [0, alpha]: G(v) >= sorted[i] for v <= band[i], and 0 after.
double lower_mean(std::span<const double> sorted, std::span<const double> band, double alpha) {
  double sum = 0;
  double start = 0;
  for (std::size_t i = 0; i < band.size() && start < alpha; ++i) {
    const double end = std::min(band[i], alpha);
    sum += sorted[i] * ((end - start) / alpha);
    start = end;
  }
  return sum;
}

/// Losses of two models on one row.
struct PairedRow {
  double other;
  double loss;

  friend auto operator<=>(const PairedRow&, const PairedRow&) = default;
};

// Upper bound on CVaR(loss) - CVaR(other) at one alpha, see docs/intervals.md. With W(l) = (loss -
// l)+ - (other - l)+ and f(l) = l + E (other - l)+ / alpha, the difference is at most
//   E W(l) / alpha + f(l) - min f   for any l.
// l is the other's loss in the row of rank alpha n. Given a row, the n - 1 others are independent
// of it, so a bound on E W(l) from them fails with probability `row_error`; of the n rows, n *
// (high - low) are expected to have a rank in the distribution between low and high, where the
// chosen one lies. `rows` are in decreasing order; ties may be ordered by the loss.
double paired_bound(std::span<const PairedRow> rows, double alpha, double error, double loss_max) {
  const std::size_t n = rows.size();
  if (n < 2) return loss_max;
  const double tail = alpha * static_cast<double>(n);
  const auto above = detail::uniform_band(n, tail, error / 8, BandSide::above);
  const auto below = detail::uniform_band(n, tail, error / 8, BandSide::below);
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::round(tail)));
  const std::size_t chosen = std::min(above.size(), rank) - 1;
  const double level = rows[chosen].other;
  const double low = below[chosen];
  const double high = std::min(1.0, above[chosen]);

  double most = loss_max;  // bounds on the VaR of the others
  for (std::size_t i = 0; i < above.size() && above[i] <= alpha; ++i) most = rows[i].other;
  const auto beyond = std::ranges::lower_bound(below, alpha);
  const double least =
      beyond == below.end() ? 0 : rows[static_cast<std::size_t>(beyond - below.begin())].other;
  const double excess =
      std::max({0.0, (alpha - low) * (level - least), (high - alpha) * (most - level)}) / alpha;

  std::vector<double> worse;
  std::vector<double> better;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == chosen) continue;
    const double change =
        std::max(0.0, rows[i].loss - level) - std::max(0.0, rows[i].other - level);
    worse.push_back(std::max(0.0, change));
    better.push_back(std::max(0.0, -change));
  }
  std::ranges::sort(worse, std::greater<>());
  std::ranges::sort(better, std::greater<>());
  const double row_error = std::min(0.5, 0.75 * error / (static_cast<double>(n) * (high - low)));
  const auto worse_band = detail::uniform_band(n - 1, tail, row_error / 2, BandSide::above);
  const auto better_band = detail::uniform_band(n - 1, tail, row_error / 2, BandSide::below);
  return (upper_mean(worse, worse_band, 1, loss_max - level) - lower_mean(better, better_band, 1)) /
             alpha +
         excess;
}

}  // namespace

std::vector<double> detail::uniform_band(std::size_t n, double tail, double error, BandSide side) {
  const std::vector<double> close_ranks = ranks_of_lines(tail);
  const double share = error / static_cast<double>(close_ranks.size());
  // Ranks beyond the tail do not matter for an upper bound: there c_k > k / n > alpha. A line below
  // must hold for all, since the sum is over last crossings.
  const std::size_t ranks =
      side == BandSide::above ? std::min(n, static_cast<std::size_t>(std::ceil(tail))) : n;
  std::vector<double> band(ranks, side == BandSide::above ? 1.0 : 0.0);
  for (const double rank : close_ranks) {
    const double slope = 1 + std::sqrt(std::log(1 / share) / (2 * rank));
    const Line line = fit_line(slope, share, side, n, ranks);
    for (std::size_t i = 0; i < ranks; ++i) {
      const double value = value_at(line, side, static_cast<double>(i + 1), static_cast<double>(n));
      band[i] = side == BandSide::above ? std::min(band[i], value) : std::max(band[i], value);
    }
  }
  return band;
}

std::vector<double> cvar_upper_bounds(std::span<const double> losses,
                                      std::span<const double> alphas,
                                      const CvarBoundOptions& options) {
  check(alphas, options);
  const std::vector<double> sorted = sorted_from_top(losses, options);
  const std::vector<double> band = band_for(losses.size(), alphas, options, BandSide::above);
  std::vector<double> bounds;
  for (const double alpha : alphas) {
    bounds.push_back(std::min(options.loss_max, upper_mean(sorted, band, alpha, options.loss_max)));
  }
  return bounds;
}

std::vector<double> cvar_lower_bounds(std::span<const double> losses,
                                      std::span<const double> alphas,
                                      const CvarBoundOptions& options) {
  check(alphas, options);
  const std::vector<double> sorted = sorted_from_top(losses, options);
  const std::vector<double> band = band_for(losses.size(), alphas, options, BandSide::below);
  std::vector<double> bounds;
  for (const double alpha : alphas) bounds.push_back(lower_mean(sorted, band, alpha));
  return bounds;
}

std::vector<double> cvar_difference_bounds(std::span<const double> losses,
                                           std::span<const double> others,
                                           std::span<const double> alphas,
                                           const CvarBoundOptions& options) {
  check(alphas, options);
  if (losses.size() != others.size()) {
    throw DataError(fmt::format("{} losses, {} of the other model", losses.size(), others.size()));
  }
  const double error = 1 - options.confidence;
  const CvarBoundOptions quarter{.confidence = 1 - error / 4, .loss_max = options.loss_max};
  std::vector<double> bounds = cvar_upper_bounds(losses, alphas, quarter);
  const std::vector<double> lower = cvar_lower_bounds(others, alphas, quarter);
  std::vector<PairedRow> rows;
  for (std::size_t i = 0; i < losses.size(); ++i) rows.push_back({others[i], losses[i]});
  std::ranges::sort(rows, std::greater<>());
  const double paired_error = error / 2 / static_cast<double>(alphas.size());
  for (std::size_t a = 0; a < bounds.size(); ++a) {
    bounds[a] = std::min(bounds[a] - lower[a],
                         paired_bound(rows, alphas[a], paired_error, options.loss_max));
  }
  return bounds;
}

}  // namespace adacvar
