#pragma once

#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/make_sampler.hpp>
#include "learner/objective.hpp"

#include "base/state_stream.hpp"
#include "learner/checkpoint.hpp"
#include "learner/limit_follower.hpp"
#include "learner/local_rows.hpp"
#include "learner/predict.hpp"
#include "learner/temperature.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {

/// Returns the learning rate in an epoch, counted from 1, of which `done` in [0, 1) is over.
[[nodiscard]] double rate_at(const TrainOptions& options, std::uint64_t epoch, double done);

/// Throws: see `train`.
void check_training(const Dataset& training, const Dataset* validation, const Loss& loss,
                    const TrainOptions& options);

inline void add_to_mean(LinearModel& mean, double share, const LinearModel& model) {
  const auto sum = mean.parameters();
  const auto now = model.parameters();
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * (now[i] - sum[i]);
}
inline void set_zero(LinearModel& model) { std::ranges::fill(model.parameters(), 0.0); }

/// Keeps the iterates that may become the result. `Model` is a copy of all parameters; a source has
/// `model()`, which is called only when a copy is kept, since copying a network is expensive.
template <class Model>
class Candidates {
 public:
  Candidates(const Model& start, const TrainOptions& options, std::uint64_t steps, Rng& rng)
      : iterate_(options.iterate),
        steps_(steps),
        chosen_step_(options.iterate == Iterate::random ? 1 + rng() % steps : 0),
        last_resort_(start) {
    if (iterate_ != Iterate::average) return;
    kept_ = start;
    set_zero(*kept_);
  }

  template <class Source>
  void after_step(const Source& source, std::uint64_t step) {
    if (iterate_ == Iterate::random && step == chosen_step_) kept_ = source.model();
    if (recent_) add(*recent_, ++recent_count_, source.model());
    if (iterate_ == Iterate::average && 2 * step > steps_) {
      add(*kept_, ++averaged_, source.model());
    }
  }

  /// Enables `recent`.
  void watch() {
    if (!recent_) recent_ = last_resort_;
  }
  /// Mean of the steps since the start of epoch 1, 2, 4, 8, ...: at least half of all epochs.
  [[nodiscard]] const Model& recent() const { return *recent_; }
  void before_epoch(std::uint64_t epoch) {
    if (std::has_single_bit(epoch)) recent_count_ = 0;
  }

  /// `held_out`: what the validation rows rank the epoch by, smaller is better; `excess`: of the
  /// limited quantity over its limit, relative.
  template <class Source>
  void after_epoch(const Source& source, bool is_finite, const EpochRecord& record,
                   std::optional<double> held_out, double excess) {
    if (is_finite && record.training_loss < least_loss_) {
      least_loss_ = record.training_loss;
      last_resort_ = source.model();
    }
    const Rank rank = held_out ? Rank{std::max(0.0, excess - 0.01), *held_out} : kWorst;
    if (!(rank < best_)) {
      ++epochs_without_better_;
      return;
    }
    best_ = rank;
    epochs_without_better_ = 0;
    best_model_ = source.model();
  }

  /// Mean of the second half of the steps so far; null before, and unless it is the result.
  [[nodiscard]] const Model* average() const {
    return iterate_ == Iterate::average && averaged_ > 0 ? &*kept_ : nullptr;
  }

  [[nodiscard]] std::uint64_t epochs_without_better() const { return epochs_without_better_; }

  [[nodiscard]] Model result(Model last, std::uint64_t steps_done, StopReason reason) const {
    const Model& wanted = wanted_model(last, steps_done, reason);
    return reason == StopReason::diverged || !wanted.is_finite() ? last_resort_ : wanted;
  }

  void save(StateWriter& out) const {
    out.put(chosen_step_);
    out.put(averaged_);
    out.put(recent_count_);
    out.put(epochs_without_better_);
    out.put(best_.violation);
    out.put(best_.risk);
    out.put(least_loss_);
    out.put(best_model_.has_value());
    out.put(kept_.has_value());
    out.put(recent_.has_value());
  }
  void load(StateReader& in) {
    chosen_step_ = in.get<std::uint64_t>();
    averaged_ = in.get<std::uint64_t>();
    recent_count_ = in.get<std::uint64_t>();
    epochs_without_better_ = in.get<std::uint64_t>();
    best_.violation = in.get<double>();
    best_.risk = in.get<double>();
    least_loss_ = in.get<double>();
    for (std::optional<Model>* place : {&best_model_, &kept_, &recent_}) {
      place->reset();
      if (in.get<bool>()) *place = last_resort_;  // a model of the right size to read into
    }
  }
  /// All models, for saving and loading.
  [[nodiscard]] std::vector<Model*> models() {
    std::vector<Model*> result{&last_resort_};
    for (std::optional<Model>* place : {&best_model_, &kept_, &recent_}) {
      if (*place) result.push_back(&**place);
    }
    return result;
  }

