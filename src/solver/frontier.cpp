#include <adacvar/solver/frontier.hpp>

#include "solver/exact_search.hpp"
#include "solver/row_terms.hpp"
#include "solver/smoothed_risk.hpp"

#include <adacvar/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace adacvar {

namespace {

constexpr double kRounding = 1e-12;  // relative, of a limit

/// A solution in the solver's units.
struct Solution {
  Eigen::VectorXd theta = {};
  TailRisk risk = {};
  double penalty = 0;  ///< of the whole ridge
  Certificate certificate = {};
  ExactStatus status = ExactStatus::stalled;
  SmoothingWidths widths = {};  ///< where it was found by smoothing
};

/// Least (1 - gamma) CVaR + gamma mean + factor(gamma) ridge/2 |weights|^2 for any gamma; `factor`
/// is affine, so that the least value is concave in gamma.
class Family {
 public:
  using Factor = std::function<double(double gamma)>;

  Family(const ExactSearch& search, double alpha, Factor factor)
      : search_(search), alpha_(alpha), factor_(std::move(factor)) {}

  [[nodiscard]] const std::map<double, Solution>& solutions() const { return solutions_; }

  const Solution& at(double gamma, double tolerance) {
    const auto known = solutions_.find(gamma);
    if (known != solutions_.end() && is_enough(known->second, tolerance)) return known->second;
    return solutions_[gamma] = find(gamma, tolerance);
  }

  [[nodiscard]] Solution measure(const Eigen::VectorXd& theta) const {
    return {.theta = theta,
            .risk = search_.problem().tail_risk(search_.problem().losses(theta)),
            .penalty = search_.problem().penalty(theta),
            .certificate = {}};
  }

  [[nodiscard]] double value(const Solution& solution, double gamma) const {
    return Risk{alpha_, gamma}.of(solution.risk) + factor_(gamma) * solution.penalty;
  }

 private:
  static bool is_enough(const Solution& solution, double tolerance) {
    return is_within(solution.certificate, tolerance) || solution.status != ExactStatus::optimal;
  }

  // A model between neighbours, Newton's method from there, a neighbour, interior points: the first
  // that is good enough.
  [[nodiscard]] Solution find(double gamma, double tolerance) const {
    Solution best = better_neighbour(gamma);
    if (best.certificate.lower > 0) {
      Solution found = smoothed(gamma, tolerance, best);
      const bool is_enough = is_within(found.certificate, tolerance);
      if (is_enough || found.certificate.upper < best.certificate.upper) best = std::move(found);
    }
    if (is_within(best.certificate, tolerance)) return best;
    return solve(gamma, tolerance, start_near(best, gamma));
  }

  [[nodiscard]] Solution smoothed(double gamma, double tolerance, const Solution& near) const {
    const Problem problem = search_.problem_for({alpha_, gamma}, factor_(gamma));
    const SmoothedOutcome found =
        minimise_smoothed(problem, {interpolated(gamma), near.certificate, near.widths},
                          search_.search_options(tolerance));
    return {.theta = found.theta,
            .risk = found.risk,
            .penalty = search_.problem().penalty(found.theta),
            .certificate = found.certificate,
            .status = ExactStatus::optimal,
            .widths = found.widths};
  }

  // Only a part of the tolerance is used: points between solutions inherit what is left open.
  [[nodiscard]] Solution solve(double gamma, double tolerance, const Start& start) const {
    const double less = std::max(kNodeShare * tolerance, std::min(tolerance, kFinest));
    const SolverOutcome found = search_.solve({alpha_, gamma}, factor_(gamma), less, start);
    Solution solution = measure(found.theta);
    solution.certificate = found.certificate;
    const bool is_enough =
        found.status == ExactStatus::stalled && is_within(found.certificate, tolerance);
    solution.status = is_enough ? ExactStatus::optimal : found.status;
    return solution;
  }

  // Losses with a kink ask for a start that is near.
  [[nodiscard]] Start start_near(const Solution& guess, double gamma) const {
    const Certificate& certificate = guess.certificate;
    const bool is_far = !(certificate.relative_gap() < kFar);
    const bool needs_near = !is_smooth(search_.problem().loss());
    if (!(certificate.lower > 0) || (is_far && needs_near)) {
      return search_.start({alpha_, gamma}, factor_(gamma));
    }
    return {.theta = guess.theta,
            .gap = certificate.upper - certificate.lower,
            .room = is_far ? Start{}.room : kRoomNearby};
  }

  using Entry = std::map<double, Solution>::value_type;

