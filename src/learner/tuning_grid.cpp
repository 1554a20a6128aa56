#include "learner/tuning_grid.hpp"

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
      *options.learning_rate *= factor > 1 ? 3.0 : (factor < 1 ? 1.0 / 3.0 : 1.0);
      break;
  }
}

double main_parameter_factor(Algorithm algorithm) {
  return algorithm == Algorithm::soft ? 10.0 : 3.0;
}

}  // namespace

std::vector<TrainOptions> tuning_grid(const TrainOptions& options) {
  if (options.algorithm == Algorithm::exact) return {options};
  const double step = main_parameter_factor(options.algorithm);
  const bool sgd_first = options.optimizer.kind == OptimizerKind::sgd;
  std::vector<TrainOptions> grid;
  for (const bool first : {true, false}) {
    for (const double rate : {1.0, 0.1, 10.0}) {
      for (const double factor : {1.0, 1.0 / step, step}) {
        TrainOptions trial = options;
        trial.optimizer.kind = first == sgd_first ? OptimizerKind::sgd : OptimizerKind::adam;
        trial.learning_rate = trial.learning_rate.value_or(0.015) * rate;
        turn(trial, factor);
        grid.push_back(trial);
      }
    }
  }
  return grid;
}

}  // namespace adacvar
