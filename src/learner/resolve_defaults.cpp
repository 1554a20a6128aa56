#include "learner/resolve_defaults.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

constexpr std::uint64_t kEpochs = 50;

void resolve_eta_scale(TrainOptions& options, const Loss& loss) {
  if (!options.sampler.eta_scale) {
    options.sampler.eta_scale = loss.fits(Task::regression) ? 3.0 : 20.0;
  }
}

// A tail moves, and its Hessian with it; the mean's does not. A limit needs both mean and tail
// near their optimum. Without curvature Newton's method has nothing to go by, and the projection
// into a ball goes with plain steps only. A learning rate that is given is one of plain steps.
OptimizerKind linear_optimizer(const TrainOptions& options, const Dataset& training,
                               const Loss& loss) {
  const bool is_wanted =
      options.algorithm == Algorithm::mean || options.limit || options.gamma >= 1;
  const bool is_possible = loss.curvature() > 0 && options.radius == 0 && !options.learning_rate &&
                           training.features + 1 <= kMostNewtonParameters;
  return is_wanted && is_possible ? OptimizerKind::newton : OptimizerKind::sgd;
}

// The tail of few rows needs more steps to settle while gamma moves.
std::uint64_t linear_epochs(const TrainOptions& options, const Dataset& training) {
  constexpr std::uint64_t kLeastDraws = 150'000;
  const std::uint64_t rows = std::max<std::uint64_t>(1, training.rows);
  return options.limit ? std::clamp<std::uint64_t>(kLeastDraws / rows, kEpochs, 1000) : kEpochs;
}

// Few rows make few steps an epoch, and a network needs thousands.
std::uint64_t network_epochs(const Dataset& training) {
  constexpr std::uint64_t kLeastDraws = 640'000;
  const std::uint64_t rows = std::max<std::uint64_t>(1, training.rows);
  return std::clamp<std::uint64_t>(kLeastDraws / rows, kEpochs, 500);
}

double linear_learning_rate(const TrainOptions& options, const Dataset& training,
                            const Loss& loss) {
  if (options.optimizer.kind == OptimizerKind::newton) {
    return (1.0 - options.optimizer.momentum) *
           std::min(1.0, static_cast<double>(options.batch) / static_cast<double>(training.rows));
  }
  // The smaller the tail, the more the gradients of its rows disagree.
  const bool noisy = !loss.fits(Task::regression) && options.algorithm == Algorithm::adacvar;
  return noisy ? 0.015 * std::sqrt(options.alpha) : 0.015;
}

}  // namespace

TrainOptions resolve_defaults(TrainOptions options, const Dataset& training, const Loss& loss) {
  if (options.batch == 0) options.batch = std::clamp<std::uint64_t>(training.rows / 64, 8, 64);
  if (options.epochs == 0) options.epochs = linear_epochs(options, training);
  if (options.optimizer.kind == OptimizerKind::automatic) {
    options.optimizer.kind = linear_optimizer(options, training, loss);
  }
  if (!options.learning_rate) {
    options.learning_rate = linear_learning_rate(options, training, loss);
  }
  if (options.iterate == Iterate::automatic) options.iterate = Iterate::average;
  if (!options.memory) options.memory = 1.0;
  if (options.rate_schedule == RateSchedule::automatic) {
    options.rate_schedule = RateSchedule::steps;
  }
  resolve_eta_scale(options, loss);
  return options;
}

TrainOptions resolve_network_defaults(TrainOptions options, const Dataset& training,
                                      const Dataset* validation, const Loss& loss) {
  if (options.batch == 0) options.batch = 64;
  if (options.epochs == 0) options.epochs = network_epochs(training);
  if (options.iterate == Iterate::automatic) {
    const bool can_choose = validation != nullptr && validation->rows > 0;
    options.iterate = can_choose ? Iterate::best : Iterate::last;
  }
  if (options.rate_schedule == RateSchedule::automatic) {
    options.rate_schedule = RateSchedule::cosine;
  }
  if (options.optimizer.kind == OptimizerKind::automatic) {
    options.optimizer.kind = OptimizerKind::sgd;
  }
  if (options.optimizer.kind == OptimizerKind::newton) {
    throw OptionError("optimizer = newton is for linear models: networks take sgd or adam");
  }
  if (!options.learning_rate) {
    const bool steep =
        options.algorithm == Algorithm::trunc || options.algorithm == Algorithm::soft;
    const double rate = options.optimizer.kind == OptimizerKind::adam ? 0.001 : 0.05;
    options.learning_rate = steep ? rate * options.alpha : rate;
  }
  // The losses of a network drift: log-weights that never forget memorise its first epochs.
  if (!options.memory) options.memory = 0.5;
  resolve_eta_scale(options, loss);
  return options;
}

}  // namespace adacvar
