#include <adacvar/learner/objective.hpp>

#include "base/portable_math.hpp"

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

// Trunc and Soft differ only in how excesses over the level become shares.
template <class Share>
void weigh_tail(auto& objective, std::span<const double> losses, std::span<double> weights,
                Share to_shares) {
  if (losses.empty()) return;
  const double mean = mean_of(losses);
  if (objective.scale == 0.0) objective.level = mean;
  objective.scale += (mean - objective.scale) * (objective.scale == 0.0 ? 1.0 : 0.01);
  for (std::size_t b = 0; b < losses.size(); ++b) weights[b] = losses[b] - objective.level;
  to_shares(weights);
  for (double& weight : weights) weight /= objective.alpha;
  const double gradient = 1.0 - mean_of(weights);
  objective.level -= objective.rate * objective.scale * std::clamp(gradient, -1.0, 1.0);
}

}  // namespace

void MeanObjective::weigh(std::span<const double> /*losses*/, std::span<double> weights) {
  std::ranges::fill(weights, 1.0);
}

void TruncObjective::weigh(std::span<const double> losses, std::span<double> weights) {
  weigh_tail(*this, losses, weights, [](std::span<double> excesses) {
    for (double& excess : excesses) excess = excess > 0 ? 1.0 : 0.0;
  });
}

void SoftObjective::weigh(std::span<const double> losses, std::span<double> weights) {
  weigh_tail(*this, losses, weights, [this](std::span<double> excesses) {
    for (double& excess : excesses) excess /= temperature;
    portable::sigmoid_in_place(excesses);
  });
}

}  // namespace adacvar
