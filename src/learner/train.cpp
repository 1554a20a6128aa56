#include <adacvar/learner/train.hpp>

#include "learner/linear_backend.hpp"

#include <adacvar/learner/objective.hpp>
#include <adacvar/sampler/make_sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

AnySampler sampler_for(const TrainOptions& options, std::size_t size, std::uint64_t draws) {
  if (options.algorithm != Algorithm::adacvar) return make_sampler("shuffled", size);
  AdaptiveSamplerOptions sampler = options.sampler;
  sampler.alpha = options.alpha;
  if (sampler.horizon == 0) sampler.horizon = draws;
  return make_sampler("adaptive", size, sampler);
}

AnyObjective objective_for(const TrainOptions& options) {
  switch (options.algorithm) {
    case Algorithm::trunc:
      return TruncObjective{.alpha = options.alpha, .rate = options.level_rate};
    case Algorithm::soft:
      return SoftObjective{
          .alpha = options.alpha, .temperature = options.temperature, .rate = options.level_rate};
    case Algorithm::adacvar:
    case Algorithm::mean:
      break;
  }
  return MeanObjective{};
}

// Keeps what the result may be made of.
class Candidates {
 public:
  Candidates(const LinearModel& start, const TrainOptions& options, std::uint64_t steps, Rng& rng)
      : iterate_(options.iterate),
        steps_(steps),
        chosen_step_(options.iterate == Iterate::random ? 1 + rng() % steps : 0),
        last_resort_(start),
        best_model_(start),
        kept_(start) {
    if (iterate_ == Iterate::average) std::ranges::fill(kept_.parameters(), 0.0);
  }

  void after_step(const LinearModel& model, std::uint64_t step) {
    if (iterate_ == Iterate::random && step == chosen_step_) kept_ = model;
    if (iterate_ != Iterate::average || 2 * step <= steps_) return;
    // A running mean: no sum that could overflow.
    const double share = 1.0 / static_cast<double>(++averaged_);
    const auto mean = kept_.parameters();
    const auto now = model.parameters();
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * (now[i] - mean[i]);
  }

  void after_epoch(const LinearModel& model, const EpochRecord& record) {
    if (model.is_finite() && record.training_loss < least_loss_) {
      least_loss_ = record.training_loss;
      last_resort_ = model;
    }
    if (!record.validation || !(record.validation->cvar < best_)) {
      ++epochs_without_better_;
      return;
    }
    best_ = record.validation->cvar;
    epochs_without_better_ = 0;
    best_model_ = model;
  }

  [[nodiscard]] std::uint64_t epochs_without_better() const { return epochs_without_better_; }

  [[nodiscard]] LinearModel result(const LinearModel& model, std::uint64_t steps_done,
                                   StopReason reason) const {
    const LinearModel& wanted = wanted_model(model, steps_done, reason);
    return reason == StopReason::diverged || !wanted.is_finite() ? last_resort_ : wanted;
  }

 private:
  // A run that was stopped may not have reached what its iterate is made of.
  [[nodiscard]] const LinearModel& wanted_model(const LinearModel& last, std::uint64_t steps_done,
                                                StopReason reason) const {
    const bool has_best = best_ < std::numeric_limits<double>::infinity();
    const bool cut_short = reason == StopReason::interrupted || reason == StopReason::patience;
    if (has_best && (iterate_ == Iterate::best || cut_short)) {
      return best_model_;
    }
    const bool kept = (iterate_ == Iterate::average && averaged_ > 0) ||
                      (iterate_ == Iterate::random && steps_done >= chosen_step_);
    return kept ? kept_ : last;
  }

  Iterate iterate_;
  std::uint64_t steps_;
  std::uint64_t chosen_step_;
  std::uint64_t averaged_ = 0;
  std::uint64_t epochs_without_better_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  double least_loss_ = std::numeric_limits<double>::infinity();
  LinearModel last_resort_;  // if the run diverges
  LinearModel best_model_;
  LinearModel kept_;
};

double rate_at(const TrainOptions& options, std::uint64_t epoch) {
  const auto t = static_cast<double>(epoch);
  switch (options.rate_schedule) {
    case RateSchedule::steps:
      break;
    case RateSchedule::inverse_sqrt:
      return options.learning_rate / std::sqrt(t);
    case RateSchedule::constant:
      return options.learning_rate;
  }
  const double every = options.decay_every > 0 ? static_cast<double>(options.decay_every)
                                               : 2.0 * static_cast<double>(options.epochs) / 5.0;
  return options.learning_rate * std::pow(options.decay, std::ceil(t / every) - 1.0);
}

