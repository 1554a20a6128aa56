#include <adacvar/learner/train.hpp>

#include "learner/linear_backend.hpp"
#include "learner/resolve_defaults.hpp"
#include "learner/train_linear.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace adacvar {

namespace {

// Draws of the run that the sampler remembers at its end, an epoch before the last counting
// `memory`, the one before it memory^2 and so on: the horizon of its step.
std::uint64_t remembered_draws(const TrainOptions& options, std::uint64_t draws) {
  const double memory = options.memory.value_or(1.0);
  if (memory == 1.0) return draws;
  double epochs = 0.0;
  double weight = 1.0;
  for (std::uint64_t epoch = 0; epoch < options.epochs && weight > 0.0; ++epoch) {
    epochs += weight;
    weight *= memory;
  }
  const double per_epoch = static_cast<double>(draws) / static_cast<double>(options.epochs);
  return static_cast<std::uint64_t>(per_epoch * epochs);
}

}  // namespace

AnySampler sampler_for(const TrainOptions& options, const Dataset& training, std::uint64_t draws) {
  if (options.algorithm != Algorithm::adacvar) {
    return make_sampler("shuffled", training.rows, {}, training.weights);
  }
  return make_sampler("adaptive", training.rows, sampler_options_for(options, draws),
                      training.weights);
}

AdaptiveSamplerOptions sampler_options_for(const TrainOptions& options, std::uint64_t draws) {
  AdaptiveSamplerOptions sampler = options.sampler;
  sampler.alpha = options.alpha;
  sampler.gamma = std::max(options.gamma, options.exploration);
  if (sampler.horizon == 0) sampler.horizon = remembered_draws(options, draws);
  return sampler;
}

AnyObjective objective_for(const TrainOptions& options, std::size_t rows,
                           std::span<const double> weights) {
  switch (options.algorithm) {
    case Algorithm::trunc:
      return TruncObjective(rows, options.risk(), options.level_window, weights);
    case Algorithm::soft:
      return SoftObjective(rows, options.risk(), options.level_window, options.temperature,
                           weights);
    case Algorithm::adacvar:
    case Algorithm::mean:
    case Algorithm::exact:
      break;
  }
  return MeanObjective{};
}

double rate_at(const TrainOptions& options, std::uint64_t epoch, double done) {
  const auto t = static_cast<double>(epoch);
  switch (options.rate_schedule) {
    case RateSchedule::automatic:
    case RateSchedule::steps:
      break;
    case RateSchedule::inverse_sqrt:
      return options.learning_rate.value() / std::sqrt(t);
    case RateSchedule::constant:
      return options.learning_rate.value();
    case RateSchedule::cosine: {
      const double share = (t - 1 + done) / static_cast<double>(options.epochs);
      return options.learning_rate.value() * (1 + std::cos(std::numbers::pi * share)) / 2;
    }
  }
  const double every = options.decay_every > 0 ? static_cast<double>(options.decay_every)
                                               : 2.0 * static_cast<double>(options.epochs) / 5.0;
  return options.learning_rate.value() * std::pow(options.decay, std::ceil(t / every) - 1.0);
}

namespace {

// The values are checked where they are used.
void check_weight_count(const Dataset& data, std::string_view name) {
  if (data.weights.empty() || data.weights.size() == data.rows) return;
  throw DataError(fmt::format("the {} data has {} rows and {} row weights", name, data.rows,
                              data.weights.size()));
}

void check_limit(const Dataset* validation, const TrainOptions& options) {
  if (!options.limit) return;
  check_range("limit", options.limit->most, {.low = 0, .low_ok = false});
  if (options.algorithm == Algorithm::mean) {
    throw OptionError("a limit is for adacvar, trunc and soft: algorithm = mean has no gamma");
  }
  if (options.learner == Learner::btl) {
    throw OptionError("a limit is for gradient steps: learner = btl has a fixed gamma");
  }
  if (options.limit_on_validation && (validation == nullptr || validation->rows == 0)) {
    throw OptionError("a limit on the validation losses needs validation data, but there is none");
  }
}

}  // namespace

void check_training(const Dataset& training, const Dataset* validation, const Loss& loss,
                    const TrainOptions& options) {
  check_options(options);
  check_options(options.optimizer);
  if (options.algorithm == Algorithm::exact) {
    throw OptionError("algorithm = exact takes no steps: call solve_exact");
  }
  if (options.learner == Learner::btl && options.algorithm != Algorithm::adacvar) {
    throw OptionError(fmt::format("learner = btl plays against the sampler of adacvar, not {}",
                                  kAlgorithmNames.of(options.algorithm)));
  }
  if (options.learner == Learner::btl && options.memory.value_or(1.0) < 1.0) {
    throw OptionError("memory is for gradient steps: learner = btl fits all distributions so far");
  }
  if (training.rows == 0) throw DataError("the training data is empty");
  check_weight_count(training, "training");
  if (validation != nullptr) check_weight_count(*validation, "validation");
  if (!loss.fits(training.task)) {
    throw OptionError(
        "the loss does not fit the task: squared, absolute, huber and pinball are for "
        "regression, logistic and hinge for two classes, softmax for classes");
  }
  const bool needs_validation = options.iterate == Iterate::best || options.patience > 0;
  if (needs_validation && (validation == nullptr || validation->rows == 0)) {
    throw OptionError("iterate = best and patience need validation data, but there is none");
  }
  check_limit(validation, options);
  if (options.optimizer.kind == OptimizerKind::newton && options.radius > 0.0) {
    throw OptionError(
        "optimizer = newton does not go with radius: its steps have another metric than the ball");
  }
}

std::vector<double> losses_of(const Scorer& model, const Dataset& data, const Loss& loss) {
  constexpr std::size_t kBlock = 1024;
  std::vector<double> losses(data.rows);
  std::vector<double> scores(kBlock * model.outputs());
  std::array<Index, kBlock> rows;
  for (std::size_t start = 0; start < data.rows; start += kBlock) {
    const std::size_t count = std::min(kBlock, data.rows - start);
    std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count),
              static_cast<Index>(start));
    const auto part = std::span(scores).first(count * model.outputs());
    model.scores(data, std::span(rows).first(count), part);
    loss.evaluate(part, std::span(data.targets).subspan(start, count),
                  std::span(losses).subspan(start, count), part);
  }
  return losses;
}

TrainResult train(const Dataset& training, const Dataset* validation, const Loss& loss,
                  const TrainOptions& options, const TrainHooks& hooks) {
  check_training(training, validation, loss, options);
  const TrainOptions chosen = resolve_defaults(options, training, loss);
  LinearBackend backend(training, loss, chosen, training.rows);
  LocalRows rows(training, validation, loss);
  return train_linear(rows, loss, chosen, hooks, backend);
}

}  // namespace adacvar
