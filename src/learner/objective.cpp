#include <adacvar/learner/objective.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

double mean_of(std::span<const double> values) {
  const double share = 1.0 / static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value * share;
  return mean;
}

// Trunc and Soft differ only in how an excess over the level counts.
template <class Share>
void weigh_tail(auto& objective, std::span<const double> losses, std::span<double> weights,
                Share share) {
  if (losses.empty()) return;
  const double mean = mean_of(losses);
  if (objective.scale == 0.0) objective.level = mean;
  objective.scale += (mean - objective.scale) * (objective.scale == 0.0 ? 1.0 : 0.01);
  for (std::size_t b = 0; b < losses.size(); ++b) {
    weights[b] = share(losses[b] - objective.level) / objective.alpha;
  }
  const double gradient = 1.0 - mean_of(weights);
  objective.level -= objective.rate * objective.scale * std::clamp(gradient, -1.0, 1.0);
}

// 1 / (1 + e^-z) for any z, without overflow.
double sigmoid(double z) {
  const double e = std::exp(-std::abs(z));
  return (z < 0 ? e : 1.0) / (1.0 + e);
}

}  // namespace

void MeanObjective::weigh(std::span<const double> /*losses*/, std::span<double> weights) {
  std::ranges::fill(weights, 1.0);
}

void TruncObjective::weigh(std::span<const double> losses, std::span<double> weights) {
  weigh_tail(*this, losses, weights, [](double excess) { return excess > 0 ? 1.0 : 0.0; });
}

void SoftObjective::weigh(std::span<const double> losses, std::span<double> weights) {
  weigh_tail(*this, losses, weights,
             [this](double excess) { return sigmoid(excess / temperature); });
}

}  // namespace adacvar