 private:
  // Order of the epochs: those within 1 % of the limit come first.
  struct Rank {
    double violation;
    double risk;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  static constexpr Rank kWorst{std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::infinity()};

  // A running mean, since a sum could overflow.
  static void add(Model& mean, std::uint64_t count, const Model& model) {
    add_to_mean(mean, 1.0 / static_cast<double>(count), model);
  }

  // A stopped run may not have reached the steps of its iterate.
  [[nodiscard]] const Model& wanted_model(const Model& last, std::uint64_t steps_done,
                                          StopReason reason) const {
    if (reason == StopReason::gap) return *recent_;  // the certified model
    const bool cut_short = reason == StopReason::interrupted || reason == StopReason::patience;
    if (best_model_ && (iterate_ == Iterate::best || cut_short)) return *best_model_;
    const bool kept = (iterate_ == Iterate::average && averaged_ > 0) ||
                      (iterate_ == Iterate::random && steps_done >= chosen_step_);
    return kept ? *kept_ : last;
  }

  Iterate iterate_;
  std::uint64_t steps_;
  std::uint64_t chosen_step_;
  std::uint64_t averaged_ = 0;
  std::uint64_t recent_count_ = 0;
  std::uint64_t epochs_without_better_ = 0;
  Rank best_ = kWorst;
  double least_loss_ = std::numeric_limits<double>::infinity();
  Model last_resort_;  // result if the run diverges
  std::optional<Model> best_model_;
  std::optional<Model> kept_;
  std::optional<Model> recent_;
};

/// Backend of the training loop: computes losses and takes steps.
template <class B>
concept Backend = requires(B b, const B& c, std::span<const Index> batch, std::span<double> losses,
                           std::span<const double> weights, double rate,
                           std::span<const Index> next, const AnySampler& sampler) {
  typename B::Model;                                        // a copy of the parameters
  { c.model() } -> std::convertible_to<typename B::Model>;  // now
  { c.scorer() } -> std::convertible_to<const Scorer&>;     // the current model
  { c.is_finite() } -> std::same_as<bool>;
  b.losses(batch, losses);
  b.step(batch, weights, rate, next);  // `next`: the following batch, to prefetch
  b.after_update(sampler);             // called after the sampler has observed the losses
};

/// A backend whose runs can resume from a checkpoint.
template <class B>
concept Resumable = Backend<B> &&
    requires(B b, const B& c, typename B::Model& model, const typename B::Model& kept,
             std::ostream& out, std::istream& in) {
  c.save(out);  // model, optimizer, generators
  b.load(in);
  save_model_state(kept, out);
  load_model_state(model, in);
};

/// The training loop of all algorithms: draw, compute losses, weight them, observe, step.
/// (Observing and stepping are independent.) `Rows` has the rows and their sampler: LocalRows, or
/// ShardedSource.
template <Backend B, class Rows>
class TrainingLoop {
 public:
  using Model = typename B::Model;

  /// Keeps references to all but `options`, in which every automatic value is resolved.
  TrainingLoop(Rows& rows, const Loss& loss, TrainOptions options, const TrainHooks& hooks,
               B& backend)
      : rows_(rows),
        loss_(loss),
        options_(std::move(options)),
        hooks_(hooks),
        backend_(backend),
        steps_per_epoch_((rows.rows() + options_.batch - 1) / options_.batch),
        rng_(options_.seed),
        identity_(rows.identity(identity_with_limit(hooks.run_identity, options_))),
        objective_(rows.objective(options_)),
        candidates_(backend.model(), options_, steps_per_epoch_ * options_.epochs, rng_),
        batch_(options_.batch),
        next_batch_(options_.batch),
        losses_(options_.batch),
        weights_(options_.batch) {
    rows_.start(options_, steps_per_epoch_ * options_.epochs * options_.batch);
    if (kIsLinear && hooks_.watch) candidates_.watch();
    if (!options_.limit) return;
    follower_.emplace(*options_.limit, options_.risk(), rows.rows(), options_.epochs);
    importance_.assign(options_.batch, 1.0);
    set_gamma();
  }

