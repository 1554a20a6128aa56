#include "solver/conjugate.hpp"
#include "solver/interior_point.hpp"
#include "solver/minimise.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace adacvar {

namespace {

/// Whether steps still lead somewhere: the gap falls by a tenth within fifty of them: damping may
/// hold models that go to infinity up for some thirty.
class Progress {
 public:
  bool goes_on(double gap) {
    if (gap < 0.9 * best_) {
      best_ = gap;
      since_ = 0;
    }
    return ++since_ <= 50;
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

/// Where models go to infinity the products of slacks and duals may vanish before the duals
/// balance: the gap that is proved stays, and no slack leaves room for a step. Then there is a new
/// start from where the model is, with more room than what is open, as long as each proves a tenth
/// of it.
class Room {
 public:
  bool give(const Certificate& certificate, InteriorPoint& point) {
    const double open = certificate.upper - certificate.lower;
    if (!(point.gap() < 0.1 * open) || !(open < 0.9 * last_)) return false;
    last_ = open;
    point.recentre(10 * open);
    return true;
  }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

/// When a bound, which costs about as much as a step, is worth while: the gap promises success; or
/// the known model may turn out to be the least, asked again when half of the gap is gone; or once
/// at a gap of 1e-6, for rounding may not let a better one be.
class Promise {
 public:
  Promise(double known, double tolerance)
      : tolerance_(tolerance), least_(known * (1 - 1.5 * tolerance)) {}

  [[nodiscard]] bool is_small(const InteriorPoint& point) const {
    return point.gap() <= 1.5 * tolerance_ * point.value();
  }

  bool is_given(const InteriorPoint& point) {
    if (!point.is_on_path()) return false;
    const double gap = point.gap();
    const double value = point.value();
    const bool is_milestone = !is_past_milestone_ && gap <= 1e-6 * value;
    const bool known_may_be_least =
        gap <= 0.1 * value && gap <= 0.5 * last_ && value - gap >= least_;
    is_past_milestone_ = is_past_milestone_ || is_milestone;
    if (known_may_be_least) last_ = gap;
    return is_small(point) || is_milestone || known_may_be_least;
  }

 private:
  double tolerance_;
  double least_;
  double last_ = std::numeric_limits<double>::infinity();
  bool is_past_milestone_ = false;
};

/// The linear rows' part of the objective: a loss that is linear in its score is u s - L*(u).
LinearTerm term_of(const Problem& problem, const LinearRows& rest) {
  if (rest.q.rows.empty()) return {};
  LinearTerm term{problem.gradient(rest.q.rows, rest.q.weights, rest.derivatives)};
  const Conjugate conjugate(problem.loss());
  for (std::size_t r = 0; r < rest.q.rows.size(); ++r) {
    const double target = problem.target(rest.q.rows[r]);
    term.constant += rest.q.weights[r] * (conjugate.minus_value(rest.derivatives[r], target).value +
                                          rest.derivatives[r] * problem.offset(rest.q.rows[r]));
  }
  return term;
}

/// Measures a point: its model on the rows, its duals by their bound.
void improve(const Problem& problem, const RowWeights& costs, const LinearRows& rest,
             const SearchOptions& options, const InteriorPoint& point, SolverOutcome& outcome) {
  std::vector<double> losses;
  std::vector<double> derivatives;
  problem.evaluate(point.theta(), costs.rows, losses, derivatives);
  outcome.offer(problem, options, point.theta(),
                risk_of(problem, costs, losses) + point.outside(point.theta()));
  RowWeights q;
  point.read_dual(q, derivatives);
  q.rows.insert(q.rows.end(), rest.q.rows.begin(), rest.q.rows.end());
  q.weights.insert(q.weights.end(), rest.q.weights.begin(), rest.q.weights.end());
  q.fixed += rest.q.rows.size();
  derivatives.insert(derivatives.end(), rest.derivatives.begin(), rest.derivatives.end());
  outcome.offer(problem, options,
                dual_bound(problem, std::move(q), std::move(derivatives), point.theta(),
                           outcome.certificate.radius, 0.01 * options.tolerance));
  outcome.last = {point.theta(), point.gap()};
}

}  // namespace

SolverOutcome follow_path(const Problem& problem, const RowWeights& costs, const Start& start,
                          const SearchOptions& options, double rounding, double constant_risk,
                          const LinearRows& rest) {
  // For piecewise linear losses a start with much room needs fewer steps than one near the end.
  InteriorPoint point(problem, costs, start.theta, is_smooth(problem.loss()) ? start.gap : 0.0,
                      term_of(problem, rest));
  SolverOutcome outcome;
  Progress progress;
  Room room;
  Promise promise(constant_risk, options.tolerance);
  outcome.certificate.rounding = rounding;
  for (bool moved = true;; moved = point.step()) {
    const bool ends =
        is_set(options.stop) || outcome.steps == options.most_steps || point.value() <= rounding;
    const bool stuck = !moved || !progress.goes_on(point.gap());
    if (promise.is_given(point) || ends || stuck) {
      improve(problem, costs, rest, options, point, outcome);
      Certificate certificate = outcome.certificate;
      if (constant_risk < certificate.upper) {
        certificate.upper = constant_risk;
        certificate.lower =
            outcome.dual.lower(problem, radius_for(options.radius, problem.constant()));
      }
      if (const auto status = ending(problem, certificate, options.tolerance)) {
        outcome.status = *status;
        return outcome;
      }
      const bool may_restart = !ends && (promise.is_small(point) || stuck);
      if (may_restart && room.give(certificate, point)) {
        progress = {};
      } else if (ends || stuck) {
        if (is_set(options.stop)) outcome.status = ExactStatus::interrupted;
        return outcome;
      }
    }
    ++outcome.steps;
  }
}

void SolverOutcome::offer(const Problem& problem, const SearchOptions& options,
                          const Eigen::VectorXd& model, double upper) {
  if (theta.size() > 0 && !(upper < certificate.upper)) return;
  theta = model;
  certificate.upper = upper;
  refresh(problem, options);
}

void SolverOutcome::offer(const Problem& problem, const SearchOptions& options, DualBound bound) {
  const double radius = radius_for(options.radius, theta);
  const bool is_first = dual.q.rows.empty();
  if (!is_first && bound.lower(problem, radius) <= dual.lower(problem, radius)) return;
  dual = std::move(bound);
  refresh(problem, options);
}

void SolverOutcome::refresh(const Problem& problem, const SearchOptions& options) {
  certificate.radius = radius_for(options.radius, theta);
  certificate.lower = dual.lower(problem, certificate.radius);
}

double risk_of(const Problem& problem, const RowWeights& costs, std::span<const double> losses) {
  const std::size_t free = costs.rows.size() - costs.fixed;
  detail::AccurateSum sum;
  for (std::size_t r = free; r < losses.size(); ++r) sum.add_product(costs.weights[r], losses[r]);
  if (free == 0) return sum.value();
  const auto caps = std::span(costs.weights).first(free);
  const double mass = 1 - problem.settings().risk.gamma;
  const double all = std::accumulate(caps.begin(), caps.end(), 0.0);
  return sum.value() + mass * cvar(losses.first(free), caps, std::min(1.0, mass / all));
}

bool is_within(const Certificate& certificate, double tolerance) {
  return certificate.relative_gap() <= tolerance ||
         certificate.upper - certificate.lower <= certificate.rounding;
}

ExactStatus status_at_zero(const Problem& problem) {
  const LossKind kind = problem.loss().kind();
  const bool far = kind == LossKind::logistic || kind == LossKind::softmax;
  return far && !problem.has_ridge() ? ExactStatus::not_attained : ExactStatus::optimal;
}

std::optional<ExactStatus> ending(const Problem& problem, const Certificate& certificate,
                                  double tolerance) {
  if (certificate.is_perfect_fit()) return status_at_zero(problem);
  if (is_within(certificate, tolerance)) return ExactStatus::optimal;
  return std::nullopt;
}

}  // namespace adacvar
