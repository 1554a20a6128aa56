#include "solver/minimise.hpp"

#include "solver/interior_point.hpp"

#include <adacvar/risk/cvar.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// Keeps the better of what is known and what a point shows; `upper` is the objective there.
void improve(const Problem& problem, double alpha, const InteriorPoint& point, double upper,
             SolverOutcome& outcome) {
  RowLaw law;
  std::vector<double> slopes;
  point.read_law(law, slopes);
  DualBound bound = dual_bound(problem, alpha, law, slopes, point.theta());
  if (outcome.law.rows.empty() || bound.value > outcome.certificate.lower) {
    outcome.certificate.lower = bound.value;
    outcome.certificate.radius = bound.radius;
    outcome.law = std::move(bound.law);
  }
  if (outcome.theta.size() == 0 || upper < outcome.certificate.upper) {
    outcome.certificate.upper = upper;
    outcome.theta = point.theta();
  }
}

bool is_within(const Certificate& certificate, double tolerance) {
  const auto gap = certificate.relative_gap();
  return gap && *gap <= tolerance;
}

// The loss of a margin reaches 0 only far out.
ExactStatus status_at_zero(const Problem& problem) {
  const LossKind kind = problem.loss().kind();
  const bool far = kind == LossKind::logistic || kind == LossKind::softmax;
  return far && problem.ridge() == 0 ? ExactStatus::not_attained : ExactStatus::optimal;
}

struct FollowOptions {
  double alpha;
  double tolerance;
  std::uint64_t most_steps;
  const std::atomic<bool>* stop;
};

