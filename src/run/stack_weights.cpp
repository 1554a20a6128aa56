#include "run/stack_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

/// Mean loss of a stack and its gradient in the weights.
class StackLoss {
 public:
  StackLoss(std::span<const std::vector<double>> scores, const Dataset& data, const Loss& loss)
      : scores_(scores), data_(data), loss_(loss), mixed_(scores[0].size()), losses_(data.rows) {}

  double operator()(std::span<const double> weights, std::span<double> gradient) {
    std::ranges::fill(mixed_, 0.0);
    for (std::size_t b = 0; b < scores_.size(); ++b) {
      if (weights[b] == 0) continue;
      for (std::size_t i = 0; i < mixed_.size(); ++i) mixed_[i] += weights[b] * scores_[b][i];
    }
    loss_.evaluate(mixed_, data_.targets, losses_, mixed_);
    const std::size_t outputs = mixed_.size() / data_.rows;
    const double total = data_.total_weight();
    double sum = 0;
    for (std::size_t i = 0; i < data_.rows; ++i) {
      const double share = data_.weight(i) / total;
      sum += share * losses_[i];
      for (std::size_t c = 0; c < outputs; ++c) mixed_[i * outputs + c] *= share;
    }
    for (std::size_t b = 0; b < scores_.size(); ++b) {
      double slope = 0;
      for (std::size_t i = 0; i < mixed_.size(); ++i) slope += mixed_[i] * scores_[b][i];
      gradient[b] = slope;
    }
    return sum;
  }

 private:
  std::span<const std::vector<double>> scores_;
  const Dataset& data_;
  const Loss& loss_;
  std::vector<double> mixed_;  // scores, then their derivatives
  std::vector<double> losses_;
};

// Classes that the bases separate would have the least loss at weights without end.
constexpr double kMostSum = 2;

void project(std::span<double> weights, bool sum_is_one) {
  if (sum_is_one) {
    project_to_simplex(weights);
    return;
  }
  std::vector<double> scaled;
  double sum = 0;
  for (double& weight : weights) {
    scaled.push_back(weight / kMostSum);
    weight = std::max(0.0, weight);
    sum += weight;
  }
  if (sum <= kMostSum) return;
  project_to_simplex(scaled);
  std::ranges::transform(scaled, weights.begin(), [](double w) { return kMostSum * w; });
}

}  // namespace

void project_to_simplex(std::span<double> weights) {
  std::vector<double> sorted(weights.begin(), weights.end());
  std::ranges::sort(sorted, std::ranges::greater());
  double sum = 0;
  double level = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) level = candidate;
  }
  for (double& weight : weights) weight = std::max(0.0, weight - level);
}

std::vector<double> fit_stack_weights(std::span<const std::vector<double>> scores,
                                      const Dataset& data, const Loss& loss, bool sum_is_one) {
  constexpr int kMostSteps = 500;
  constexpr double kTolerance = 1e-9;
  const std::size_t bases = scores.size();
  StackLoss objective(scores, data, loss);
  std::vector<double> weights(bases, 1.0 / static_cast<double>(bases));
  std::vector<double> ahead = weights;
  std::vector<double> next(bases), gradient(bases), unused(bases);
  double step = 1;
  double inertia = 1;
  double value = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMostSteps; ++k) {
    const double here = objective(ahead, gradient);
    double reached = 0;
    // The step halves until the quadratic model at `ahead` is an upper bound.
    for (;; step /= 2) {
      double linear = 0;
      double square = 0;
      for (std::size_t b = 0; b < bases; ++b) next[b] = ahead[b] - step * gradient[b];
      project(next, sum_is_one);
      for (std::size_t b = 0; b < bases; ++b) {
        linear += gradient[b] * (next[b] - ahead[b]);
        square += (next[b] - ahead[b]) * (next[b] - ahead[b]);
      }
      reached = objective(next, unused);
      if (reached <= here + linear + square / (2 * step) + 1e-15 * std::abs(here) || step < 1e-12)
        break;
    }
    const double faster = (1 + std::sqrt(1 + 4 * inertia * inertia)) / 2;
    const bool restarts = reached > value;
    for (std::size_t b = 0; b < bases; ++b) {
      ahead[b] = restarts ? weights[b] : next[b] + (inertia - 1) / faster * (next[b] - weights[b]);
    }
    inertia = restarts ? 1 : faster;
    if (restarts) continue;
    const bool is_done = value - reached <= kTolerance * std::abs(reached) && k > 10;
    weights = next;
    value = reached;
    if (is_done) break;
    step *= 1.5;
  }
  // Scores of 0 add nothing, whatever their weight.
  for (std::size_t b = 0; b < bases && !sum_is_one; ++b) {
    const auto is_zero = [](double score) { return std::abs(score) < 1e-6; };
    if (std::ranges::all_of(scores[b], is_zero)) weights[b] = 0;
  }
  return weights;
}

}  // namespace adacvar