  // By the polynomial through up to two solutions on each side.
  [[nodiscard]] Eigen::VectorXd interpolated(double gamma) const {
    auto begin = solutions_.lower_bound(gamma);
    auto end = begin;
    for (int i = 0; i < 2 && begin != solutions_.begin(); ++i) --begin;
    for (int i = 0; i < 2 && end != solutions_.end(); ++i) ++end;
    Eigen::VectorXd theta = Eigen::VectorXd::Zero(begin->second.theta.size());
    for (auto at = begin; at != end; ++at) {
      double factor = 1;
      for (auto other = begin; other != end; ++other) {
        if (other != at) factor *= (gamma - other->first) / (at->first - other->first);
      }
      theta += factor * at->second.theta;
    }
    return theta;
  }

  // The neighbour with the smaller value, and the chord's bound. With one neighbour no bound is
  // known, without any no model.
  [[nodiscard]] Solution better_neighbour(double gamma) const {
    const auto above = solutions_.lower_bound(gamma);
    const auto below = std::make_reverse_iterator(above);
    const bool has_both = above != solutions_.end() && below != solutions_.rend();
    if (solutions_.empty()) {
      return {.certificate = {.upper = std::numeric_limits<double>::infinity()}};
    }
    const bool takes_below = has_both ? value(below->second, gamma) < value(above->second, gamma)
                                      : above == solutions_.end();
    Solution best = takes_below ? below->second : above->second;
    best.certificate = has_both ? chord_bound(*below, *above, gamma) : Certificate{};
    best.certificate.upper = value(best, gamma);
    if (!(best.theta.norm() <= best.certificate.radius)) best.certificate.lower = 0;
    best.status = ExactStatus::optimal;
    return best;
  }

  // The least value is concave in gamma, for models of any radius: no less than the chord.
  static Certificate chord_bound(const Entry& below, const Entry& above, double gamma) {
    const Certificate& one = below.second.certificate;
    const Certificate& other = above.second.certificate;
    const double share = (gamma - below.first) / (above.first - below.first);
    const double chord = (1 - share) * one.lower + share * other.lower;
    return {.lower = (1 - 8 * std::numeric_limits<double>::epsilon()) * chord,
            .rounding = std::max(one.rounding, other.rounding),
            .radius = std::min(one.radius, other.radius)};
  }

  static constexpr double kFar = 0.01;  // relative gap
  static constexpr double kRoomNearby = 1.25;
  static constexpr double kNodeShare = 0.5;
  static constexpr double kFinest = 1e-6;  // finer than that only if asked for

  const ExactSearch& search_;
  double alpha_;
  Factor factor_;
  std::map<double, Solution> solutions_;
};

/// Least objective o among models with c <= most, where (1 - gamma) CVaR + gamma mean is a mean
/// of o and c whose weights depend on gamma: the multiplier of the limit.
class LimitedSearch {
 public:
  LimitedSearch(Family& family, const Risk& risk, const RiskLimit& limit, double tolerance)
      : family_(family),
        risk_(limit.of == RiskLimit::Of::mean ? risk : Risk{risk.alpha, 1}),
        limit_(limit),
        tolerance_(tolerance) {}

  /// The factor of the ridge, which belongs to the objective.
  static Family::Factor ridge_factor(const Risk& risk, const RiskLimit& limit) {
    if (limit.of == RiskLimit::Of::cvar) return [](double gamma) { return gamma; };
    return [free = risk.gamma](double gamma) { return (1 - gamma) / (1 - free); };
  }

  struct Found {
    Solution solution;
    double gamma = 0;
    bool is_feasible = true;
  };

  Found run() {
    const double safe = limit_.of == RiskLimit::Of::mean ? 1 : 0;
    within_ = family_.at(safe, tolerance_);
    if (within_.certificate.lower > limit_.most) return {within_, safe, false};
    beyond_ = family_.at(risk_.gamma, tolerance_);
    best_ = {.solution = within_, .gamma = safe};
    if (is_within_limit(beyond_)) return {beyond_, risk_.gamma, true};
    best_.solution.certificate = {.upper = objective(within_)};
    use_known();
    narrow();
    best_.solution.status = is_within(best_.solution.certificate, tolerance_)
                                ? ExactStatus::optimal
                                : ExactStatus::stalled;
    return best_;
  }

 private:
  static constexpr int kMostSolutions = 40;

  [[nodiscard]] double limited(const Solution& solution) const {
    return limit_.value(solution.risk);
  }
  [[nodiscard]] double objective(const Solution& solution) const {
    return risk_.of(solution.risk) + solution.penalty;
  }
  [[nodiscard]] bool is_within_limit(const Solution& solution) const {
    return limited(solution) <= (1 + kRounding) * limit_.most;
  }
  /// The objective's weight; that of the limited quantity is the rest.
  [[nodiscard]] double weight(double gamma) const {
    return limit_.of == RiskLimit::Of::cvar ? gamma : (1 - gamma) / (1 - risk_.gamma);
  }
  [[nodiscard]] double gamma_of(double weight) const {
    return limit_.of == RiskLimit::Of::cvar ? weight : 1 - weight * (1 - risk_.gamma);
  }

