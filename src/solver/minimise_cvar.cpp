#include "solver/follow.hpp"
#include "solver/minimise.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

/// Least CVaR of all rows through problems on some of them. Rows below the level have no weight, so
/// leaving them out changes nothing as long as they stay below: the law found is one over all
/// rows, its bound holds for all, and the CVaR of all rows tells whether any was missed.
class TailSearch {
 public:
  TailSearch(const Problem& problem, const ExactOptions& options, double tail)
      : problem_(problem), options_(options), tail_(tail), is_in_(problem.rows()) {}

  SolverOutcome run(const Start& start) {
    SolverOutcome best;
    best.theta = start.theta;
    double gap = start.gap;
    begin(problem_.losses(start.theta), gap);
    const double constant = cvar(problem_.constant_losses(), options_.alpha);
    best.certificate.rounding = problem_.rounding(constant);
    for (int round = 1;; ++round) {
      const SolverOutcome found = solve(best, gap, constant);
      const std::vector<double> losses = problem_.losses(found.theta);
      keep_better(found, cvar(losses, options_.alpha) + problem_.penalty(found.theta), best);
      if (constant < best.certificate.upper) {
        best.certificate.upper = constant;
        best.theta = problem_.constant();
      }
      if (const auto status = ending(problem_, best.certificate, options_.tolerance)) {
        best.status = *status;
        return best;
      }
      best.status = found.status;
      const bool may_go_on =
          found.status != ExactStatus::interrupted && best.steps < options_.max_steps;
      const double level = round < kMostRounds ? worst_level(losses) : kLowest;
      if (!may_go_on || !take(losses, level)) return best;
      gap = 10 * (best.certificate.upper - best.certificate.lower);
    }
  }

 private:
  // The worst rows; all of them when they are few, or when many are within `margin` of the level,
  // as they are where the best classifier knows nothing: the worst by a hair are no fair sample.
  // But a level that is next to nothing has most rows below it however little they count.
  void begin(const std::vector<double>& losses, double margin) {
    const double tail_level = value_at_risk(losses, options_.alpha);
    const double level = tail_level - std::min(margin, 0.05 * tail_level);
    const auto reach = std::ranges::count_if(losses, [&](double loss) { return loss >= level; });
    const bool all = problem_.rows() < kFew || static_cast<double>(reach) > 2 * kRoom * tail_;
    take(losses, all ? kLowest : std::min(level, worst_level(losses)));
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

  [[nodiscard]] SolverOutcome solve(const SolverOutcome& from, double gap, double attained) const {
    const double count = static_cast<double>(rows_.size());
    std::vector<double> losses;
    std::vector<double> slopes;
    const auto objective = [&](const Eigen::VectorXd& theta) {
      problem_.evaluate(theta, rows_, losses, slopes);
      return cvar(losses, std::min(1.0, tail_ / count)) + problem_.penalty(theta);
    };
    InteriorPoint point(problem_, rows_, std::vector<double>(rows_.size(), 1 / tail_),
                        InteriorPoint::Kind::cvar, from.theta, gap);
    // Half the tolerance is left for the rows that are not in.
    const double share = rows_.size() < problem_.rows() ? 0.5 : 1.0;
    return follow(problem_, point,
                  {.alpha = options_.alpha,
                   .tolerance = share * options_.tolerance,
                   .rounding = share * from.certificate.rounding,
                   .attained = attained,
                   .most_steps = options_.max_steps - std::min(options_.max_steps, from.steps),
                   .stop = options_.stop},
                  objective);
  }

  static void keep_better(const SolverOutcome& found, double upper, SolverOutcome& best) {
    const bool is_first = best.law.rows.empty();
    best.keep_better({found.certificate.lower, found.law, found.slopes});
    if (is_first || upper < best.certificate.upper) {
      best.certificate.upper = upper;
      best.theta = found.theta;
    }
    best.steps += found.steps;
    best.last = found.last;
  }

  static constexpr double kRoom = 2;
  static constexpr std::size_t kFew = 20'000;
  static constexpr int kMostRounds = 6;  // all rows are in then
  static constexpr double kLowest = -std::numeric_limits<double>::infinity();

  const Problem& problem_;
  const ExactOptions& options_;
  double tail_;
  std::vector<bool> is_in_;
  std::vector<Index> rows_;
};

RowLaw uniform_law(std::size_t rows) {
  RowLaw law{std::vector<Index>(rows), std::vector<double>(rows, 1 / static_cast<double>(rows))};
  std::iota(law.rows.begin(), law.rows.end(), Index{0});
  return law;
}

// Classes that can hardly be separated make the search stall. Their mean loss goes to 0 as well,
// and that is easier to follow.
void try_to_separate(const Problem& problem, const ExactOptions& options, SolverOutcome& outcome) {
  const bool may_be = outcome.status == ExactStatus::stalled && outcome.certificate.lower == 0 &&
                      status_at_zero(problem) == ExactStatus::not_attained;
  if (!may_be) return;
  const SolverOutcome mean =
      minimise_weighted(problem, 1, uniform_law(problem.rows()),
                        Eigen::VectorXd::Zero(problem.size()), options.tolerance, options.stop);
  if (mean.status != ExactStatus::not_attained) return;
  outcome.theta = 2 * mean.theta;  // squares the losses
  outcome.certificate.upper = cvar(problem.losses(outcome.theta), options.alpha);
  outcome.status = mean.status;
  outcome.steps += mean.steps;
}

// Of many optima the one without weights, where it is one.
void prefer_constant(const Problem& problem, const ExactOptions& options, SolverOutcome& outcome) {
  if (outcome.status != ExactStatus::optimal) return;
  Certificate certificate = outcome.certificate;
  certificate.upper = cvar(problem.constant_losses(), options.alpha);
  if (!is_within(certificate, options.tolerance)) return;
  outcome.certificate = certificate;
  outcome.theta = problem.constant();
}

SolverOutcome minimise(const Problem& problem, const ExactOptions& options, const Start& start) {
  const auto count = static_cast<double>(problem.rows());
  const double tail = std::max(1.0, detail::tail_count(options.alpha, problem.rows()));
  if (tail >= count) {  // the mean: the law is known
    return minimise_weighted(problem, options.alpha, uniform_law(problem.rows()), start.theta,
                             options.tolerance, options.stop);
  }
  SolverOutcome outcome = TailSearch(problem, options, tail).run(start);
  try_to_separate(problem, options, outcome);
  return outcome;
}

}  // namespace

SolverOutcome minimise_cvar(const Problem& problem, const ExactOptions& options,
                            const Start& start) {
  SolverOutcome outcome = minimise(problem, options, start);
  prefer_constant(problem, options, outcome);
  return outcome;
}

}  // namespace adacvar
