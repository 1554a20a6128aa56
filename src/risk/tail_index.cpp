#include "risk/tail_index.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace adacvar {

namespace {

constexpr std::size_t kLeastExcesses = 20;

// In increasing order, as shares of the largest.
std::vector<double> positive_excesses(std::span<const double> losses) {
  const std::size_t n = losses.size();
  const auto root = static_cast<std::size_t>(3 * std::sqrt(static_cast<double>(n)));
  const std::size_t count = std::min(n / 5, root);
  if (count < kLeastExcesses) return {};
  std::vector<double> worst(losses.begin(), losses.end());
  const auto border = worst.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(worst, border, std::greater<>());
  const double threshold = *border / 2;  // halves: their differences do not overflow
  worst.erase(border, worst.end());
  for (double& loss : worst) loss = loss / 2 - threshold;
  std::erase_if(worst, [](double excess) { return !(excess > 0); });
  std::ranges::sort(worst);
  if (worst.empty()) return {};
  const double largest = worst.back();
  for (double& excess : worst) excess /= largest;
  return worst;
}

// The xi that makes the excesses most likely, given theta = -xi / s.
double index_given(double theta, std::span<const double> excesses) {
  double sum = 0;
  for (const double excess : excesses) sum += std::log1p(-theta * excess);
  return sum / static_cast<double>(excesses.size());
}

// The mean of theta over its posterior under the prior of [ZS09, (2.6)-(2.7)], on their grid.
double posterior_theta(std::span<const double> excesses) {
  const auto count = static_cast<double>(excesses.size());
  const double points = std::floor(30 + std::sqrt(count));
  const double quartile = excesses[static_cast<std::size_t>(count / 4 + 0.5) - 1];
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

std::optional<double> tail_index(std::span<const double> losses) {
  if (losses.empty()) throw DataError("losses is empty: at least one loss is needed");
  (void)detail::checked_sum(losses);
  const std::vector<double> excesses = positive_excesses(losses);
  if (excesses.size() < kLeastExcesses) return std::nullopt;
  const double xi = index_given(posterior_theta(excesses), excesses);
  return std::isfinite(xi) ? std::optional(xi) : std::nullopt;
}

}  // namespace adacvar