  TrainingResult<Model> run() {
    go_on_from_checkpoint();
    for (std::uint64_t epoch = result_.epochs + 1; epoch <= options_.epochs; ++epoch) {
      candidates_.before_epoch(epoch);
      if (!run_epoch(epoch) || !finish_epoch(epoch)) break;
      if (epoch == options_.epochs) break;
      rows_.discount(options_.memory.value_or(1.0));
      keep_checkpoint();
    }
    result_.gamma = follower_ ? follower_->mean_gamma() : options_.gamma;
    result_.model = candidates_.result(backend_.model(), step_, result_.stop_reason);
    return std::move(result_);
  }

 private:
  static constexpr bool kIsLinear = std::same_as<Model, LinearModel>;

  bool stop(StopReason reason) {
    result_.stop_reason = reason;
    return false;
  }

  static bool all_finite(std::span<const double> values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  }

  bool run_epoch(std::uint64_t epoch) {
    loss_sum_ = 0;
    double rate = rate_at(options_, epoch, 0);
    draw(batch_);
    for (std::uint64_t left = steps_per_epoch_; left > 0; --left) {
      // Not at every step: an atomic load is cheap, but a million per second are not. A network's
      // step may take seconds.
      if ((!kIsLinear || step_ % 64 == 0) && rows_.any(hooks_.stop != nullptr && *hooks_.stop)) {
        return stop(StopReason::interrupted);
      }
      if (hooks_.within_epoch && (!kIsLinear || step_ % 64 == 0)) {
        const auto now = static_cast<double>(steps_per_epoch_ * epoch - left);
        hooks_.within_epoch(now / static_cast<double>(steps_per_epoch_));
      }
      backend_.losses(rows_.places(batch_), losses_);
      if (!all_finite(losses_)) return stop(StopReason::diverged);
      std::visit([&](auto& o) { o.weight(batch_, losses_, weights_); }, objective_);
      if (follower_ && !measures_limit()) follow_limit();
      rows_.observe(batch_, losses_);
      const bool draws_next = left > 1;
      // The next draw depends on the losses but not on the step: drawn before it, its rows are
      // prefetched while the step is computed.
      std::span<const Index> next;
      if (Rows::kDrawsAhead && draws_next) next = draw(next_batch_);
      if (options_.rate_schedule == RateSchedule::cosine) {
        const double done = 1 - static_cast<double>(left) / static_cast<double>(steps_per_epoch_);
        rate = rate_at(options_, epoch, done);
      }
      backend_.step(rows_.places(batch_), weights_, rate, next);
      rows_.update(backend_);
      if (!Rows::kDrawsAhead && draws_next) draw(next_batch_);
      candidates_.after_step(backend_, ++step_);
      loss_sum_ += std::accumulate(losses_.begin(), losses_.end(), 0.0) /
                   static_cast<double>(losses_.size());
      std::swap(batch_, next_batch_);
    }
    return backend_.is_finite() || stop(StopReason::diverged);
  }

  // Before the sampler observes the losses, while it has the probabilities of the batch.
  void follow_limit() {
    if constexpr (!kIsLinear) {
      if (options_.algorithm == Algorithm::adacvar) rows_.importance(batch_, importance_);
    }
    if (follower_->observe(losses_, importance_)) set_gamma();
  }

  void set_gamma() {
    const double gamma = follower_->gamma();
    rows_.set_gamma(std::max(gamma, options_.exploration));
    std::visit([&](auto& o) { o.set_gamma(gamma); }, objective_);
  }

  // A linear model is measured exactly: for small sets draws are too noisy, and one pass without
  // gradients costs little. So are validation rows. A network is estimated from its draws.
  [[nodiscard]] bool measures_limit() const { return kIsLinear || options_.limit_on_validation; }

  void measure_limit() {
    if constexpr (kIsLinear) {
      const Model* average = candidates_.average();
      if (const auto value = average ? limited_value(*average) : std::nullopt) {
        follower_->measure_average(*value);
      }
    }
    const auto value = limited_value(backend_.scorer());
    if (value) follower_->measure(*value);
    set_gamma();
  }

  // None if a loss is not finite.
  [[nodiscard]] std::optional<double> limited_value(const Scorer& model) const {
    const auto risk = options_.limit_on_validation ? rows_.validation_risk(model, options_.alpha)
                                                   : rows_.training_risk(model, options_.alpha);
    if (!risk) return std::nullopt;
    return options_.limit->value(*risk);
  }

  std::span<const Index> draw(std::span<Index> batch) {
    rows_.draw(rng_, batch);
    if constexpr (!Rows::kDrawsAhead) backend_.take_new_rows();
    return batch;
  }

