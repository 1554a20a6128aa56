#include "learner/resolve_defaults.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

void resolve_eta_scale(TrainOptions& options, const Loss& loss) {
  if (!options.sampler.eta_scale) {
    options.sampler.eta_scale = loss.fits(Task::regression) ? 3.0 : 20.0;
  }
}

}  // namespace

TrainOptions resolve_defaults(TrainOptions options, std::size_t rows, const Loss& loss) {
  if (options.batch == 0) options.batch = std::clamp<std::uint64_t>(rows / 64, 8, 64);
  if (!options.learning_rate) {
    // The smaller the tail, the more the gradients of its rows disagree.
    const bool noisy = !loss.fits(Task::regression) && options.algorithm == Algorithm::adacvar;
    options.learning_rate = noisy ? 0.015 * std::sqrt(options.alpha) : 0.015;
  }
  if (options.iterate == Iterate::automatic) options.iterate = Iterate::average;
  resolve_eta_scale(options, loss);
  return options;
}

TrainOptions resolve_network_defaults(TrainOptions options, const Loss& loss) {
  if (options.batch == 0) options.batch = 64;
  if (options.iterate == Iterate::automatic) options.iterate = Iterate::last;
  if (!options.learning_rate) {
    const bool steep =
        options.algorithm == Algorithm::trunc || options.algorithm == Algorithm::soft;
    const double rate = options.optimizer.kind == OptimizerKind::adam ? 0.001 : 0.05;
    options.learning_rate = steep ? rate * options.alpha : rate;
  }
  resolve_eta_scale(options, loss);
  return options;
}

}  // namespace adacvar
