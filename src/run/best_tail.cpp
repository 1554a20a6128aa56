#include "run/best_tail.hpp"

#include "learner/predict.hpp"
#include "run/blend.hpp"
#include "run/corrections.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

constexpr double kTime = 0.9;  // of a limit on the time

std::vector<double> sorted_budgets(std::vector<double> budgets) {
  std::ranges::sort(budgets);
  budgets.erase(std::ranges::unique(budgets).begin(), budgets.end());
  return budgets;
}

std::string why_not_corrected(const BestTask& task, const StackedScores& stacked) {
  if (task.loss.kind() == LossKind::hinge) return "the hinge loss has no probabilities";
  if (!judged_alpha(task.options.alpha, task.train)) {
    return "a tenth of the training rows is fewer than 20";
  }
  const std::vector<double>& sum = stacked.sum;
  if (std::ranges::all_of(sum, [&](double score) { return score == sum[0]; })) {
    return "its scores are all the same";
  }
  std::vector<double> losses(task.train.rows);
  std::vector<double> unused(losses.size());
  task.loss.evaluate(sum, task.train.targets, losses, unused);
  constexpr double kPerfect = 2e-6;
  if (tail_risk(losses, task.train.weights, task.options.alpha).cvar <= kPerfect) {
    return "its held-out losses are all nearly 0";
  }
  return {};
}

Corrections fit_corrections(const BestTask& task, const StackedScores& stacked, double alpha,
                            const TimeLimit& limit) {
  const double own = task.options.mean_budget;
  const Dataset& train = task.train;
  const bool is_regression = train.task == Task::regression;
  CorrectOptions options{.alpha = alpha,
                         .seed = task.options.seed,
                         .threads = task.options.threads,
                         .loss = task.options.loss,
                         .weights = train.weights,
                         .stop = &limit.flag()};
  options.prediction.prediction_scale =
      is_regression ? PredictionScale::value : PredictionScale::logit;
  options.prediction.features = FeatureUse::yes;
  return corrections_within(
      MatrixView(stacked.features, train.rows, stacked.features.size() / train.rows), stacked.sum,
      train.targets, options, sorted_budgets({0, 0.02, 0.05, 0.1, own / 2, own}));
}

/// The correction of least CVaR that keeps the budget with a standard error to spare.
const BudgetCorrection* chosen_within(const Corrections& all, const Dataset& rows, double alpha,
                                      double budget) {
  const BudgetCorrection* chosen = nullptr;
  double least = tail_risk(all.given, rows.weights, alpha).cvar;
  for (const BudgetCorrection& one : all.corrected) {
    if (one.mean_budget > budget) break;
    const MeanExcess excess = mean_excess(all.given, one.held_out, rows.weights, budget);
    const double cvar = tail_risk(one.held_out, rows.weights, alpha).cvar;
    if (excess.mean + excess.error > 0 || cvar >= least) continue;
    chosen = &one;
    least = cvar;
  }
  return chosen;
}

TailChange correct_stack(const BestTask& task, const StackedScores& stacked, TimeLimit& limit) {
  TailChange change{.why_not = why_not_corrected(task, stacked)};
  if (!change.why_not.empty()) return change;
  const double alpha = judged_alpha(task.options.alpha, task.train).value();
  const Corrections all = fit_corrections(task, stacked, alpha, limit);
  if (limit.is_over()) {
    change.why_not = limit.is_stopped() ? "stopped before" : "the time was over";
    return change;
  }
  const Dataset& train = task.train;
  const auto risk_of = [&](std::span<const double> losses) {
    TailRisk risk = tail_risk(losses, train.weights, task.options.alpha);
    return TailRisk{risk.mean * task.unit, risk.var * task.unit, risk.cvar * task.unit};
  };
  const double own = task.options.mean_budget;
  for (const double budget : sorted_budgets({0, 0.02, 0.05, 0.1, own})) {
    const BudgetCorrection* const found = chosen_within(all, train, alpha, budget);
    BestPoint point{.mean_budget = budget,
                    .is_corrected = found != nullptr,
                    .held_out = risk_of(found != nullptr ? found->held_out : all.given)};
    if (found != nullptr) point.fitted_budget = found->mean_budget;
    change.models.push_back(found != nullptr ? std::optional(found->model) : std::nullopt);
    if (budget == own && found != nullptr) {
      change.correction = found->model;
      change.held_out = point.held_out;
    }
    change.frontier.push_back(std::move(point));
  }
  return change;
}

double chosen_factor(const BestTask& task, const StackedScores& stacked) {
  const std::optional<double> alpha = judged_alpha(task.options.alpha, task.train);
  if (!task.loss.has_probabilities() || !alpha) return 1;
  const BlendRule rule{.alpha = *alpha, .mean_budget = task.options.mean_budget, .is_plain = true};
  return choose_blend([&](double) { return stacked.sum; }, task.train, task.loss, rule).factor;
}

}  // namespace

TailChange change_tail(const BestTask& task, const StackedScores& stacked, TimeLimit& limit) {
  limit.allow_until(kTime);
  if (task.outputs == 1) return correct_stack(task, stacked, limit);
  return {.factor = limit.is_over() ? 1 : chosen_factor(task, stacked)};
}

}  // namespace adacvar
