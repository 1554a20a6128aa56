#include "solver/follow.hpp"
#include "solver/minimise.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

/// A step and how much the quadratic model promises by it.
struct NewtonStep {
  Eigen::VectorXd step;
  double decrement = 0;
};

// In units where the Hessian has ones on its diagonal, for features need not be of one size. A
// singular one gets a small multiple of the unit matrix, more where that is not enough.
NewtonStep newton_step(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& gradient) {
  const Eigen::VectorXd unit = hessian.diagonal().unaryExpr(
      [](double entry) { return entry > 0 ? 1 / std::sqrt(entry) : 1.0; });
  const Eigen::MatrixXd scaled = unit.asDiagonal() * hessian * unit.asDiagonal();
  const Eigen::VectorXd slope = unit.cwiseProduct(gradient);
  for (double shift = 1e-13; shift < 1e6; shift *= 100) {
    Eigen::MatrixXd shifted = scaled;
    shifted.diagonal().array() += shift;
    const Eigen::LLT<Eigen::MatrixXd> factor(shifted);
    if (factor.info() != Eigen::Success) continue;
    NewtonStep result{-unit.cwiseProduct(factor.solve(slope)), 0};
    result.decrement = -gradient.dot(result.step);
    if (result.step.allFinite() && result.decrement >= 0) return result;
  }
  return {-unit.cwiseProduct(slope), slope.squaredNorm()};
}

/// sum q_r L_r + ridge/2 |weights|^2 and the slopes there.
class WeightedLoss {
 public:
  WeightedLoss(const Problem& problem, const RowLaw& law) : problem_(problem), law_(law) {}

  double move_to(const Eigen::VectorXd& theta) {
    problem_.evaluate(theta, law_.rows, losses_, slopes_);
    double sum = problem_.penalty(theta);
    for (std::size_t r = 0; r < losses_.size(); ++r) sum += law_.weights[r] * losses_[r];
    return sum;
  }

  [[nodiscard]] NewtonStep step_at(const Eigen::VectorXd& theta, double damping) const {
    Eigen::VectorXd gradient = problem_.gradient(law_.rows, law_.weights, slopes_);
    gradient += problem_.ridge().cwiseProduct(theta);
    problem_.hold(gradient);
    Eigen::MatrixXd hessian = problem_.hessian(law_.rows, law_.weights, {}, slopes_, damping);
    hessian.diagonal() += problem_.ridge();
    problem_.hold(hessian);
    NewtonStep result = newton_step(hessian, gradient);
    problem_.remove_common_part(result.step);
    return result;
  }

  [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }

 private:
  const Problem& problem_;
  const RowLaw& law_;
  std::vector<double> losses_;
  std::vector<double> slopes_;
};

struct NewtonResult {
  Eigen::VectorXd theta;
  double value = 0;
  std::uint64_t steps = 0;
};

// What is next to nothing beside the weighted loss of the constant model.
double rounding_of(const Problem& problem, const RowLaw& law) {
  const std::vector<double> losses = problem.constant_losses();
  double sum = 0;
  for (std::size_t r = 0; r < law.rows.size(); ++r) sum += law.weights[r] * losses[law.rows[r]];
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
    if (step.decrement <= 1e-15 * result.value) break;
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

SolverOutcome newton_outcome(const Problem& problem, double alpha, const RowLaw& law,
                             const Eigen::VectorXd& start, const std::atomic<bool>* stop) {
  WeightedLoss loss(problem, law);
  const double rounding = rounding_of(problem, law);
  const NewtonResult found = newton(problem, loss, start, rounding, stop);
  SolverOutcome outcome;
  outcome.theta = found.theta;
  outcome.steps = found.steps;
  outcome.certificate = {0, found.value, rounding};
  outcome.keep_better(dual_bound(problem, alpha, law, loss.slopes(), found.theta, Models::held));
  return outcome;
}

}  // namespace

SolverOutcome minimise_weighted(const Problem& problem, double alpha, const RowLaw& law,
                                const Eigen::VectorXd& start, double tolerance,
                                const std::atomic<bool>* stop) {
  SolverOutcome outcome;
  if (is_smooth(problem.loss())) {
    outcome = newton_outcome(problem, alpha, law, start, stop);
  } else {
    WeightedLoss loss(problem, law);
    const auto objective = [&](const Eigen::VectorXd& theta) { return loss.move_to(theta); };
    InteriorPoint point(problem, law.rows, law.weights, InteriorPoint::Kind::weighted,
                        Eigen::VectorXd::Zero(problem.size()), 0);
    outcome = follow(problem, point,
                     {.alpha = alpha,
                      .tolerance = tolerance,
                      .rounding = rounding_of(problem, law),
                      .most_steps = 1000,
                      .stop = stop},
                     objective);
  }
  if (const auto status = ending(problem, outcome.certificate, tolerance)) outcome.status = *status;
  if (is_set(stop)) outcome.status = ExactStatus::interrupted;
  return outcome;
}

double weighted_objective(const Problem& problem, const RowLaw& law, const Eigen::VectorXd& theta) {
  return WeightedLoss(problem, law).move_to(theta);
}

Eigen::VectorXd weighted_minimiser(const Problem& problem, const RowLaw& law,
                                   const Eigen::VectorXd& start) {
  WeightedLoss loss(problem, law);
  return newton(problem, loss, start, rounding_of(problem, law), nullptr).theta;
}

}  // namespace adacvar
