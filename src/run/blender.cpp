#include "run/blender.hpp"

#include "learner/predict.hpp"
#include "learner/temperature.hpp"
#include "learner/tree_model.hpp"
#include "learner/weighted_networks.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

constexpr double kMeanBudget = 0.02;
constexpr double kFineTuneRate = 0.3;  // of the learning rate
constexpr double kTailGamma = 0.5;
constexpr double kTreeGamma = 0.1;
constexpr double kLeastTreeAlpha = 0.1;  // smaller tails have too few rows for trees
constexpr std::uint64_t kTailSeed = 0x7461696c;

using Members = std::vector<WeightedNetworks::Member>;

const std::shared_ptr<const Network>& network_of(const NonlinearModel& model) {
  return dynamic_cast<const WeightedNetworks&>(model).members()[0].network;
}

}  // namespace

std::optional<Blender> Blender::make(const PreparedData& data, const Loss& loss,
                                     const RunOptions& options) {
  const BlendOptions& blend = options.blend;
  const bool is_trees = options.train.trees.trees;
  const bool is_declined = !is_trees && !blend.mix && blend.fine_tune == 0.0;
  if ((options.network.network.empty() && !is_trees) || is_declined || options.budget.cvar_limit ||
      options.train.risk().is_mean()) {
    return std::nullopt;
  }
  const std::optional<double> alpha = judged_alpha(options.train.alpha, data.valid);
  if (alpha || is_trees) {
    const BlendRule rule{.alpha = alpha.value_or(options.train.alpha),
                         .mean_budget = options.budget.mean_budget.value_or(kMeanBudget),
                         .has_factor = loss.has_probabilities() &&
                                       options.calibrate.calibrate != CalibrateChoice::no};
    return Blender(data, loss, options, rule, alpha.has_value());
  }
  if (!blend.mix && !blend.fine_tune) return std::nullopt;
  throw OptionError(fmt::format(
      "{} chooses on validation rows, of which there are {}: it needs a tail of 20 of them, at "
      "alpha = 0.1 or the larger one given; give them a larger share of split",
      blend.mix ? "mix" : "fine-tune", data.valid.rows));
}

TrainOptions tree_tail_options(TrainOptions options) {
  if (options.gamma == 0) options.gamma = kTreeGamma;
  options.alpha = std::max(options.alpha, kLeastTreeAlpha);
  return options;
}

TrainOptions fine_tuning_options(TrainOptions options, double share) {
  if (options.gamma == 0) options.gamma = kTailGamma;
  const auto epochs = std::llround(share * static_cast<double>(options.epochs));
  options.epochs = static_cast<std::uint64_t>(std::max(1LL, epochs));
  options.learning_rate = kFineTuneRate * options.learning_rate.value();
  return options;
}

TrainOptions Blender::tail_options(TrainOptions options) const {
  if (options.trees.trees) return tree_tail_options(options);
  if (options_.blend.mix) {
    if (options.gamma == 0) options.gamma = kTailGamma;
    options.seed ^= kTailSeed;
    return options;
  }
  options = fine_tuning_options(options, options_.blend.fine_tune.value_or(kFineTuneShare));
  // Interpolation chooses how far to go.
  if (options_.train.iterate == Iterate::automatic) options.iterate = Iterate::last;
  return options;
}

Outcome Blender::blend(const Outcome& plain, const TrainOptions& options,
                       const Train& train) const {
  Outcome outcome = plain;
  outcome.options = options;
  if (plain.unscaled) outcome.nonlinear = plain.unscaled;
  outcome.unscaled.reset();
  outcome.calibration.reset();
  outcome.valid.reset();
  outcome.detail_seconds = 0;  // those of plain training are its own
  const StopReason reason = plain.result.stop_reason;
  if (reason == StopReason::diverged) return outcome;
  if (!can_choose_) return outcome;
  SharedModel tail;
  if (options.algorithm != Algorithm::mean && reason != StopReason::interrupted) {
    tail = add_tail(tail_options(options), train, outcome);
  }
  choose(tail, outcome);
  return outcome;
}

