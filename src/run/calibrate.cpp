#include "run/calibrate.hpp"

#include "base/collectives.hpp"
#include "learner/temperature.hpp"
#include "risk/sharded_risk.hpp"
#include "run/score_sharded.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace adacvar {

namespace {

constexpr std::size_t kLeastRows = 50;  // of the validation rows
constexpr double kLeastTail = 20;       // of their tail

FactorRule rule_for(const TrainOptions& options,
                    const std::optional<Calibrator::Limited>& limited) {
  if (options.algorithm == Algorithm::mean) {
    return {.risk = {options.alpha, 1},
            .mean_budget = limited ? limited->mean_budget : std::nullopt};
  }
  // Even odds would have the least CVaR of many classifiers.
  return {.risk = limited ? Risk{options.alpha, 0} : options.risk(), .keeps_mean = true};
}

bool has_tail_of(const TrainOptions& options, double weight) {
  return options.alpha * weight >= kLeastTail;
}

// For validation rows of that number and weight.
bool is_calibrated(CalibrateChoice choice, const Loss& loss, const TrainOptions& options,
                   std::size_t rows, double weight) {
  if (choice != CalibrateChoice::automatic) return choice == CalibrateChoice::yes;
  const bool is_mean = options.algorithm == Algorithm::mean || options.risk().is_mean();
  return loss.has_probabilities() && rows >= kLeastRows &&
         (is_mean || has_tail_of(options, weight));
}

// A model that knows nothing has no scores to scale.
bool knows_something(std::span<const double> scores) {
  return std::ranges::any_of(scores, [](double score) { return !(std::abs(score) < 1e-9); });
}

}  // namespace

bool Calibrator::has_tail(const TrainOptions& options) const {
  return has_tail_of(options, data_.valid.total_weight());
}

bool Calibrator::applies_to(const TrainOptions& options) const {
  return is_calibrated(choice_, loss_, options, data_.valid.rows, data_.valid.total_weight());
}

std::optional<Calibration> calibrate_sharded(Communicator& ranks, const ShardedRows& valid,
                                             const Loss& loss, CalibrateChoice choice,
                                             const TrainOptions& options, LinearModel& model) {
  if (!is_calibrated(choice, loss, options, valid.total_rows, weights_of(valid, ranks).total)) {
    return std::nullopt;
  }
  const std::vector<double> scores = all_scores(model, valid.data);
  if (!any_of(ranks, knows_something(scores))) return std::nullopt;
  const auto risk = [&](double factor) {
    std::vector<double> scaled = scores;
    for (double& score : scaled) score *= factor;
    std::vector<double> losses(valid.data.rows);
    loss.evaluate(scaled, valid.data.targets, losses, scaled);
    return tail_risk(ranks, losses, valid.data.weights, options.alpha);
  };
  const double factor = best_factor(risk, rule_for(options, std::nullopt));
  for (double& value : model.parameters()) value *= factor;
  return Calibration{1 / factor, risk(1)};
}

void Calibrator::calibrate(Outcome& outcome, const std::optional<Limited>& limited) const {
  const TrainOptions& options = outcome.options;
  if (!applies_to(options) || outcome.result.stop_reason == StopReason::diverged) return;
  const std::vector<double> scores = all_scores(outcome.scorer(), data_.valid);
  if (!knows_something(scores)) return;
  double factor = best_factor(scores, data_.valid, loss_, rule_for(options, limited));
  if (limited && limited->training) {
    factor = factor_within(factor, all_scores(outcome.scorer(), data_.train), data_.train, loss_,
                           options.alpha, *limited->training);
  }
  outcome.calibration = {1 / factor,
                         risk_with_factor(scores, data_.valid, loss_, options.alpha, 1)};
  if (outcome.nonlinear) {
    outcome.unscaled = outcome.nonlinear;
    outcome.nonlinear = outcome.nonlinear->scaled(factor);
  }
  for (double& value : outcome.result.model.parameters()) value *= factor;
}

}  // namespace adacvar