void check_arguments(const Dataset& training, const Dataset* validation, const Loss& loss,
                     const TrainOptions& options) {
  check_options(options);
  check_options(options.optimizer);
  if (training.rows == 0) throw DataError("the training data is empty");
  if (!loss.fits(training.task)) {
    throw OptionError(
        "the loss does not fit the task: squared, absolute, huber and pinball are for "
        "regression, logistic and hinge for two classes, softmax for classes");
  }
  const bool needs_validation = options.iterate == Iterate::best || options.patience > 0;
  if (needs_validation && (validation == nullptr || validation->rows == 0)) {
    throw OptionError("iterate = best and patience need validation data, there is none");
  }
}

}  // namespace

std::vector<double> losses_of(const LinearModel& model, const Dataset& data, const Loss& loss) {
  constexpr std::size_t kBlock = 1024;
  std::vector<double> losses(data.rows);
  std::vector<double> scores(kBlock * model.outputs());
  std::array<Index, kBlock> rows;
  std::array<double, kBlock> targets;
  for (std::size_t start = 0; start < data.rows; start += kBlock) {
    const std::size_t count = std::min(kBlock, data.rows - start);
    for (std::size_t b = 0; b < count; ++b) {
      rows[b] = static_cast<Index>(start + b);
      targets[b] = (data.targets[start + b] - data.target_mean) / data.target_sd;
    }
    const auto part = std::span(scores).first(count * model.outputs());
    model.scores(data, std::span(rows).first(count), part);
    loss.evaluate(part, std::span(targets).first(count), std::span(losses).subspan(start, count),
                  part);
  }
  return losses;
}

TrainOptions decided(TrainOptions options, const Dataset& training, const Loss& loss) {
  // At small alpha a small batch of trunc rarely has a row above the level.
  const std::uint64_t least = options.algorithm == Algorithm::trunc ? 64 : 8;
  if (options.batch == 0) options.batch = std::clamp<std::uint64_t>(training.rows / 64, least, 64);
  if (!options.sampler.eta_scale) {
    options.sampler.eta_scale = loss.fits(Task::regression) ? 3.0 : 20.0;
  }
  return options;
}

TrainResult train(const Dataset& training, const Dataset* validation, const Loss& loss,
                  const TrainOptions& given, const TrainHooks& hooks) {
  check_arguments(training, validation, loss, given);
  const TrainOptions options = decided(given, training, loss);
  const std::uint64_t steps_per_epoch = (training.rows + options.batch - 1) / options.batch;
  const std::uint64_t total_steps = steps_per_epoch * options.epochs;
  Rng rng(options.seed);
  LinearBackend backend(training, loss, options);
  AnySampler sampler = sampler_for(options, training.rows, total_steps * options.batch);
  AnyObjective objective = objective_for(options);
  Candidates candidates(backend.model(), options, total_steps, rng);

  TrainResult result;
  std::vector<Index> batch(options.batch);
  std::vector<double> losses(batch.size());
  std::vector<double> weights(batch.size());
  std::uint64_t step = 0;
  // An atomic load costs little, but a million of them a second need not be.
  const auto stopped = [&] { return hooks.stop != nullptr && step % 64 == 0 && *hooks.stop; };
  const auto finite = [](double loss_value) { return std::isfinite(loss_value); };
  for (std::uint64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    double sum = 0.0;
    for (std::uint64_t s = 0; s < steps_per_epoch; ++s) {
      if (stopped()) {
        result.stop_reason = StopReason::interrupted;
        break;
      }
      sampler.draw(rng, batch);
      backend.losses(batch, losses);
      if (!std::ranges::all_of(losses, finite)) {
        result.stop_reason = StopReason::diverged;
        break;
      }
      std::visit([&](auto& o) { o.weigh(losses, weights); }, objective);
      backend.step(batch, weights, rate_at(options, epoch));
      sampler.observe(batch, losses);
      candidates.after_step(backend.model(), ++step);
      sum += std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(batch.size());
    }
    if (!backend.model().is_finite()) {
      result.stop_reason = StopReason::diverged;
    }
    if (result.stop_reason != StopReason::epochs) break;
    EpochRecord record{.epoch = epoch, .training_loss = sum / static_cast<double>(steps_per_epoch)};
    if (validation != nullptr && validation->rows > 0) {
      const auto held_out = losses_of(backend.model(), *validation, loss);
      if (std::ranges::all_of(held_out, finite))
        record.validation = tail_risk(held_out, options.alpha);
    }
    candidates.after_epoch(backend.model(), record);
    result.history.push_back(record);
    result.epochs = epoch;
    if (options.patience > 0 && candidates.epochs_without_better() >= options.patience) {
      result.stop_reason = StopReason::patience;
      break;
    }
    if (hooks.progress && !hooks.progress(record)) {
      result.stop_reason = StopReason::interrupted;
      break;
    }
  }
  result.model = candidates.result(backend.model(), step, result.stop_reason);
  return result;
}

}  // namespace adacvar
