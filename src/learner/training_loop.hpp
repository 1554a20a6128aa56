#pragma once

#include <adacvar/learner/objective.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/make_sampler.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace adacvar {

/// The sampler and the objective of an algorithm.
[[nodiscard]] AnySampler sampler_for(const TrainOptions& options, std::size_t size,
                                     std::uint64_t draws);
[[nodiscard]] AnyObjective objective_for(const TrainOptions& options);

/// The learning rate of an epoch, counted from 1.
[[nodiscard]] double rate_at(const TrainOptions& options, std::uint64_t epoch);

/// Throws: see `train`.
void check_training(const Dataset& training, const Dataset* validation, const Loss& loss,
                    const TrainOptions& options);

/// Keeps what the result may be made of.
class Candidates {
 public:
  Candidates(const LinearModel& start, const TrainOptions& options, std::uint64_t steps, Rng& rng)
      : iterate_(options.iterate),
        steps_(steps),
        chosen_step_(options.iterate == Iterate::random ? 1 + rng() % steps : 0),
        last_resort_(start),
        best_model_(start),
        kept_(start),
        recent_(start) {
    if (iterate_ == Iterate::average) std::ranges::fill(kept_.parameters(), 0.0);
  }

  void after_step(const LinearModel& model, std::uint64_t step) {
    if (iterate_ == Iterate::random && step == chosen_step_) kept_ = model;
    if (watched_) add_to_mean(recent_, ++recent_count_, model);
    if (iterate_ == Iterate::average && 2 * step > steps_) add_to_mean(kept_, ++averaged_, model);
  }

