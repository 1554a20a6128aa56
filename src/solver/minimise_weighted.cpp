#include "solver/gram.hpp"
#include "solver/kink_rows.hpp"
#include "solver/minimise.hpp"
#include "solver/row_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

/// A step and how much the quadratic model promises by it.
struct NewtonStep {
  Eigen::VectorXd step;
  double decrement = 0;
};

/// sum q_r L_r + ridge/2 |weights|^2 and its derivatives at a point.
class WeightedLoss {
 public:
  WeightedLoss(const Problem& problem, const RowWeights& q) : problem_(problem), q_(q) {}

  double move_to(const Eigen::VectorXd& theta) {
    problem_.evaluate(theta, q_.rows, losses_, derivatives_);
    return std::inner_product(losses_.begin(), losses_.end(), q_.weights.begin(),
                              problem_.penalty(theta));
  }

  [[nodiscard]] NewtonStep step_at(const Eigen::VectorXd& theta, double damping) const {
    Eigen::VectorXd gradient = problem_.gradient(q_.rows, q_.weights, derivatives_);
    gradient += problem_.ridge().cwiseProduct(theta);
    problem_.hold(gradient);
    Eigen::MatrixXd hessian = problem_.hessian(q_.rows, q_.weights, {}, derivatives_, damping);
    hessian.diagonal() += problem_.ridge();
    problem_.hold(hessian);
    ScaledFactor factor;
    factor.compute(std::move(hessian));
    NewtonStep result{-factor.solve(gradient)};
    result.decrement = -gradient.dot(result.step);
    problem_.remove_common_part(result.step);
    return result;
  }

  [[nodiscard]] const std::vector<double>& derivatives() const { return derivatives_; }

 private:
  const Problem& problem_;
  const RowWeights& q_;
  std::vector<double> losses_;
  std::vector<double> derivatives_;
};

struct NewtonResult {
  Eigen::VectorXd theta;
  double value = 0;
  std::uint64_t steps = 0;
};

// A value that is negligible beside the weighted loss of the constant model.
double rounding_of(const Problem& problem, const RowWeights& q) {
  const std::vector<double> losses = problem.constant_losses();
  double sum = 0;
  for (std::size_t r = 0; r < q.rows.size(); ++r) sum += q.weights[r] * losses[q.rows[r]];
  return problem.rounding(sum);
}

NewtonResult newton(const Problem& problem, WeightedLoss& loss, const Eigen::VectorXd& start,
                    double rounding, const std::atomic<bool>* stop) {
  constexpr std::uint64_t kMostSteps = 200;
  NewtonResult result{.theta = start};
  result.value = loss.move_to(start);
  double damping = problem.loss().kind() == LossKind::squared ? 0.0 : 1e-6;
  while (result.steps < kMostSteps && !is_set(stop) && result.value > rounding) {
    const NewtonStep step = loss.step_at(result.theta, damping);
    if (!step.step.allFinite() || !(step.decrement > 1e-15 * result.value)) break;
    ++result.steps;
    double length = 1;
    double then = loss.move_to(result.theta + step.step);
    while (!(then <= result.value - 1e-4 * length * step.decrement) && length > 1e-10) {
      length *= 0.5;
      then = loss.move_to(result.theta + length * step.step);
    }
    if (!(then < result.value)) break;
    result.theta += length * step.step;
    result.value = then;
    // Where curvature vanishes steps are too long.
    damping *= length == 1 ? 0.1 : length < 0.1 ? 100 : 1;
  }
  result.value = loss.move_to(result.theta);
  return result;
}

SolverOutcome newton_outcome(const Problem& problem, const RowWeights& q,
                             const Eigen::VectorXd& start, const SearchOptions& options) {
  WeightedLoss loss(problem, q);
  SolverOutcome outcome;
  outcome.certificate.rounding = rounding_of(problem, q);
  const NewtonResult found =
      newton(problem, loss, start, outcome.certificate.rounding, options.stop);
  outcome.steps = found.steps;
  outcome.offer(problem, options, found.theta, found.value);
  outcome.offer(problem, options,
                dual_bound(problem, q, loss.derivatives(), found.theta, outcome.certificate.radius,
                           0.01 * options.tolerance));
  return outcome;
}

// For losses with a kink, through problems on the rows near theirs.
SolverOutcome search_near_kinks(const Problem& problem, const RowWeights& q,
                                const Eigen::VectorXd& start, const SearchOptions& options) {
  SolverOutcome best;
  best.theta = start;
  best.certificate = {.upper = std::numeric_limits<double>::infinity(),
                      .rounding = rounding_of(problem, q)};
  KinkRows rows(problem, q, start);
  WeightedLoss loss(problem, q);
  for (;;) {
    const LinearRows far = rows.far();
    SearchOptions inside = options;
    inside.tolerance *= far.q.rows.empty() ? 1.0 : 0.5;
    inside.most_steps -= std::min(options.most_steps, best.steps);
    SolverOutcome found =
        follow_path(problem, rows.near(), {best.theta, 0}, inside, best.certificate.rounding,
                    std::numeric_limits<double>::infinity(), far);
    best.offer(problem, options, found.theta, loss.move_to(found.theta));
    best.offer(problem, options, std::move(found.dual));
    best.steps += found.steps;
    best.status = found.status;
    const bool ends = ending(problem, best.certificate, options.tolerance).has_value() ||
                      found.status == ExactStatus::interrupted || best.steps >= options.most_steps;
    if (ends || !rows.take_passed(loss.derivatives())) return best;
  }
}

}  // namespace

SolverOutcome minimise_weighted(const Problem& problem, const RowWeights& q,
                                const Eigen::VectorXd& start, const SearchOptions& options) {
  SolverOutcome outcome;
  if (is_smooth(problem.loss())) {
    outcome = newton_outcome(problem, q, start, options);
  } else if (KinkRows::are_worth_while(problem, q)) {
    outcome = search_near_kinks(problem, q, start, options);
  } else {
    outcome = follow_path(problem, q, {Eigen::VectorXd::Zero(problem.size()), 0}, options,
                          rounding_of(problem, q));
  }
  if (const auto status = ending(problem, outcome.certificate, options.tolerance)) {
    outcome.status = *status;
  }
  if (is_set(options.stop)) outcome.status = ExactStatus::interrupted;
  return outcome;
}

Eigen::VectorXd weighted_minimiser(const Problem& problem, const RowWeights& q,
                                   const Eigen::VectorXd& start) {
  WeightedLoss loss(problem, q);
  return newton(problem, loss, start, rounding_of(problem, q), nullptr).theta;
}

}  // namespace adacvar
