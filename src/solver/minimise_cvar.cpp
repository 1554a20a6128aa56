#include "solver/kink_rows.hpp"
#include "solver/minimise.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace adacvar {

namespace {

// All rows with the weights that the mean gives them, times `factor`.
RowWeights shares_of(const Problem& problem, double factor) {
  RowWeights shares;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    shares.rows.push_back(static_cast<Index>(i));
    shares.weights.push_back(factor * problem.share(static_cast<Index>(i)));
  }
  shares.fixed = shares.rows.size();
  return shares;
}

/// Least CVaR of all rows through problems on some of them. Rows below the level have no weight, so
/// leaving them out changes nothing as long as they stay below: the distribution found is one over
/// all rows, its bound holds for all, and the CVaR of all rows tells whether any was missed.
class TailSearch {
 public:
  TailSearch(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), is_in_(problem.rows()) {}

  /// `constant`: the risk of the constant model.
  SolverOutcome run(const Start& start, double constant) {
    SolverOutcome best;
    best.theta = start.theta;
    best.certificate.upper = std::numeric_limits<double>::infinity();
    double gap = start.gap;
    prepare_mean(start.theta);
    begin(problem_.losses(start.theta), start);
    best.certificate.rounding = problem_.rounding(constant);
    for (int round = 1;; ++round) {
      SolverOutcome found = solve(best, gap, constant);
      const std::vector<double> losses = problem_.losses(found.theta);
      best.offer(problem_, options_, found.theta,
                 problem_.risk(losses) + problem_.penalty(found.theta));
      best.offer(problem_, options_, problem_.constant(), constant);
      best.offer(problem_, options_, std::move(found.dual));
      best.steps += found.steps;
      best.last = found.last;
      best.status = found.status;
      if (const auto status = ending(problem_, best.certificate, options_.tolerance)) {
        best.status = *status;
        return best;
      }
      const bool may_go_on =
          found.status != ExactStatus::interrupted && best.steps < options_.most_steps;
      const double level = round < kMostRounds ? problem_.tail_level(losses, kRoom) : kLowest;
      if (!may_go_on) return best;
      const bool passed = take_passed(found.theta);
      if (!take(losses, level) && !passed) return best;
      gap = 10 * (best.certificate.upper - best.certificate.lower);
    }
  }

 private:
  void prepare_mean(const Eigen::VectorXd& theta) {
    if (problem_.settings().risk.gamma == 0) return;
    mean_ = shares_of(problem_, problem_.settings().risk.gamma);
    if (KinkRows::are_worth_while(problem_, mean_)) kinks_.emplace(problem_, mean_, theta);
  }

  // Takes in rows of the mean that are on the other side of their kink now. False when none is new.
  bool take_passed(const Eigen::VectorXd& theta) {
    if (!kinks_) return false;
    std::vector<double> losses;
    std::vector<double> derivatives;
    problem_.evaluate(theta, mean_.rows, losses, derivatives);
    return kinks_->take_passed(derivatives);
  }

