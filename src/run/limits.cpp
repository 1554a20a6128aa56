#include "run/limits.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr std::size_t kCurvePoints = 30;  // among which the validation rows choose,
constexpr int kHalvings = 6;              // and of the distance between two of them

TailRisk risk_of(const Scorer& model, const Dataset& data, const Loss& loss, double alpha) {
  return tail_risk(losses_of(model, data, loss), data.weights, alpha);
}

}  // namespace

StopReason reason_of(ExactStatus status) {
  switch (status) {
    case ExactStatus::optimal:
      return StopReason::optimal;
    case ExactStatus::not_attained:
      return StopReason::not_attained;
    case ExactStatus::interrupted:
      return StopReason::interrupted;
    case ExactStatus::stalled:
      break;
  }
  return StopReason::stalled;
}

Limits::Limits(Setup setup)
    : setup_(std::move(setup)),
      unit_(setup_.loss.unit(setup_.data.preprocessor.target_scale().sd)) {
  if (is_on_validation() && setup_.data.valid.rows == 0) {
    throw OptionError("budget-on = validation needs validation rows: give them a share of split");
  }
}

bool Limits::is_on_validation() const {
  return setup_.budget.budget_on == BudgetRows::validation || setup_.options.tune.tune;
}

Frontier& Limits::frontier() {
  if (!frontier_) {
    const RunOptions& options = setup_.options;
    frontier_.emplace(setup_.data.train, setup_.loss,
                      ExactOptions{.risk = options.train.risk(),
                                   .ridge = options.train.ridge,
                                   .tolerance = options.solve.tolerance,
                                   .radius = options.solve.certificate_radius,
                                   .threads = static_cast<unsigned>(options.tune.threads),
                                   .stop = setup_.stop});
  }
  return *frontier_;
}

// Mean loss of plain training on the rows that judge.
double Limits::plain_mean() {
  const PreparedData& data = setup_.data;
  const double alpha = setup_.options.train.alpha;
  if (setup_.uses_exact) {
    const FrontierPoint& plain = frontier().at(1);
    plain_ = plain.model;
    least_interrupted_ = plain.status == ExactStatus::interrupted;
    return is_on_validation() ? risk_of(plain.model, data.valid, setup_.loss, alpha).mean
                              : plain.risk.mean;
  }
  const Outcome plain = setup_.train_plain();
  least_interrupted_ = plain.result.stop_reason == StopReason::interrupted;
  if (!plain.nonlinear) plain_ = plain.result.model;
  const Dataset& rows = is_on_validation() ? data.valid : data.train;
  return risk_of(plain.scorer(), rows, setup_.loss, alpha).mean;
}

RiskLimit Limits::find_limit() {
  const BudgetOptions& budget = setup_.budget;
  if (budget.cvar_limit) return {RiskLimit::Of::cvar, *budget.cvar_limit / unit_};
  least_ = plain_mean();
  return {RiskLimit::Of::mean, (1 + budget.mean_budget.value()) * least_};
}

RiskLimit Limits::limit() {
  const std::scoped_lock lock(mutex_);
  if (limit_) return *limit_;
  limit_ = find_limit();
  if (setup_.uses_exact && !is_on_validation()) (void)exact();
  return *limit_;
}

bool Limits::contains(const TailRisk& risk) {
  constexpr double kSlack = 0.01;  // that gradient steps need
  const RiskLimit limit = this->limit();
  return limit.value(risk) <= (1 + kSlack) * unit_ * limit.most;
}

const LimitedResult& Limits::exact() {
  if (exact_) return *exact_;
  exact_ = frontier().within(*limit_);
  if (!exact_->is_feasible) {
    throw OptionError(fmt::format(
        "cvar-limit = {:g}: every linear model has a training CVaR of at least {:.6g} (certified)",
        unit_ * limit_->most, unit_ * exact_->certificate.lower));
  }
  return *exact_;
}