  bool finish_epoch(std::uint64_t epoch) {
    EpochRecord record{.epoch = epoch,
                       .training_loss = loss_sum_ / static_cast<double>(steps_per_epoch_)};
    const std::optional<double> held_out = judge_epoch(record);
    if (follower_ && measures_limit()) measure_limit();
    candidates_.after_epoch(backend_, backend_.is_finite(), record, held_out,
                            follower_ ? follower_->excess() : 0.0);
    result_.history.push_back(record);
    result_.epochs = epoch;
    if (options_.patience > 0 && candidates_.epochs_without_better() >= options_.patience) {
      return stop(StopReason::patience);
    }
    if (rows_.any(hooks_.progress && !hooks_.progress(record))) {
      return stop(StopReason::interrupted);
    }
    if (hooks_.watch && !hooks_.watch(view(record))) return stop(StopReason::gap);
    return true;
  }

  // Sets the risk of the validation rows and returns what ranks the epoch; none if a loss is not
  // finite. A network that is trained for its tail memorises it: its validation CVaR is least in
  // the first epochs, when it has learned little. Its mean, without the overconfidence that a
  // temperature cures, tells how much it has learned.
  std::optional<double> judge_epoch(EpochRecord& record) const {
    if (!rows_.has_validation()) return std::nullopt;
    const auto risk = rows_.validation_risk(backend_.scorer(), options_.alpha);
    if (!risk) return std::nullopt;
    record.validation = *risk;
    if (options_.limit && options_.limit->of == RiskLimit::Of::cvar) return risk->mean;
    if constexpr (kIsLinear) {
      return options_.risk().of(*risk);
    } else {
      if (!loss_.has_probabilities()) return risk->mean;
      const Dataset& validation = rows_.validation();
      return least_mean(all_scores(backend_.scorer(), validation), validation, loss_);
    }
  }

  EpochView view(const EpochRecord& record) const {
    const LinearModel* linear = nullptr;
    const LinearModel* recent = nullptr;
    if constexpr (kIsLinear) {
      linear = &backend_.model();
      recent = &candidates_.recent();
    }
    return {.record = record,
            .model = backend_.scorer(),
            .linear = linear,
            .recent = recent,
            .is_restart = std::has_single_bit(record.epoch),
            .sampler = rows_.adaptive()};
  }

  // Complete state between two epochs.
  void keep_checkpoint() {
    if (hooks_.checkpoint.empty() || !result_.checkpoint_error.empty()) return;
    if constexpr (Resumable<B>) {
      std::ostringstream out;
      save_progress(out, identity_, {step_, result_.history});
      rng_.save(out);
      rows_.save(out, result_.epochs);
      save_objective(out, objective_);
      StateWriter kept(kCandidatesKind, 2);
      candidates_.save(kept);
      if (follower_) follower_->save(kept);
      kept.write_to(out);
      for (const Model* model : candidates_.models()) save_model_state(*model, out);
      backend_.save(out);
      // A full disk must not end training; the last checkpoint is kept.
      result_.checkpoint_error =
          rows_.write_checkpoint(hooks_.checkpoint, result_.epochs, out.view());
    }
  }

  void go_on_from_checkpoint() {
    if (hooks_.checkpoint.empty()) return;
    if constexpr (Resumable<B>) {
      std::optional<std::istringstream> in = rows_.open_checkpoint(hooks_.checkpoint);
      if (!in) return;
      with_source(hooks_.checkpoint, [&] {
        LoopProgress progress = load_progress(*in, identity_);
        rng_ = Rng::load(*in);
        rows_.load(*in, hooks_.checkpoint);
        load_objective(*in, objective_);
        StateReader kept(*in, kCandidatesKind, 2);
        candidates_.load(kept);
        if (follower_) follower_->load(kept);
        kept.finish();
        for (Model* model : candidates_.models()) load_model_state(*model, *in);
        if (kIsLinear && hooks_.watch) candidates_.watch();
        backend_.load(*in);
        if (follower_) set_gamma();
        step_ = progress.steps;
        result_.history = std::move(progress.history);
        result_.epochs = result_.history.size();
      });
    }
  }

  Rows& rows_;
  const Loss& loss_;
  TrainOptions options_;
  const TrainHooks& hooks_;
  B& backend_;
  std::uint64_t steps_per_epoch_;
  Rng rng_;
  std::string identity_;
  AnyObjective objective_;
  Candidates<Model> candidates_;
  TrainingResult<Model> result_;
  std::vector<Index> batch_;
  std::vector<Index> next_batch_;
  std::vector<double> losses_;
  std::vector<double> weights_;
  std::optional<LimitFollower> follower_;
  std::vector<double> importance_;
  std::uint64_t step_ = 0;
  double loss_sum_ = 0;
};

}  // namespace adacvar
