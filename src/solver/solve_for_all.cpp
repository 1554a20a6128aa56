#include "solver/solve_for_all.hpp"

#include "solver/follow.hpp"
#include "solver/remade_columns.hpp"

#include <utility>

namespace adacvar {

namespace {

class Search {
 public:
  Search(const Problem& problem, double alpha, double tolerance, const Solve& solve,
         const Objective& objective)
      : problem_(problem),
        alpha_(alpha),
        tolerance_(tolerance),
        solve_(solve),
        objective_(objective) {}

  SolvedForAll run(const Start& start) {
    SolvedForAll result{.found = solve_(problem_, start, tolerance_), .all = {}};
    SolverOutcome& found = result.found;
    if (found.status == ExactStatus::stalled && !problem_.has_ridge()) solve_remade(found);
    result.all = {found.certificate.lower, found.law, found.slopes};
    if (!problem_.holds_idle_only()) result.all = bound_of_all(found);
    return result;
  }

 private:
  // The new columns are rounded, too. A point that has no room to move from them to the data as it
  // is gives way to one farther from the optimum, which has more: until `is_enough`.
  template <class Enough>
  void try_remade(const RemadeColumns& remade, const SolverOutcome& found,
                  const Enough& is_enough) {
    const Problem changed(remade.data(), problem_.loss(), 0, problem_.threads());
    Start start{remade.from_problem(found.theta), 0};
    changed.hold(start.theta);
    for (double tolerance = tolerance_; tolerance < 1e-3; tolerance *= 100) {
      const SolverOutcome next = solve_(changed, start, tolerance);
      if (is_enough(next, tolerance) || next.status == ExactStatus::interrupted) return;
    }
  }

  [[nodiscard]] DualBound bound(const SolverOutcome& near, const Eigen::VectorXd& theta,
                                Models models) const {
    return dual_bound(problem_, alpha_, near.law, near.slopes, theta, models);
  }

  void solve_remade(SolverOutcome& found) {
    const RemadeColumns remade(problem_, Models::held);
    if (!remade.is_changed()) return;
    try_remade(remade, found, [&](const SolverOutcome& next, double) {
      const Eigen::VectorXd theta = remade.to_problem(next.theta);
      found.keep_better(bound(next, theta, Models::held));
      if (const double upper = objective_(theta); upper < found.certificate.upper) {
        found.certificate.upper = upper;
        found.theta = theta;
      }
      const auto status = ending(problem_, found.certificate, tolerance_);
      if (status) found.status = *status;
      return status.has_value();
    });
  }

  [[nodiscard]] DualBound bound_of_all(const SolverOutcome& found) {
    DualBound best = bound(found, found.theta, Models::all);
    Certificate certificate = found.certificate;
    certificate.lower = best.value;
    if (is_within(certificate, tolerance_) || found.status == ExactStatus::interrupted) return best;
    const RemadeColumns remade(problem_, Models::all);
    try_remade(remade, found, [&](const SolverOutcome& next, double tolerance) {
      DualBound own = bound(next, found.theta, Models::all);
      if (own.value > best.value) best = std::move(own);
      return best.value >= next.certificate.lower * (1 - tolerance);
    });
    return best;
  }

  const Problem& problem_;
  double alpha_;
  double tolerance_;
  const Solve& solve_;
  const Objective& objective_;
};

}  // namespace

SolvedForAll solve_for_all(const Problem& problem, double alpha, double tolerance,
                           const Start& start, const Solve& solve, const Objective& objective) {
  return Search(problem, alpha, tolerance, solve, objective).run(start);
}

}  // namespace adacvar
