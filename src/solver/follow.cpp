#include "solver/follow.hpp"

#include "solver/dual_bound.hpp"

#include <algorithm>
#include <limits>

namespace adacvar {

namespace {

/// Keeps the better of what is known and what a point shows; `upper` is the objective there.
void improve(const Problem& problem, const FollowOptions& options, const InteriorPoint& point,
             double upper, SolverOutcome& outcome) {
  RowLaw law;
  std::vector<double> slopes;
  point.read_law(law, slopes);
  outcome.keep_better(dual_bound(problem, options.alpha, law, slopes, point.theta(), Models::held));
  if (outcome.theta.size() == 0 || upper < outcome.certificate.upper) {
    outcome.certificate.upper = upper;
    outcome.theta = point.theta();
  }
}

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

/// Whether the model that is known may turn out to be the least: its value is reached by what the
/// duals promise. Asked again when half of the gap is gone, for an answer costs a certificate.
class Known {
 public:
  explicit Known(const FollowOptions& options)
      : least_(options.attained * (1 - 1.5 * options.tolerance)) {}

  bool may_be_least(const InteriorPoint& point) {
    const double gap = point.gap();
    if (gap > 0.1 * point.value() || gap > 0.5 * last_ || point.value() - gap < least_) {
      return false;
    }
    last_ = gap;
    return true;
  }

 private:
  double least_;
  double last_ = std::numeric_limits<double>::infinity();
};

/// A gap at which a certificate is made whatever the tolerance: rounding may not let a better one
/// be.
class Milestone {
 public:
  bool is_reached(const InteriorPoint& point) {
    constexpr double kGap = 1e-6;
    if (is_passed_ || point.gap() > kGap * point.value()) return false;
    is_passed_ = true;
    return true;
  }

 private:
  bool is_passed_ = false;
};

}  // namespace

bool is_within(const Certificate& certificate, double tolerance) {
  const std::optional<double> gap = certificate.relative_gap();
  return (gap && *gap <= tolerance) ||
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

// A certificate costs about as much as a step, so it is made when the gap promises success, and at
// the end.
SolverOutcome follow(const Problem& problem, InteriorPoint& point, const FollowOptions& options,
                     const std::function<double(const Eigen::VectorXd&)>& objective) {
  SolverOutcome outcome;
  Progress progress;
  Room room;
  Known known(options);
  Milestone milestone;
  outcome.certificate.rounding = options.rounding;
  for (bool moved = true;; moved = point.step()) {
    const double value = point.value();
    const bool ends =
        is_set(options.stop) || outcome.steps == options.most_steps || value <= options.rounding;
    const bool stuck = !moved || !progress.goes_on(point.gap());
    const bool is_small = point.gap() <= 1.5 * options.tolerance * value;
    const bool promises = point.is_on_path() &&
                          (is_small || known.may_be_least(point) || milestone.is_reached(point));
    if (ends || stuck || promises) {
      improve(problem, options, point, objective(point.theta()), outcome);
      outcome.last = {point.theta(), point.gap()};
      Certificate certificate = outcome.certificate;
      certificate.upper = std::min(certificate.upper, options.attained);
      if (const auto status = ending(problem, certificate, options.tolerance)) {
        outcome.status = *status;
        return outcome;
      }
      const bool has_room = !ends && (is_small || stuck) && room.give(certificate, point);
      if (has_room) {
        progress = {};
      } else if (ends || stuck) {
        if (is_set(options.stop)) outcome.status = ExactStatus::interrupted;
        return outcome;
      }
    }
    ++outcome.steps;
  }
}

}  // namespace adacvar