  // The nearest solutions on both sides of the limit.
  void use_known() {
    for (const auto& [gamma, solution] : family_.solutions()) {
      const double share = weight(gamma);
      if (!(share > 0 && share <= 1)) continue;
      raise_lower(gamma, solution.certificate);
      if (is_within_limit(solution) ? objective(solution) < objective(within_)
                                    : limited(solution) < limited(beyond_)) {
        take(solution, share);
      }
    }
  }

  void take(const Solution& solution, double share) {
    const bool is_inside = is_within_limit(solution);
    (is_inside ? within_ : beyond_) = solution;
    (is_inside ? within_weight_ : beyond_weight_) = share;
  }

  void narrow() {
    for (int count = 0; count < kMostSolutions; ++count) {
      offer_mixture();
      if (is_within(best_.solution.certificate, tolerance_)) return;
      const double rise = objective(within_) - objective(beyond_);
      const double fall = limited(beyond_) - limited(within_);
      // Where both solutions have the same value. Now and then half way, in case one end stays.
      double next = fall / (rise + fall);
      if (!(next > within_weight_ && next < beyond_weight_) || count % 4 == 3) {
        next = std::midpoint(within_weight_, beyond_weight_);
      }
      if (!(next > within_weight_ && next < beyond_weight_)) return;
      const double gamma = gamma_of(next);
      const Solution solution = family_.at(gamma, std::max(0.25 * tolerance_ * next, 1e-12));
      if (solution.status == ExactStatus::interrupted) return;
      raise_lower(gamma, solution.certificate);
      take(solution, next);
    }
  }

  // For models within the limit weight * o + (1 - weight) * c is at least `lower`, c at most its
  // limit.
  void raise_lower(double gamma, const Certificate& certificate) {
    const double share = weight(gamma);
    // Models that exceed the limit by its rounding are within.
    const double bound = (certificate.lower - (1 - share) * (1 + kRounding) * limit_.most) / share;
    const double rounding =
        8 * std::numeric_limits<double>::epsilon() * (certificate.lower + limit_.most) / share;
    Certificate& best = best_.solution.certificate;
    best.rounding = std::max(best.rounding, certificate.rounding);
    if (!(bound - rounding > best.lower)) return;
    best.lower = bound - rounding;
    best.radius = certificate.radius;
    best_.gamma = gamma;
  }

  // The mixture of both solutions that just meets the limit; both risks are convex along it.
  void offer_mixture() {
    double inside = 0;
    double outside = 1;
    double inside_value = limited(within_);
    double outside_value = limited(beyond_);
    Solution best = within_;
    for (int pass = 0; pass < 20 && outside - inside > 1e-9; ++pass) {
      // The chord of a convex function never overshoots; half way else its far end would stay.
      const double chord = inside + (outside - inside) * (limit_.most - inside_value) /
                                        (outside_value - inside_value);
      const double share = pass % 2 == 0 ? chord : std::midpoint(chord, outside);
      Solution mixed = family_.measure(within_.theta + share * (beyond_.theta - within_.theta));
      const double value = limited(mixed);
      const bool is_inside = is_within_limit(mixed);
      (is_inside ? inside : outside) = share;
      (is_inside ? inside_value : outside_value) = value;
      if (is_inside) best = std::move(mixed);
      if (is_inside && value >= (1 - 1e-10) * limit_.most) break;
    }
    const double upper = objective(best);
    Certificate& certificate = best_.solution.certificate;
    if (!(upper < certificate.upper)) return;
    best_.solution.theta = best.theta;
    best_.solution.risk = best.risk;
    best_.solution.penalty = best.penalty;
    certificate.upper = upper;
  }

  Family& family_;
  Risk risk_;
  RiskLimit limit_;
  double tolerance_;
  Solution within_;
  Solution beyond_;
  double within_weight_ = 0;  // of the objective
  double beyond_weight_ = 1;
  Found best_;
};

TailRisk scaled(const TailRisk& risk, double unit) {
  return {unit * risk.mean, unit * risk.var, unit * risk.cvar};
}

}  // namespace

class Frontier::Impl {
 public:
  Impl(const Dataset& data, const Loss& loss, const ExactOptions& options)
      : options_(options),
        search_(data, loss, options),
        family_(search_, options.risk.alpha, [](double) { return 1.0; }) {}

