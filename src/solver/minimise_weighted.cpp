#include "solver/gram.hpp"
#include "solver/minimise.hpp"
#include "solver/row_terms.hpp"

#include <adacvar/risk/cvar.hpp>

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

/// Least weighted loss through problems on some rows, for losses with a kink: rows far from theirs
/// are linear near the optimum, as in [PK97]. Rows that pass it join for another round.
class KinkSearch {
 public:
  KinkSearch(const Problem& problem, const RowWeights& q, const SearchOptions& options)
      : problem_(problem), q_(q), options_(options), is_in_(q.rows.size()) {}

  // Whether so few rows are near their kink, by the error of an optimum of a sample, that it pays.
  [[nodiscard]] static bool is_worth_while(const Problem& problem, const RowWeights& q) {
    constexpr std::size_t kMany = 50'000;
    return q.rows.size() >= kMany &&
           near_count(problem, q) < 0.4 * static_cast<double>(q.rows.size());
  }

  SolverOutcome run(const Eigen::VectorXd& start) {
    SolverOutcome best;
    best.theta = start;
    best.certificate = {.upper = std::numeric_limits<double>::infinity(),
                        .rounding = rounding_of(problem_, q_)};
    take_near(start);
    WeightedLoss loss(problem_, q_);
    (void)loss.move_to(start);
    for (int round = 1;; ++round) {
      derivatives_ = loss.derivatives();
      SolverOutcome found = solve(best);
      best.offer(problem_, options_, found.theta, loss.move_to(found.theta));
      best.offer(problem_, options_, std::move(found.dual));
      best.steps += found.steps;
      best.status = found.status;
      const bool ends = ending(problem_, best.certificate, options_.tolerance).has_value() ||
                        found.status == ExactStatus::interrupted ||
                        best.steps >= options_.most_steps;
      if (ends || !take_passed(loss.derivatives(), round)) return best;
    }
  }

 private:
  static constexpr int kMostRounds = 5;  // all rows are in then

  static double near_count(const Problem& problem, const RowWeights& q) {
    return 8 * std::sqrt(static_cast<double>(problem.size()) * static_cast<double>(q.rows.size()));
  }

  void take_near(const Eigen::VectorXd& theta) {
    std::vector<double> distances;
    problem_.scores(theta, q_.rows, distances);
    for (std::size_t r = 0; r < distances.size(); ++r) {
      const double target = problem_.target(q_.rows[r]);
      const bool is_margin = problem_.loss().kind() == LossKind::hinge;
      const double kink = !is_margin ? target : target > 0.5 ? 1.0 : -1.0;
      distances[r] = -std::abs(distances[r] - kink);
    }
    const double share = near_count(problem_, q_) / static_cast<double>(distances.size());
    const double farthest = value_at_risk(distances, std::min(1.0, share));
    for (std::size_t r = 0; r < distances.size(); ++r) is_in_[r] = distances[r] >= farthest;
  }

  // Those whose derivative is another now. False when all were in.
  bool take_passed(const std::vector<double>& derivatives, int round) {
    const bool all_in = std::ranges::all_of(is_in_, [](bool in) { return in; });
    bool any = false;
    for (std::size_t r = 0; r < derivatives.size(); ++r) {
      if (is_in_[r] || derivatives[r] == derivatives_[r]) continue;
      is_in_[r] = any = true;
    }
    if (!any || round + 1 >= kMostRounds) is_in_.assign(is_in_.size(), true);
    return !all_in;
  }

  [[nodiscard]] SolverOutcome solve(const SolverOutcome& from) const {
    RowWeights near;
    LinearRows far;
    for (std::size_t r = 0; r < q_.rows.size(); ++r) {
      RowWeights& to = is_in_[r] ? near : far.q;
      to.rows.push_back(q_.rows[r]);
      to.weights.push_back(q_.weights[r]);
      if (!is_in_[r]) far.derivatives.push_back(derivatives_[r]);
    }
    near.fixed = near.rows.size();
    far.q.fixed = far.q.rows.size();
    SearchOptions inside = options_;
    inside.tolerance *= far.q.rows.empty() ? 1.0 : 0.5;
    inside.most_steps -= std::min(options_.most_steps, from.steps);
    return follow_path(problem_, near, {from.theta, 0}, inside, from.certificate.rounding,
                       std::numeric_limits<double>::infinity(), far);
  }

  const Problem& problem_;
  const RowWeights& q_;
  const SearchOptions& options_;
  std::vector<bool> is_in_;
  std::vector<double> derivatives_;  // of rows that are not in
};

}  // namespace

SolverOutcome minimise_weighted(const Problem& problem, const RowWeights& q,
                                const Eigen::VectorXd& start, const SearchOptions& options) {
  SolverOutcome outcome;
  if (is_smooth(problem.loss())) {
    outcome = newton_outcome(problem, q, start, options);
  } else if (KinkSearch::is_worth_while(problem, q)) {
    outcome = KinkSearch(problem, q, options).run(start);
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
