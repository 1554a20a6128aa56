#include "learner/tuning_grid.hpp"

#include <algorithm>

namespace adacvar {

namespace {

// Multiplies the main parameter of the algorithm by `factor`.
void turn(TrainOptions& options, double factor) {
  switch (options.algorithm) {
    case Algorithm::adacvar:
      if (options.sampler.eta) {
        *options.sampler.eta *= factor;
      } else {
        options.sampler.eta_scale = options.sampler.eta_scale.value_or(1.0) * factor;
      }
      break;
    case Algorithm::soft:
      options.temperature *= factor;
      break;
    case Algorithm::exact:
      break;
    case Algorithm::trunc:
    case Algorithm::mean:
      *options.learning_rate *= factor;
      break;
  }
}

double main_parameter_factor(Algorithm algorithm) {
  return algorithm == Algorithm::soft ? 10.0 : 3.0;
}

// Settings of the main parameter; then more of them for the mean, and weights of the mean for the
// others unless one is given: as many runs for each.
std::vector<TrainOptions> settings_of(const TrainOptions& options) {
  const double step = main_parameter_factor(options.algorithm);
  std::vector<double> factors = {1.0, 1.0 / step, step};
  const bool is_mean = options.algorithm == Algorithm::mean;
  const bool is_given = options.gamma > 0;
  if (is_mean && !is_given) factors.insert(factors.end(), {1.0 / (step * step), step * step});
  std::vector<TrainOptions> settings;
  for (const double factor : factors) turn(settings.emplace_back(options), factor);
  if (is_mean || is_given) return settings;
  for (const double gamma : {0.3, 0.7}) settings.emplace_back(options).gamma = gamma;
  return settings;
}

}  // namespace

std::vector<TrainOptions> tuning_grid(const TrainOptions& options) {
  if (options.algorithm == Algorithm::exact) return {options};
  const OptimizerKind given = options.optimizer.kind;
  const OptimizerKind other =
      given == OptimizerKind::adam ? OptimizerKind::sgd : OptimizerKind::adam;
  std::vector<TrainOptions> grid;
  for (const OptimizerKind kind : {given, other}) {
    for (const double rate : {1.0, 0.1, 10.0}) {
      TrainOptions trial = options;
      trial.optimizer.kind = kind;
      trial.learning_rate = trial.learning_rate.value_or(0.015) * rate;
      for (TrainOptions& setting : settings_of(trial)) grid.push_back(std::move(setting));
    }
  }
  return grid;
}

std::vector<TrainOptions> tree_grid(const TrainOptions& options) {
  constexpr double kSample = 0.7;
  const std::uint64_t depth = options.trees.depth;
  std::vector<TrainOptions> grid;
  for (const std::uint64_t trial : {depth, depth > 2 ? depth - 2 : 1, depth + 2}) {
    for (const double rate : {1.0, 1.0 / 3}) {
      for (const bool samples : {false, true}) {
        TreeOptions& trees = grid.emplace_back(options).trees;
        if (depth > 0) trees.depth = std::min<std::uint64_t>(trial, 30);
        trees.tree_rate *= rate;
        if (samples) trees.subsample = std::min(trees.subsample, kSample);
      }
    }
  }
  return grid;
}

}  // namespace adacvar
