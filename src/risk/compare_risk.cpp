#include <adacvar/risk/compare_risk.hpp>

#include "risk/normal_quantile.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "base/parallel.hpp"
#include "risk/bootstrap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::uint64_t kDraws = 20'000'000;  // about 0.1 s of one core
constexpr std::uint64_t kMostResamples = 1000;
constexpr std::uint64_t kLeastResamples = 200;
constexpr std::size_t kMostResampledRows = 100'000;
constexpr std::size_t kResamplesPerBlock = 8;

/// Losses of all models, times `scale`, on the rows that may be in the tail of one; row by row.
struct TailRows {
  std::size_t models = 0;
  std::size_t all_rows = 0;
  double alpha = 1;
  double count = 0;  // alpha n
  double scale = 1;
  std::vector<double> losses = {};
  std::vector<double> weights = {};            // row weights; empty: all count 1
  std::vector<std::vector<Index>> order = {};  // for each model its worst rows, the worst first

  [[nodiscard]] std::size_t rows() const { return losses.size() / models; }
  [[nodiscard]] std::size_t border() const {
    return std::min(static_cast<std::size_t>(count), all_rows - 1);
  }
  [[nodiscard]] double weight(std::size_t row) const {
    return weights.empty() ? 1.0 : weights[row];
  }
};

// Returns the number of worst rows beyond which the border of a resample lies with a probability
// below 1e-9.
std::size_t rows_with_border(double count, std::size_t n) {
  return std::min(n, static_cast<std::size_t>(count + 6 * std::sqrt(count) + 20));
}