  const FrontierPoint& at(double gamma, double tolerance = 0) {
    check_range("gamma", gamma, Bounds{.low = options_.risk.gamma, .high = 1});
    const double enough = std::max(tolerance, options_.tolerance);
    const auto known = points_.find(gamma);
    if (known != points_.end() && (tolerance > 0 || is_within(known->second.certificate, enough) ||
                                   known->second.status != ExactStatus::optimal)) {
      return known->second;
    }
    const Solution& solution = family_.at(gamma, enough);
    return points_[gamma] = {.gamma = gamma,
                             .model = search_.model(solution.theta),
                             .risk = scaled(solution.risk, search_.loss_unit()),
                             .certificate = search_.in_data_units(solution.certificate),
                             .status = solution.status};
  }

  void spread(std::size_t count, double tolerance) {
    (void)at(1);
    (void)at(options_.risk.gamma);
    std::set<double> exhausted;  // gammas whose upper neighbour is as near as can be
    while (points_.size() < count && !is_set(options_.stop)) {
      const auto lower = widest(exhausted);
      if (lower == points_.end()) return;
      const auto upper = std::next(lower);
      const double gamma = between(lower->second, upper->second);
      const FrontierPoint& added = at(gamma, tolerance);
      if (apart(lower->second, added) < kNear) exhausted.insert(lower->first);
      if (apart(added, upper->second) < kNear) exhausted.insert(gamma);
    }
  }

  LimitedResult within(const RiskLimit& limit, double tolerance) {
    const double unit = search_.loss_unit();
    const RiskLimit inside{limit.of, limit.most / unit};
    Family own(search_, options_.risk.alpha, LimitedSearch::ridge_factor(options_.risk, limit));
    Family& family = options_.ridge > 0 ? own : family_;
    const LimitedSearch::Found found =
        LimitedSearch(family, options_.risk, inside, std::max(tolerance, options_.tolerance)).run();
    return {.model = search_.model(found.solution.theta),
            .risk = scaled(found.solution.risk, unit),
            .gamma = found.gamma,
            .certificate = search_.in_data_units(found.solution.certificate),
            .is_feasible = found.is_feasible,
            .status = found.solution.status};
  }

  [[nodiscard]] const std::map<double, FrontierPoint>& points() const { return points_; }

 private:
  static constexpr double kNear = 1e-4;  // of the curve's extent
  using Place = std::map<double, FrontierPoint>::const_iterator;

  // Distance in units of the curve's extent.
  [[nodiscard]] double apart(const FrontierPoint& one, const FrontierPoint& other) const {
    const TailRisk& tail = points_.begin()->second.risk;
    const TailRisk& mean = points_.rbegin()->second.risk;
    const auto share = [this](double difference, double extent, double size) {
      return std::abs(extent) > options_.tolerance * size ? difference / extent : 0.0;
    };
    return std::hypot(share(one.risk.mean - other.risk.mean, tail.mean - mean.mean, tail.mean),
                      share(one.risk.cvar - other.risk.cvar, tail.cvar - mean.cvar, mean.cvar));
  }

  // The lower of the two neighbours that are farthest apart; the end if none are apart.
  [[nodiscard]] Place widest(const std::set<double>& exhausted) const {
    Place best = points_.end();
    double distance = kNear;
    for (auto lower = points_.begin(); std::next(lower) != points_.end(); ++lower) {
      if (exhausted.contains(lower->first)) continue;
      const double here = apart(lower->second, std::next(lower)->second);
      if (here <= distance) continue;
      distance = here;
      best = lower;
    }
    return best;
  }

  // The weight for which both have the same risk: its solution lies between them.
  [[nodiscard]] double between(const FrontierPoint& lower, const FrontierPoint& upper) const {
    const double rise = upper.risk.cvar - lower.risk.cvar + upper.model.penalty(options_.ridge) -
                        lower.model.penalty(options_.ridge);
    const double fall = lower.risk.mean - upper.risk.mean;
    const double gamma = rise / (upper.risk.cvar - lower.risk.cvar + fall);
    const double room = 1e-3 * (upper.gamma - lower.gamma);
    return gamma > lower.gamma + room && gamma < upper.gamma - room
               ? gamma
               : std::midpoint(lower.gamma, upper.gamma);
  }

  ExactOptions options_;
  ExactSearch search_;
  Family family_;
  std::map<double, FrontierPoint> points_;
};

Frontier::Frontier(const Dataset& data, const Loss& loss, const ExactOptions& options)
    : impl_(std::make_unique<Impl>(data, loss, options)) {}
Frontier::Frontier(Frontier&& other) noexcept = default;
Frontier& Frontier::operator=(Frontier&& other) noexcept = default;
Frontier::~Frontier() = default;

const FrontierPoint& Frontier::at(double gamma) { return impl_->at(gamma); }
void Frontier::spread(std::size_t count, double tolerance) { impl_->spread(count, tolerance); }
LimitedResult Frontier::within(const RiskLimit& limit, double tolerance) {
  return impl_->within(limit, tolerance);
}
const std::map<double, FrontierPoint>& Frontier::points() const noexcept { return impl_->points(); }

}  // namespace adacvar
