#include "risk/tail_index.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include "risk/row_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace adacvar {

namespace {

constexpr double kLeastExcesses = 20;

struct WeightedLoss {
  double loss;
  double weight;
};

/// Excesses over a threshold, in increasing order, divided by the largest.
struct Excesses {
  std::vector<WeightedLoss> rows;
  double count = 0;  // effective number of rows; the sum of the weights

  /// Scales the weights to that sum.
  void normalise() {
    std::vector<double> weights;
    for (const WeightedLoss& row : rows) weights.push_back(row.weight);
    count = effective_count(weights);
    const double unit = count / std::accumulate(weights.begin(), weights.end(), 0.0);
    for (WeightedLoss& row : rows) row.weight *= unit;
  }
};

std::vector<WeightedLoss> rows_of(std::span<const double> losses, std::span<const double> weights) {
  std::vector<WeightedLoss> rows;
  rows.reserve(losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight > 0) rows.push_back({losses[i], weight});
  }
  return rows;
}

// Moves the worst rows, with `share` of the weight, to the front; returns their number.
std::size_t put_worst_first(std::vector<WeightedLoss>& rows, double share, bool weighted) {
  if (!weighted) {
    const auto count = static_cast<std::size_t>(share * static_cast<double>(rows.size()) + 1e-6);
    std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(count),
                             std::greater<>(), &WeightedLoss::loss);
    return count;
  }
  std::ranges::sort(rows, [](const WeightedLoss& a, const WeightedLoss& b) {
    return a.loss != b.loss ? a.loss > b.loss : a.weight > b.weight;
  });
  double total = 0;
  for (const WeightedLoss& row : rows) total += row.weight;
  double left = share * total * (1 + 1e-12);
  std::size_t count = 0;
  while (count + 1 < rows.size() && rows[count].weight <= left) left -= rows[count++].weight;
  return count;
}

Excesses positive_excesses(std::span<const double> losses, std::span<const double> weights) {
  Excesses result;
  result.rows = rows_of(losses, weights);
  std::vector<WeightedLoss>& rows = result.rows;
  const double n = weights.empty() ? static_cast<double>(losses.size()) : effective_count(weights);
  const double wanted = std::floor(std::min(n / 5, 3 * std::sqrt(n)));
  if (wanted < kLeastExcesses) return {};
  const std::size_t count = put_worst_first(rows, wanted / n, !weights.empty());
  const double threshold = rows[count].loss / 2;  // halves: their differences do not overflow
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
  for (WeightedLoss& row : rows) row.loss = row.loss / 2 - threshold;
  std::erase_if(rows, [](const WeightedLoss& row) { return !(row.loss > 0); });
  std::ranges::sort(rows, {}, &WeightedLoss::loss);
  if (rows.empty()) return {};
  const double largest = rows.back().loss;
  for (WeightedLoss& row : rows) row.loss /= largest;
  result.normalise();
  return result;
}

// Returns the maximum-likelihood xi of the excesses, given theta = -xi / s.
double index_given(double theta, const Excesses& excesses) {
  double sum = 0;
  for (const WeightedLoss& row : excesses.rows) sum += row.weight * std::log1p(-theta * row.loss);
  return sum / excesses.count;
}

// Returns the first quartile: the smallest excess with a quarter of the weight up to it.
double quartile_of(const Excesses& excesses) {
  double left = std::floor(excesses.count / 4 + 0.5) - 1e-9;
  for (const WeightedLoss& row : excesses.rows) {
    left -= row.weight;
    if (left <= 0) return row.loss;
  }
  return excesses.rows.back().loss;
}

// Returns the posterior mean of theta under the prior of [ZS09, (2.6)-(2.7)], on their grid.
double posterior_theta(const Excesses& excesses) {
  const double count = excesses.count;
  const double points = std::floor(30 + std::sqrt(count));
  const double quartile = quartile_of(excesses);
  std::vector<double> thetas;
  std::vector<double> log_likelihoods;
  for (double j = 0.5; j < points; ++j) {
    const double theta = 1 + (1 - std::sqrt(points / j)) / (3 * quartile);
    const double xi = index_given(theta, excesses);
    const double likelihood = count * (std::log(-theta / xi) - xi - 1);
    if (!std::isfinite(likelihood)) continue;
    thetas.push_back(theta);
    log_likelihoods.push_back(likelihood);
  }
  if (thetas.empty()) return std::nan("");
  const double most = std::ranges::max(log_likelihoods);
  double weights = 0;
  double sum = 0;
  for (std::size_t j = 0; j < thetas.size(); ++j) {
    const double weight = std::exp(log_likelihoods[j] - most);
    weights += weight;
    sum += weight * thetas[j];
  }
  return sum / weights;
}

}  // namespace

std::optional<double> tail_index(std::span<const double> losses, std::span<const double> weights) {
  if (losses.empty()) throw DataError("losses is empty: at least one loss is needed");
  (void)detail::checked_sum(losses);
  check_row_weights(weights, losses.size());
  const Excesses excesses = positive_excesses(losses, weights);
  if (excesses.count < kLeastExcesses) return std::nullopt;
  const double xi = index_given(posterior_theta(excesses), excesses);
  return std::isfinite(xi) ? std::optional(xi) : std::nullopt;
}

}  // namespace adacvar