std::vector<Index> worst_rows(std::span<const double> losses, std::size_t wanted) {
  std::vector<Index> rows(losses.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto worse = [&](Index a, Index b) {
    return losses[a] != losses[b] ? losses[a] > losses[b] : a < b;
  };
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(wanted);
  if (end != rows.end()) std::ranges::nth_element(rows, end, worse);
  rows.erase(end, rows.end());
  std::ranges::sort(rows, worse);
  return rows;
}

double scale_of(std::span<const std::vector<double>> models) {
  double half_range = 0;
  for (const std::vector<double>& losses : models) {
    const auto [least, most] = std::ranges::minmax(losses);
    half_range = std::max(half_range, most / 2 - least / 2);
  }
  return scale_of_range(half_range);
}

// With row weights every row may be in the tail of a resample.
TailRows collect(std::span<const std::vector<double>> models, double alpha,
                 std::span<const double> weights) {
  const std::size_t n = models[0].size();
  TailRows tail{.models = models.size(),
                .all_rows = n,
                .alpha = alpha,
                .count = detail::tail_count(alpha, n),
                .scale = scale_of(models)};
  const std::size_t wanted = weights.empty() ? rows_with_border(tail.count, n) : n;
  constexpr Index kNone = ~Index{0};
  std::vector<Index> place(n, kNone);
  for (const std::vector<double>& losses : models) {
    tail.order.push_back(worst_rows(losses, wanted));
    for (const Index row : tail.order.back()) place[row] = 0;
  }
  Index places = 0;
  for (std::size_t row = 0; row < n; ++row) {
    if (place[row] == kNone) continue;
    place[row] = places++;
    for (const std::vector<double>& losses : models) {
      tail.losses.push_back(losses[row] * tail.scale);
    }
  }
  for (std::vector<Index>& order : tail.order) {
    for (Index& row : order) row = place[row];
  }
  if (weights.empty()) return tail;
  const int unit = -std::ilogb(std::ranges::max(weights));
  for (const double weight : weights) tail.weights.push_back(std::ldexp(weight, unit));
  return tail;
}

// Returns the total weight, and sum of squared weights, of a resample in which row i is drawn
// counts[i] times.
struct DrawnWeight {
  double sum = 0;
  double squares = 0;
};

DrawnWeight weight_of(const TailRows& tail, std::span<const std::uint32_t> counts) {
  DrawnWeight drawn;
  for (std::size_t row = 0; row < tail.weights.size(); ++row) {
    const double weight = counts[row] * tail.weights[row];
    drawn.sum += weight;
    drawn.squares += weight * tail.weights[row];
  }
  return drawn;
}

// Returns the VaR of a model in a resample of weight `total` in which row i is drawn counts[i]
// times.
double weighted_border_loss(const TailRows& tail, std::size_t model,
                            std::span<const std::uint32_t> counts, double total) {
  const double mass = tail.alpha * total * (1 + 1e-14);
  double drawn = 0;
  Index row = tail.order[model].front();
  for (const Index next : tail.order[model]) {
    if (counts[next] == 0 || tail.weights[next] == 0) continue;
    row = next;
    drawn += counts[row] * tail.weights[row];
    if (drawn > mass) break;
  }
  return tail.losses[row * tail.models + model];
}

// As above, without weights.
double border_loss(const TailRows& tail, std::size_t model, std::span<const std::uint32_t> counts) {
  std::uint64_t drawn = 0;
  Index row = 0;
  for (const Index next : tail.order[model]) {
    row = next;
    drawn += counts[row];
    if (drawn > tail.border()) break;
  }
  return tail.losses[row * tail.models + model];
}

/// Calls store(model, difference) for every model in a resample in which row i is drawn counts[i]
/// times.
template <class Store>
void measure(const TailRows& tail, std::size_t reference, std::span<const std::uint32_t> counts,
             const Store& store) {
  const std::size_t models = tail.models;
  const bool weighted = !tail.weights.empty();
  const DrawnWeight all = weight_of(tail, counts);
  std::vector<double> var(models);
  for (std::size_t m = 0; m < models; ++m) {
    var[m] =
        weighted ? weighted_border_loss(tail, m, counts, all.sum) : border_loss(tail, m, counts);
  }
  std::vector<double> excess(models);        // e: excess of a row, less that of the reference
  std::vector<double> sum(models, 0.0);      // sum of w e
  std::vector<double> cross(models, 0.0);    // sum of w^2 e
  std::vector<double> squares(models, 0.0);  // sum of w^2 e^2
  for (std::size_t row = 0; row < tail.rows(); ++row) {
    if (counts[row] == 0) continue;
    const double weight = tail.weight(row);
    const double count = counts[row] * weight;
    const double* const losses = &tail.losses[row * models];
    const double base = std::max(losses[reference] - var[reference], 0.0);
    for (std::size_t m = 0; m < models; ++m) {
      excess[m] = std::max(losses[m] - var[m], 0.0) - base;
      sum[m] += count * excess[m];
      cross[m] += count * weight * excess[m];
      squares[m] += count * weight * excess[m] * excess[m];
    }
  }
  const auto n = static_cast<double>(tail.all_rows);
  const double mass = weighted ? tail.alpha * all.sum : tail.count;
  for (std::size_t m = 0; m < models; ++m) {
    const double mean = sum[m] / mass;
    const double subtracted =
        weighted
            ? mean * (2 * cross[m] / (mass * all.sum) - mean * all.squares / (all.sum * all.sum))
            : mean * mean / n;
    const double variance = squares[m] / (mass * mass) - subtracted;
    store(m, ValueWithError{var[m] - var[reference] + mean, std::sqrt(std::max(variance, 0.0))});
  }
}

/// Returns the differences in every resample, model by model.
std::vector<std::vector<ValueWithError>> resampled(const TailRows& tail, std::size_t reference,
                                                   const BootstrapOptions& options) {
  const std::uint64_t fitting = kDraws / tail.all_rows;
  const std::size_t resamples = options.resamples > 0
                                    ? options.resamples
                                    : std::clamp(fitting, kLeastResamples, kMostResamples);
  std::vector values(tail.models, std::vector<ValueWithError>(resamples));
  const std::size_t blocks = (resamples + kResamplesPerBlock - 1) / kResamplesPerBlock;
  for_each_block(blocks, static_cast<unsigned>(options.threads), [&](std::size_t block) {
    std::vector<std::uint32_t> counts;
    const std::size_t end = std::min((block + 1) * kResamplesPerBlock, resamples);
    for (std::size_t b = block * kResamplesPerBlock; b < end; ++b) {
      counts.assign(tail.rows(), 0);
      Rng rng(options.seed, b);
      const auto n = static_cast<std::uint32_t>(tail.all_rows);
      for (std::uint32_t j = 0; j < n; ++j) {
        const std::uint32_t row = rng.below(n);
        if (row < counts.size()) ++counts[row];
      }
      measure(tail, reference, counts,
              [&](std::size_t m, const ValueWithError& value) { values[m][b] = value; });
    }
  });
  return values;
}

Interval normal_interval(const ValueWithError& sample, double level) {
  const double z = normal_quantile((1 + level) / 2);
  return {sample.value - z * sample.error, sample.value + z * sample.error};
}

void check_input(std::span<const std::vector<double>> models, std::size_t reference) {
  if (reference >= models.size()) {
    throw OptionError(fmt::format("reference = {} is not one of the {} models, numbered from 0",
                                  reference, models.size()));
  }
  const std::size_t n = models[0].size();
  if (n > kMaxSize) {
    throw DataError(fmt::format("losses has {} values, at most {} are allowed", n, kMaxSize));
  }
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (models[m].size() == n) continue;
    throw DataError(fmt::format("models[{}] has {} losses, models[0] has {}: they must match", m,
                                models[m].size(), n));
  }
}

}  // namespace

std::vector<CvarDifference> compare_cvar(std::span<const std::vector<double>> models,
                                         std::size_t reference, double alpha,
                                         const BootstrapOptions& options,
                                         std::span<const double> weights) {
  check_options(options);
  check_input(models, reference);
  std::vector<CvarDifference> differences;
  for (const std::vector<double>& losses : models)
    differences.push_back({cvar(losses, weights, alpha)});
  const double base = differences[reference].value;

  const TailRows tail = collect(models, alpha, weights);
  std::vector<ValueWithError> sample(models.size());
  measure(tail, reference, std::vector<std::uint32_t>(tail.rows(), 1),
          [&](std::size_t m, const ValueWithError& value) { sample[m] = value; });
  std::vector<std::vector<ValueWithError>> resamples;
  if (tail.all_rows <= kMostResampledRows) resamples = resampled(tail, reference, options);
  for (std::size_t m = 0; m < models.size(); ++m) {
    differences[m].value -= base;
    differences[m].error = sample[m].error / tail.scale;
    differences[m].interval =
        unscaled(resamples.empty() ? normal_interval(sample[m], options.level)
                                   : studentised_interval(sample[m], resamples[m], options.level),
                 tail.scale);
  }
  return differences;
}

}  // namespace adacvar