  /// From now on `recent` is kept up to date.
  void watch() { watched_ = true; }
  /// Mean of the steps since epoch 1, 2, 4, 8, ... began: of half of all epochs or more.
  [[nodiscard]] const LinearModel& recent() const { return recent_; }
  void before_epoch(std::uint64_t epoch) {
    if (std::has_single_bit(epoch)) recent_count_ = 0;
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
  // A running mean: no sum that could overflow.
  static void add_to_mean(LinearModel& mean, std::uint64_t count, const LinearModel& model) {
    const double share = 1.0 / static_cast<double>(count);
    const auto sum = mean.parameters();
    const auto now = model.parameters();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * (now[i] - sum[i]);
  }

  // A run that was stopped may not have reached what its iterate is made of.
  [[nodiscard]] const LinearModel& wanted_model(const LinearModel& last, std::uint64_t steps_done,
                                                StopReason reason) const {
    if (reason == StopReason::gap) return recent_;  // it is what was certified
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
  bool watched_ = false;
  std::uint64_t recent_count_ = 0;
  std::uint64_t epochs_without_better_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  double least_loss_ = std::numeric_limits<double>::infinity();
  LinearModel last_resort_;  // if the run diverges
  LinearModel best_model_;
  LinearModel kept_;
  LinearModel recent_;
};

/// What supplies losses and takes steps.
template <class B>
concept Backend = requires(B b, const B& c, std::span<const Index> batch, std::span<double> losses,
                           std::span<const double> weights, double rate,
                           std::span<const Index> next, const AnySampler& sampler) {
  { c.model() } -> std::same_as<const LinearModel&>;
  b.losses(batch, losses);
  b.step(batch, weights, rate, next);  // `next` is the batch that follows, to be fetched
  b.after_update(sampler);             // the sampler has seen the losses
};

/// The one loop of all algorithms: draw, losses, weigh, observe, step. (Observing and stepping do
/// not hang on each other.)
template <Backend B>
class TrainingLoop {
 public:
  /// Keeps references to all but `options`, in which everything is decided.
  TrainingLoop(const Dataset& training, const Dataset* validation, const Loss& loss,
               TrainOptions options, const TrainHooks& hooks, B& backend)
      : validation_(validation),
        loss_(loss),
        options_(std::move(options)),
        hooks_(hooks),
        backend_(backend),
        steps_per_epoch_((training.rows + options_.batch - 1) / options_.batch),
        rng_(options_.seed),
        sampler_(sampler_for(options_, training.rows,
                             steps_per_epoch_ * options_.epochs * options_.batch)),
        objective_(objective_for(options_)),
        candidates_(backend.model(), options_, steps_per_epoch_ * options_.epochs, rng_),
        batch_(options_.batch),
        next_batch_(options_.batch),
        losses_(options_.batch),
        weights_(options_.batch) {
    if (hooks_.watch) candidates_.watch();
  }

  TrainResult run() {
    for (std::uint64_t epoch = 1; epoch <= options_.epochs; ++epoch) {
      candidates_.before_epoch(epoch);
      if (!run_epoch(epoch) || !finish_epoch(epoch)) break;
    }
    result_.model = candidates_.result(backend_.model(), step_, result_.stop_reason);
    return std::move(result_);
  }

 private:
  bool stop(StopReason reason) {
    result_.stop_reason = reason;
    return false;
  }

  static bool all_finite(std::span<const double> values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  }

  bool run_epoch(std::uint64_t epoch) {
    loss_sum_ = 0;
    const double rate = rate_at(options_, epoch);
    sampler_.draw(rng_, batch_);
    for (std::uint64_t left = steps_per_epoch_; left > 0; --left) {
      // An atomic load costs little, but a million of them a second need not be.
      if (hooks_.stop != nullptr && step_ % 64 == 0 && *hooks_.stop) {
        return stop(StopReason::interrupted);
      }
      backend_.losses(batch_, losses_);
      if (!all_finite(losses_)) return stop(StopReason::diverged);
      std::visit([&](auto& o) { o.weigh(losses_, weights_); }, objective_);
      sampler_.observe(batch_, losses_);
      const auto next = left > 1 ? draw_next() : std::span<const Index>();
      backend_.step(batch_, weights_, rate, next);
      backend_.after_update(sampler_);
      candidates_.after_step(backend_.model(), ++step_);
      loss_sum_ += std::accumulate(losses_.begin(), losses_.end(), 0.0) /
                   static_cast<double>(losses_.size());
      std::swap(batch_, next_batch_);
    }
    return backend_.model().is_finite() || stop(StopReason::diverged);
  }

  // The next draw hangs on the losses but not on the step: made before it, memory can send the rows
  // while the step is computed.
  std::span<const Index> draw_next() {
    sampler_.draw(rng_, next_batch_);
    return next_batch_;
  }

  bool finish_epoch(std::uint64_t epoch) {
    EpochRecord record{.epoch = epoch,
                       .training_loss = loss_sum_ / static_cast<double>(steps_per_epoch_)};
    if (validation_ != nullptr && validation_->rows > 0) {
      const auto held_out = losses_of(backend_.model(), *validation_, loss_);
      if (all_finite(held_out)) record.validation = tail_risk(held_out, options_.alpha);
    }
    candidates_.after_epoch(backend_.model(), record);
    result_.history.push_back(record);
    result_.epochs = epoch;
    if (options_.patience > 0 && candidates_.epochs_without_better() >= options_.patience) {
      return stop(StopReason::patience);
    }
    if (hooks_.progress && !hooks_.progress(record)) return stop(StopReason::interrupted);
    if (hooks_.watch && !hooks_.watch(view(record))) return stop(StopReason::gap);
    return true;
  }

  EpochView view(const EpochRecord& record) const {
    return {.record = record,
            .model = backend_.model(),
            .recent = candidates_.recent(),
            .is_restart = std::has_single_bit(record.epoch),
            .sampler = std::get_if<AdaptiveSampler>(&sampler_.variant())};
  }

  const Dataset* validation_;
  const Loss& loss_;
  TrainOptions options_;
  const TrainHooks& hooks_;
  B& backend_;
  std::uint64_t steps_per_epoch_;
  Rng rng_;
  AnySampler sampler_;
  AnyObjective objective_;
  Candidates candidates_;
  TrainResult result_;
  std::vector<Index> batch_;
  std::vector<Index> next_batch_;
  std::vector<double> losses_;
  std::vector<double> weights_;
  std::uint64_t step_ = 0;
  double loss_sum_ = 0;
};

}  // namespace adacvar