  // The worst rows; all of them when they are few, or when many are within the gap of the level,
  // as they are where the best classifier knows nothing: the worst by a hair are no fair sample.
  // But a level that is next to nothing has most rows below it however little they count.
  void begin(const std::vector<double>& losses, const Start& start) {
    const double tail_level = problem_.tail_level(losses);
    const double level = tail_level - std::min(start.gap, 0.05 * tail_level);
    double reach = 0;  // of the cap's multiples: 1 is a tail
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (losses[i] >= level) reach += problem_.cap(static_cast<Index>(i));
    }
    const bool all = problem_.rows() < kFew || reach > 2 * kRoom;
    take(losses, all ? kLowest : std::min(level, problem_.tail_level(losses, start.room)));
  }

  // All that reaches `level`. False when no row is new.
  bool take(const std::vector<double>& losses, double level) {
    const std::size_t before = costs_.rows.size() - costs_.fixed;
    costs_ = {};
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (losses[i] >= level) is_in_[i] = true;
      if (!is_in_[i]) continue;
      costs_.rows.push_back(static_cast<Index>(i));
      costs_.weights.push_back(problem_.cap(static_cast<Index>(i)));
    }
    if (!mean_.rows.empty()) {
      const RowWeights mean = kinks_ ? kinks_->near() : mean_;
      costs_.rows.insert(costs_.rows.end(), mean.rows.begin(), mean.rows.end());
      costs_.weights.insert(costs_.weights.end(), mean.weights.begin(), mean.weights.end());
      costs_.fixed = mean.fixed;
    }
    return costs_.rows.size() - costs_.fixed > before;
  }

  [[nodiscard]] SolverOutcome solve(const SolverOutcome& from, double gap, double attained) const {
    // Half the tolerance is left for the rows that are not in.
    const LinearRows far = kinks_ ? kinks_->far() : LinearRows{};
    const bool are_all_in =
        costs_.rows.size() - costs_.fixed == problem_.rows() && far.q.rows.empty();
    const double share = are_all_in ? 1.0 : 0.5;
    SearchOptions inside = options_;
    inside.tolerance *= share;
    inside.most_steps -= std::min(options_.most_steps, from.steps);
    return follow_path(problem_, costs_, {from.theta, gap}, inside,
                       share * from.certificate.rounding, attained, far);
  }

  static constexpr double kRoom = 2;
  static constexpr std::size_t kFew = 20'000;
  static constexpr int kMostRounds = 6;  // all rows are in then
  static constexpr double kLowest = -std::numeric_limits<double>::infinity();

  const Problem& problem_;
  const SearchOptions& options_;
  std::vector<bool> is_in_;
  RowWeights mean_;                // its share of the risk; none if that is 0
  std::optional<KinkRows> kinks_;  // of those rows, if they are divided
  RowWeights costs_;
};

// Where classes can be separated no model attains the least risk: the search ends far out in one of
// many directions, or stalls before. Their mean loss goes to 0 as well, on a path that is easier to
// follow, and that hardly depends on how the rows are ordered, repeated or weighted.
void try_to_separate(const Problem& problem, const SearchOptions& options, SolverOutcome& outcome) {
  const bool is_separated = outcome.status == ExactStatus::not_attained;
  const bool may_be = outcome.status == ExactStatus::stalled && outcome.certificate.lower == 0 &&
                      status_at_zero(problem) == ExactStatus::not_attained;
  if (!is_separated && !may_be) return;
  const SolverOutcome mean = minimise_weighted(problem, shares_of(problem, 1),
                                               Eigen::VectorXd::Zero(problem.size()), options);
  if (mean.status != ExactStatus::not_attained) return;
  Eigen::VectorXd theta = mean.theta;
  double risk = problem.risk(problem.losses(theta));
  if (risk > outcome.certificate.rounding) {
    theta *= 2;  // squares the losses
    risk = problem.risk(problem.losses(theta));
  }
  const bool replaces = is_separated && risk <= outcome.certificate.rounding;
  if (replaces) outcome.certificate.upper = std::numeric_limits<double>::infinity();
  outcome.offer(problem, options, theta, risk);
  outcome.status = mean.status;
  outcome.steps += mean.steps;
}

// Among many optima, the model without weights where it is one.
void prefer_constant(const Problem& problem, const SearchOptions& options, double risk,
                     SolverOutcome& outcome) {
  if (outcome.status != ExactStatus::optimal) return;
  const Eigen::VectorXd constant = problem.constant();
  Certificate certificate = outcome.certificate;
  certificate.upper = risk;
  certificate.radius = radius_for(options.radius, constant);
  certificate.lower = outcome.dual.lower(problem, certificate.radius);
  if (!is_within(certificate, options.tolerance)) return;
  outcome.theta = constant;
  outcome.certificate = certificate;
}

}  // namespace

SolverOutcome minimise_cvar(const Problem& problem, const SearchOptions& options,
                            const Start& start) {
  const double constant = problem.risk(problem.constant_losses());
  SolverOutcome outcome;
  if (problem.is_mean()) {  // the distribution is known
    outcome = minimise_weighted(problem, shares_of(problem, 1), start.theta, options);
  } else {
    outcome = TailSearch(problem, options).run(start, constant);
    try_to_separate(problem, options, outcome);
  }
  prefer_constant(problem, options, constant, outcome);
  return outcome;
}

}  // namespace adacvar
