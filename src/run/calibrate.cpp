#include "run/calibrate.hpp"

#include "learner/temperature.hpp"

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

}  // namespace

bool Calibrator::has_tail(const TrainOptions& options) const {
  return options.alpha * data_.valid.total_weight() >= kLeastTail;
}

bool Calibrator::applies_to(const TrainOptions& options) const {
  if (choice_ != CalibrateChoice::automatic) return choice_ == CalibrateChoice::yes;
  const bool is_mean = options.algorithm == Algorithm::mean || options.risk().is_mean();
  return loss_.has_probabilities() && data_.valid.rows >= kLeastRows &&
         (is_mean || has_tail(options));
}

void Calibrator::calibrate(Outcome& outcome, const std::optional<Limited>& limited) const {
  const TrainOptions& options = outcome.options;
  if (!applies_to(options) || outcome.result.stop_reason == StopReason::diverged) return;
  const std::vector<double> scores = all_scores(outcome.scorer(), data_.valid);
  // A model that knows nothing has no scores to scale.
  if (std::ranges::all_of(scores, [](double score) { return std::abs(score) < 1e-9; })) return;
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