Outcome Limits::solve(TrainOptions options) {
  const std::scoped_lock lock(mutex_);
  (void)limit();
  Outcome outcome{.options = options, .result = {}};
  if (is_on_validation()) {
    choose_on_validation(outcome);
    return outcome;
  }
  const LimitedResult& found = exact();
  outcome.options.gamma = found.gamma;
  outcome.result.model = found.model;
  outcome.result.stop_reason = is_stopped() ? StopReason::interrupted : reason_of(found.status);
  outcome.certificate = found.certificate;
  outcome.solver_steps = frontier().points().size();
  return outcome;
}

// Takes the model of least CVaR among those of the curve within the limit, both on the validation
// rows, then looks between it and its neighbour beyond the limit.
void Limits::choose_on_validation(Outcome& outcome) {
  Frontier& curve = frontier();
  curve.spread(kCurvePoints);
  const FrontierPoint* best = &curve.at(1);
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const FrontierPoint& point) {
    const TailRisk risk =
        risk_of(point.model, setup_.data.valid, setup_.loss, setup_.options.train.alpha);
    const bool is_within = limit_->value(risk) <= limit_->most;
    if (is_within && risk.cvar < least) {
      least = risk.cvar;
      best = &point;
    }
    return is_within;
  };
  std::optional<double> beyond;  // the gamma below the best one
  double last = 0;
  for (const auto& [gamma, point] : curve.points()) {
    const FrontierPoint* const before = best;
    const bool is_first = &point == &curve.points().begin()->second;
    if (offer(point) && best != before) beyond = is_first ? std::nullopt : std::optional(last);
    last = gamma;
  }
  double inside = best->gamma;
  for (int halving = 0; beyond && halving < kHalvings && !is_stopped(); ++halving) {
    const double middle = std::midpoint(*beyond, inside);
    (offer(curve.at(middle)) ? inside : *beyond) = middle;
  }
  outcome.options.gamma = best->gamma;
  outcome.result.model = best->model;
  outcome.result.stop_reason = reason_of(best->status);
  outcome.certificate = best->certificate;
}

void Limits::enforce(Outcome& outcome) {
  const RiskLimit limit = this->limit();
  if (!plain_ || is_on_validation() || outcome.result.stop_reason == StopReason::diverged) return;
  const LinearModel trained = outcome.result.model;
  LinearModel& model = outcome.result.model;
  const auto exceeds = [&](double share) {
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      model.parameters()[i] = std::lerp(plain_->parameters()[i], trained.parameters()[i], share);
    }
    const double alpha = setup_.options.train.alpha;
    return limit.value(risk_of(model, setup_.data.train, setup_.loss, alpha)) > limit.most;
  };
  double share = 0;  // of the trained model
  double too_much = 1;
  if (!exceeds(too_much)) return;
  for (int halving = 0; halving < 20; ++halving) {
    const double middle = std::midpoint(share, too_much);
    (exceeds(middle) ? too_much : share) = middle;
  }
  (void)exceeds(share);
}

std::optional<Certificate> Limits::certify(const Outcome& trained, const TailRisk& training) {
  const std::scoped_lock lock(mutex_);
  if (!setup_.uses_exact || is_on_validation()) return std::nullopt;
  (void)limit();
  // A model beyond the limit may well be below what those within can attain.
  if (limit_->value(training) > (1 + 1e-9) * unit_ * limit_->most) return std::nullopt;
  Certificate certificate = scaled(exact().certificate, unit_);
  const Risk risk = limit_->of == RiskLimit::Of::mean ? setup_.options.train.risk()
                                                      : Risk{setup_.options.train.alpha, 1};
  certificate.upper =
      risk.of(training) + unit_ * trained.result.model.penalty(trained.options.ridge);
  certificate.lower = std::min(certificate.lower, certificate.upper);
  return certificate;
}

BudgetOutcome Limits::describe(const ScoredSets& scored) {
  const RiskLimit limit = this->limit();
  const ScoredRows& rows = is_on_validation() ? scored.valid : scored.train;
  return {.limit = {limit.of, unit_ * limit.most},
          .mean_budget = setup_.budget.mean_budget,
          .on_validation = is_on_validation(),
          .least = unit_ * least_,
          .least_interrupted = least_interrupted_,
          .attained = limit.value(rows.risk.risk)};
}

}  // namespace adacvar