/// Whether steps still lead somewhere: the gap falls by a tenth within twenty of them.
class Progress {
 public:
  bool goes_on(double gap) {
    if (gap < 0.9 * best_) {
      best_ = gap;
      since_ = 0;
    }
    return ++since_ <= 20;
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

/// Steps until the certified gap is at most the tolerance. A certificate costs about as much as a
/// step, so it is made when the gap promises success, and at the end.
template <class Objective>
SolverOutcome follow(const Problem& problem, InteriorPoint& point, const FollowOptions& options,
                     const Objective& objective) {
  SolverOutcome outcome;
  Progress progress;
  const double zero = 1e-12 * objective(Eigen::VectorXd::Zero(problem.size()));
  for (bool moved = true;; moved = point.step()) {
    const double value = point.value();
    const bool ends = is_set(options.stop) || outcome.steps == options.most_steps || !moved ||
                      value <= zero || !progress.goes_on(point.gap());
    if (ends || point.gap() <= 1.5 * options.tolerance * value) {
      improve(problem, options.alpha, point, objective(point.theta()), outcome);
      if (is_within(outcome.certificate, options.tolerance)) {
        outcome.status = ExactStatus::optimal;
        return outcome;
      }
      if (outcome.certificate.upper <= zero) {
        outcome.status = status_at_zero(problem);
        return outcome;
      }
    }
    if (ends) {
      if (is_set(options.stop)) outcome.status = ExactStatus::interrupted;
      return outcome;
    }
    ++outcome.steps;
  }
}

/// A step and how much the quadratic model promises by it.
struct NewtonStep {
  Eigen::VectorXd step;
  double decrement = 0;
};

// A singular Hessian gets a small multiple of the unit matrix, more where that is not enough.
NewtonStep newton_step(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& gradient) {
  const double scale = std::max(hessian.trace() / static_cast<double>(hessian.rows()),
                                std::numeric_limits<double>::min());
  for (double shift = 1e-13 * scale; shift < 1e6 * scale; shift *= 100) {
    Eigen::MatrixXd shifted = hessian;
    shifted.diagonal().array() += shift;
    const Eigen::LLT<Eigen::MatrixXd> factor(shifted);
    if (factor.info() != Eigen::Success) continue;
    NewtonStep result{-factor.solve(gradient), 0};
    result.decrement = -gradient.dot(result.step);
    if (result.step.allFinite() && result.decrement >= 0) return result;
  }
  return {-gradient / scale, gradient.squaredNorm() / scale};
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
    problem_.add_penalty_gradient(theta, gradient);
    Eigen::MatrixXd hessian = problem_.hessian(law_.rows, law_.weights, {}, slopes_, damping);
    problem_.add_penalty_curvature(hessian);
    return newton_step(hessian, gradient);
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
  bool vanished = false;  // the loss is next to nothing
};

NewtonResult newton(const Problem& problem, WeightedLoss& loss, const Eigen::VectorXd& start,
                    const std::atomic<bool>* stop) {
  constexpr std::uint64_t kMostSteps = 200;
  NewtonResult result{.theta = start};
  const double scale = loss.move_to(Eigen::VectorXd::Zero(problem.size()));
  result.value = loss.move_to(start);
  double damping = problem.loss().kind() == LossKind::squared ? 0.0 : 1e-6;
  while (result.steps < kMostSteps && !is_set(stop) && result.value > 1e-12 * scale) {
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
  result.vanished = result.value <= 1e-12 * scale;
  return result;
}

SolverOutcome newton_outcome(const Problem& problem, double alpha, const RowLaw& law,
                             const Eigen::VectorXd& start, const std::atomic<bool>* stop) {
  WeightedLoss loss(problem, law);
  const NewtonResult found = newton(problem, loss, start, stop);
  SolverOutcome outcome;
  outcome.theta = found.theta;
  outcome.steps = found.steps;
  outcome.law = law;
  const DualBound bound = dual_bound(problem, alpha, law, loss.slopes(), found.theta);
  outcome.certificate = {bound.value, found.value, bound.radius};
  if (found.vanished) outcome.status = status_at_zero(problem);
  return outcome;
}

/// Least CVaR of all rows through problems on some of them. Rows below the level have no weight, so
/// leaving them out changes nothing as long as they stay below: the law found is one over all
/// rows, its bound holds for all, and the CVaR of all rows tells whether any was missed.
class TailSearch {
 public:
  TailSearch(const Problem& problem, const ExactOptions& options, double tail)
      : problem_(problem), options_(options), tail_(tail), is_in_(problem.rows()) {}

  SolverOutcome run(const Eigen::VectorXd& start, double gap) {
    SolverOutcome best;
    best.theta = start;
    begin(problem_.losses(start), gap);
    for (;;) {
      const SolverOutcome found = solve(best.theta, gap, best.steps);
      const std::vector<double> losses = problem_.losses(found.theta);
      keep_better(found, cvar(losses, options_.alpha) + problem_.penalty(found.theta), best);
      if (is_within(best.certificate, options_.tolerance)) {
        best.status = ExactStatus::optimal;
        return best;
      }
      best.status = found.status;
      const bool may_go_on =
          found.status != ExactStatus::interrupted && best.steps < options_.max_steps;
      if (!may_go_on || !take(losses, worst_level(losses))) return best;
      gap = 10 * (best.certificate.upper - best.certificate.lower);
    }
  }

 private:
  // The worst rows; all of them when they are few, or when many are within `margin` of the level,
  // as they are where the best classifier knows nothing: the worst by a hair are no fair sample.
  void begin(const std::vector<double>& losses, double margin) {
    const double level = value_at_risk(losses, options_.alpha) - margin;
    const auto reach = std::ranges::count_if(losses, [&](double loss) { return loss >= level; });
    const bool all = problem_.rows() < kFew || static_cast<double>(reach) > 2 * kRoom * tail_;
    take(losses,
         all ? -std::numeric_limits<double>::infinity() : std::min(level, worst_level(losses)));
  }

  // That of the kRoom * tail worst.
  [[nodiscard]] double worst_level(const std::vector<double>& losses) const {
    const auto count = static_cast<double>(losses.size());
    return value_at_risk(losses, std::min(1.0, kRoom * tail_ / count));
  }

  // All that reaches `level`. False when no row is new.
  bool take(const std::vector<double>& losses, double level) {
    const std::size_t before = rows_.size();
    rows_.clear();
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (losses[i] >= level) is_in_[i] = true;
      if (is_in_[i]) rows_.push_back(static_cast<Index>(i));
    }
    return rows_.size() > before;
  }

  [[nodiscard]] SolverOutcome solve(const Eigen::VectorXd& start, double gap,
                                    std::uint64_t steps) const {
    const double count = static_cast<double>(rows_.size());
    std::vector<double> losses;
    std::vector<double> slopes;
    const auto objective = [&](const Eigen::VectorXd& theta) {
      problem_.evaluate(theta, rows_, losses, slopes);
      return cvar(losses, std::min(1.0, tail_ / count)) + problem_.penalty(theta);
    };
    InteriorPoint point(problem_, rows_, std::vector<double>(rows_.size(), 1 / tail_),
                        InteriorPoint::Kind::cvar, start, gap);
    // Half the tolerance is left for the rows that are not in.
    const double share = rows_.size() < problem_.rows() ? 0.5 : 1.0;
    return follow(problem_, point,
                  {.alpha = options_.alpha,
                   .tolerance = share * options_.tolerance,
                   .most_steps = options_.max_steps - std::min(options_.max_steps, steps),
                   .stop = options_.stop},
                  objective);
  }

  static void keep_better(const SolverOutcome& found, double upper, SolverOutcome& best) {
    const bool is_first = best.law.rows.empty();
    if (is_first || found.certificate.lower > best.certificate.lower) {
      best.certificate.lower = found.certificate.lower;
      best.certificate.radius = found.certificate.radius;
      best.law = found.law;
    }
    if (is_first || upper < best.certificate.upper) {
      best.certificate.upper = upper;
      best.theta = found.theta;
    }
    best.steps += found.steps;
  }

  static constexpr double kRoom = 2;
  static constexpr std::size_t kFew = 20'000;

  const Problem& problem_;
  const ExactOptions& options_;
  double tail_;
  std::vector<bool> is_in_;
  std::vector<Index> rows_;
};

}  // namespace

SolverOutcome minimise_cvar(const Problem& problem, const ExactOptions& options,
                            const Eigen::VectorXd& start, double gap) {
  const auto count = static_cast<double>(problem.rows());
  const double tail = std::max(1.0, detail::tail_count(options.alpha, problem.rows()));
  if (tail < count) return TailSearch(problem, options, tail).run(start, gap);
  // The mean: the law is known.
  RowLaw law{std::vector<Index>(problem.rows()), std::vector<double>(problem.rows(), 1 / count)};
  std::iota(law.rows.begin(), law.rows.end(), Index{0});
  return minimise_weighted(problem, options.alpha, law, start, options.tolerance, options.stop);
}

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
                     {.alpha = alpha, .tolerance = tolerance, .most_steps = 200, .stop = stop},
                     objective);
    outcome.law = law;
  }
  if (is_within(outcome.certificate, tolerance)) outcome.status = ExactStatus::optimal;
  if (is_set(stop)) outcome.status = ExactStatus::interrupted;
  return outcome;
}

Eigen::VectorXd weighted_minimiser(const Problem& problem, const RowLaw& law,
                                   const Eigen::VectorXd& start) {
  WeightedLoss loss(problem, law);
  return newton(problem, loss, start, nullptr).theta;
}

}  // namespace adacvar