// Appends the training for the tail to the outcome's. Returns null if it diverged.
Blender::SharedModel Blender::add_tail(const TrainOptions& options, const Train& train,
                                       Outcome& outcome) const {
  const Network* const start = mixes_ ? nullptr : network_of(*outcome.nonlinear).get();
  const std::uint64_t before = outcome.result.epochs;
  Outcome tail = train(options, {.before = before, .is_tail = true, .start = start});
  outcome.options.gamma = tail.options.gamma;
  outcome.detail_seconds += tail.detail_seconds;
  outcome.result.epochs += tail.result.epochs;
  for (EpochRecord record : tail.result.history) {
    record.epoch += before;
    outcome.result.history.push_back(record);
  }
  for (EpochDetail& detail : tail.epochs) {
    detail.epoch += before;
    outcome.epochs.push_back(std::move(detail));
  }
  if (outcome.result.checkpoint_error.empty()) {
    outcome.result.checkpoint_error = tail.result.checkpoint_error;
  }
  if (tail.result.stop_reason == StopReason::diverged) return nullptr;
  outcome.result.stop_reason = tail.result.stop_reason;
  return tail.nonlinear;
}

Blender::SharedModel Blender::model_at(const SharedModel& plain, const SharedModel& tail,
                                       double share) const {
  if (share == 0) return plain;
  if (share == 1) return tail;
  if (const auto* const trees = dynamic_cast<const TreeModel*>(plain.get())) {
    return trees->mixed(dynamic_cast<const TreeModel&>(*tail), share);
  }
  const std::shared_ptr<const Network>& one = network_of(*plain);
  const std::shared_ptr<const Network>& other = network_of(*tail);
  const Members members = mixes_ ? Members{{one, 1 - share}, {other, share}}
                                 : Members{{one->interpolated(*other, share)}};
  return std::make_shared<WeightedNetworks>(members);
}

void Blender::choose(const SharedModel& tail, Outcome& outcome) const {
  const SharedModel plain = outcome.nonlinear;
  const std::vector<double> of_plain = all_scores(*plain, data_.valid);
  const std::vector<double> of_tail = tail ? all_scores(*tail, data_.valid) : std::vector<double>();
  const auto scores_at = [&](double share) {
    if (share == 0) return of_plain;
    if (share == 1) return of_tail;
    if (!mixes_) return all_scores(*model_at(plain, tail, share), data_.valid);
    std::vector<double> scores(of_plain.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = std::lerp(of_plain[i], of_tail[i], share);
    }
    return scores;
  };
  BlendRule rule = rule_;
  rule.is_plain = tail == nullptr;
  const BlendChoice choice = choose_blend(scores_at, data_.valid, loss_, rule);
  outcome.nonlinear = model_at(plain, tail, choice.share)->scaled(choice.factor);
  if (rule.has_factor) {
    const TailRisk before =
        risk_with_factor(scores_at(choice.share), data_.valid, loss_, outcome.options.alpha, 1);
    outcome.calibration = {1 / choice.factor, before};
  }
  const double unit = loss_.unit(data_.preprocessor.target_scale().sd);
  outcome.blend = Blend{.share = choice.share,
                        .is_mix = mixes_,
                        .alpha = rule.alpha,
                        .plain = scaled(choice.plain, unit),
                        .blended = scaled(choice.chosen, unit)};
}

BudgetOutcome Blender::budget_of(const Blend& blend) const {
  return {.limit = {RiskLimit::Of::mean, (1 + rule_.mean_budget) * blend.plain.mean},
          .mean_budget = rule_.mean_budget,
          .on_validation = true,
          .least = blend.plain.mean,
          .attained = blend.blended.mean};
}

}  // namespace adacvar
