#include "solver/smoothed_risk.hpp"

#include "solver/conjugate.hpp"
#include "solver/gram.hpp"
#include "solver/mean_term.hpp"
#include "solver/row_terms.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace adacvar {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Share of the way through a kink at 0; without branches, for rows are on both sides at random.
double through(double t, double width) { return std::min(1.0, std::max(0.0, 0.5 + t / width)); }
/// What is added there.
double excess(double share, double width) { return 0.5 * width * share * (1 - share); }
bool is_between(double share) { return share > 0 && share < 1; }

/// Rows whose derivative or weight changes with theta.
struct ActiveRows {
  std::vector<Index> rows = {};
  std::vector<double> derivatives = {};
  std::vector<double> bends = {};   ///< how fast their derivatives change with the score,
  std::vector<double> climbs = {};  ///< and their weights with the loss
};

/// (1 - gamma) level + sum cap_i (L_i - level)+ + sum low_i L_i + penalty with smoothed kinks, for
/// the best level.
class SmoothedRisk {
 public:
  SmoothedRisk(const Problem& problem, const Eigen::VectorXd& theta, SmoothingWidths widths);

  [[nodiscard]] const Eigen::VectorXd& theta() const { return theta_; }
  [[nodiscard]] const SmoothingWidths& widths() const { return widths_; }
  /// Risks of the losses as they are.
  [[nodiscard]] TailRisk risk() const;

  /// Widths for which about `gap` is added: where the risk is least, no less than the duality gap.
  /// False where so few rows are within them that they leave directions without curvature.
  bool set_widths(double gap);
  /// Newton's step; tells how far the value is above its minimum, to second order.
  double find_step();
  /// Takes it; false if the value does not fall.
  bool move();
  /// After `find_step`: a point of the dual nearby whose gradient costs models of that radius `gap`
  /// at most, or little more.
  [[nodiscard]] DualBound balanced_bound(double radius, double gap);

 private:
  struct Totals {
    double value = 0;
    double at_level = 0;  // of it: what is added
    double at_kinks = 0;
    std::size_t rows = 0;  // within the widths
    void add(const Totals& other) {
      value += other.value;
      at_level += other.at_level;
      at_kinks += other.at_kinks;
      rows += other.rows;
    }
  };

  [[nodiscard]] bool has_kinks() const { return !scores_.empty(); }
  [[nodiscard]] bool is_at_kink(std::size_t r) const {
    return has_kinks() && std::abs(scores_[r]) < 0.5 * widths_.kinks;
  }

  void move_to(const Eigen::VectorXd& theta);
  void smooth_losses();
  void find_level();
  [[nodiscard]] bool find_level_near(double centre);
  void measure();
  void find_rho();
  [[nodiscard]] Eigen::VectorXd gradient() const;
  [[nodiscard]] ActiveRows active_rows() const;
  [[nodiscard]] Eigen::MatrixXd mean_hessian() const;
  [[nodiscard]] Eigen::VectorXd solve(std::span<const double> weights,
                                      const Eigen::MatrixXd& others, const Eigen::VectorXd& right,
                                      double by_level) const;
  bool balance();
  [[nodiscard]] DualBound bound();

  const Problem& problem_;
  double mass_;               // of the tail's weights
  std::vector<double> caps_;  // of each row
  std::vector<double> lows_;
  std::vector<Conjugate::Domain> slopes_;  // before and after the kink, of losses with one
  SmoothingWidths widths_;
  Eigen::VectorXd theta_;
  std::vector<double> scores_;  // beyond the kink
  std::vector<double> losses_;  // with smoothed kinks
  std::vector<double> derivatives_;
  std::vector<double> places_;  // shares of the caps
  RowWeights q_;
  std::optional<double> level_;
  Totals totals_;
  ActiveRows active_;
  Eigen::VectorXd rho_;  // as in DualBound,
  int rho_passes_ = 0;   // the sum of so many
  Eigen::VectorXd step_;
  double decrement_ = 0;
  bool is_hessian_old_ = false;
};

SmoothedRisk::SmoothedRisk(const Problem& problem, const Eigen::VectorXd& theta,
                           SmoothingWidths widths)
    : problem_(problem),
      mass_(1 - problem.settings().risk.gamma),
      widths_(widths),
      scores_(is_smooth(problem.loss()) ? 0 : problem.rows()),
      losses_(problem.rows()),
      derivatives_(problem.rows()),
      places_(problem.rows()),
      q_{std::vector<Index>(problem.rows()), std::vector<double>(problem.rows())} {
  std::iota(q_.rows.begin(), q_.rows.end(), Index{0});
  const Conjugate conjugate(problem.loss());
  for (const Index r : q_.rows) {
    caps_.push_back(problem.cap(r));
    lows_.push_back(problem.low(r));
    if (has_kinks()) slopes_.push_back(conjugate.domain(problem.target(r)));
  }
  move_to(theta);
}

void SmoothedRisk::move_to(const Eigen::VectorXd& theta) {
  theta_ = theta;
  if (!has_kinks()) return problem_.evaluate(theta, q_.rows, losses_, derivatives_);
  problem_.scores(theta, q_.rows, scores_);
  for_each_row(scores_.size(), problem_.threads(),
               [&](std::size_t r) { scores_[r] -= kink(problem_, static_cast<Index>(r)); });
}

TailRisk SmoothedRisk::risk() const {
  if (!has_kinks()) return problem_.tail_risk(losses_);
  std::vector<double> losses(scores_.size());
  for (std::size_t r = 0; r < losses.size(); ++r) {
    losses[r] = std::max(slopes_[r].low * scores_[r], slopes_[r].high * scores_[r]);
  }
  return problem_.tail_risk(losses);
}

void SmoothedRisk::smooth_losses() {
  const double width = widths_.kinks;
  for_each_row(scores_.size(), problem_.threads(), [&](std::size_t r) {
    const double range = slopes_[r].high - slopes_[r].low;
    const double share = through(scores_[r], width);
    derivatives_[r] = slopes_[r].low + range * share;
    losses_[r] = derivatives_[r] * scores_[r] + range * excess(share, width);
  });
}

// Half a width from the tail's own level at most, and usually near the last.
void SmoothedRisk::find_level() {
  if (level_ && find_level_near(*level_)) return;
  (void)find_level_near(problem_.tail_level(losses_));
}

// Where the caps' shares add up to the mass: by Newton's method between bounds. False if that is
// farther than two widths.
bool SmoothedRisk::find_level_near(double centre) {
  const double width = widths_.level;
  double least = centre - 2 * width;
  double most = centre + 2 * width;
  double above = -mass_;  // of the rows that are above the level in any case
  std::vector<Index> near;
  for (std::size_t r = 0; r < losses_.size(); ++r) {
    if (losses_[r] < least - width) continue;
    if (losses_[r] > most + width) {
      above += caps_[r];
    } else {
      near.push_back(static_cast<Index>(r));
    }
  }
  double level = centre;
  for (int pass = 0; pass < 60; ++pass) {
    double over = above;
    double slope = 0;
    for (const Index r : near) {
      const double share = through(losses_[r] - level, width);
      over += caps_[r] * share;
      slope += is_between(share) ? caps_[r] / width : 0.0;
    }
    (over > 0 ? least : most) = level;
    const double next = level + over / slope;
    if (std::abs(over) <= 1e-15 || next == level) break;
    level = next > least && next < most ? next : std::midpoint(least, most);
  }
  level_ = level;
  return std::abs(level - centre) < 1.9 * width;
}

void SmoothedRisk::measure() {
  smooth_losses();
  find_level();
  const double level = *level_;
  const double width = widths_.level;
  totals_ = sum_rows<Totals>(places_.size(), problem_.threads(), [&](std::size_t r, Totals& sum) {
    const double place = places_[r] = through(losses_[r] - level, width);
    const double weight = q_.weights[r] = lows_[r] + caps_[r] * place;
    sum.value += weight * losses_[r] - caps_[r] * place * level;
    if (is_between(place)) {
      sum.at_level += caps_[r] * excess(place, width);
      ++sum.rows;
    }
    if (is_at_kink(r)) {
      sum.at_kinks += weight * (slopes_[r].high - slopes_[r].low) *
                      excess(through(scores_[r], widths_.kinks), widths_.kinks);
      ++sum.rows;
    }
  });
  totals_.value += totals_.at_level + mass_ * level + problem_.penalty(theta_);
}

void SmoothedRisk::find_rho() {
  rho_ = problem_.gradient(q_.rows, q_.weights, derivatives_);
  rho_passes_ = 1;
}

Eigen::VectorXd SmoothedRisk::gradient() const {
  Eigen::VectorXd gradient = rho_ + problem_.ridge().cwiseProduct(theta_);
  problem_.hold(gradient);
  return gradient;
}

// What is added grows with the square of the width, or with the width where losses are alike. At
// kinks that no row of any weight is near it is 0 for all.
bool SmoothedRisk::set_widths(double gap) {
  constexpr int kMostPasses = 6;
  if (widths_.level == 0) widths_ = {20 * gap, 20 * gap};
  const double share = has_kinks() ? 0.5 * gap : gap;
  const auto adapt = [share](double& width, double more) {
    const bool is_near = more == 0 || (more > 0.4 * share && more < 1.5 * share);
    if (!is_near) width *= std::clamp(std::sqrt(share / more), 0.02, 50.0);
    return is_near;
  };
  const auto adapt_both = [&] {
    const bool is_level_near = adapt(widths_.level, totals_.at_level);
    return adapt(widths_.kinks, totals_.at_kinks) && is_level_near;
  };
  adapt_both();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    measure();
    if (adapt_both()) break;
  }
  find_rho();
  return totals_.rows >= (has_kinks() ? static_cast<std::size_t>(problem_.size()) : 1);
}

ActiveRows SmoothedRisk::active_rows() const {
  ActiveRows active;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    const double climb = is_between(places_[r]) ? 1 / widths_.level : 0.0;
    double bend = 0;
    if (is_at_kink(r)) bend = (slopes_[r].high - slopes_[r].low) / widths_.kinks;
    if (!has_kinks() && places_[r] > 0) bend = curvature_of(problem_.loss(), derivatives_[r]);
    if (bend == 0 && climb == 0) continue;
    active.rows.push_back(static_cast<Index>(r));
    active.derivatives.push_back(derivatives_[r]);
    active.bends.push_back(bend);
    active.climbs.push_back(climb);
  }
  return active;
}

Eigen::MatrixXd SmoothedRisk::mean_hessian() const {
  const MeanReference* const known = problem_.mean_reference(theta_);
  if (known != nullptr && !is_hessian_old_) return problem_.settings().risk.gamma * known->hessian;
  MeanTerm mean(problem_);
  mean.take(theta_, losses_, derivatives_);
  return mean.hessian();
}

// Solves the equations of theta and level, to which active rows contribute, with these weights.
Eigen::VectorXd SmoothedRisk::solve(std::span<const double> weights, const Eigen::MatrixXd& others,
                                    const Eigen::VectorXd& right, double by_level) const {
  const Eigen::Index size = problem_.size();
  std::vector<double> climbs = active_.climbs;
  std::vector<double> both(climbs.size());
  for (std::size_t i = 0; i < climbs.size(); ++i) {
    climbs[i] *= caps_[active_.rows[i]];
    both[i] =
        weights[i] * active_.bends[i] + climbs[i] * active_.derivatives[i] * active_.derivatives[i];
  }
  Eigen::MatrixXd matrix(size + 1, size + 1);
  matrix.topLeftCorner(size, size) =
      others + weighted_gram(problem_.data(), active_.rows, both, problem_.threads());
  matrix.col(size).head(size) = -problem_.gradient(active_.rows, climbs, active_.derivatives);
  matrix.row(size).head(size) = matrix.col(size).head(size).transpose();
  matrix(size, size) = std::accumulate(climbs.begin(), climbs.end(), 0.0);
  problem_.hold(matrix);
  ScaledFactor factor;
  factor.compute(std::move(matrix));
  Eigen::VectorXd sides(size + 1);
  sides << right, by_level;
  return factor.solve(sides);
}

double SmoothedRisk::find_step() {
  active_ = active_rows();
  std::vector<double> weights;  // of smooth losses without the mean's, which have a matrix
  for (const Index r : active_.rows) {
    weights.push_back(has_kinks() ? q_.weights[r] : caps_[r] * places_[r]);
  }
  Eigen::MatrixXd others = problem_.ridge().asDiagonal();
  if (!has_kinks() && mass_ < 1) others += mean_hessian();
  step_ = solve(weights, others, -gradient(), 0).head(problem_.size());
  decrement_ = -gradient().dot(step_);
  const bool is_usable = step_.allFinite() && decrement_ >= 0;
  return is_usable ? decrement_ : std::numeric_limits<double>::infinity();
}

bool SmoothedRisk::move() {
  constexpr int kMostHalvings = 10;
  const Eigen::VectorXd from = theta_;
  const double before = totals_.value;
  const double steepness = gradient().norm();
  if (!step_.allFinite() || !(decrement_ > 0)) return false;
  double length = 1;
  for (int halving = 0; halving < kMostHalvings; ++halving, length *= 0.5) {
    move_to(from + length * step_);
    measure();
    const double fall = before - totals_.value;
    if (!(fall >= 1e-4 * length * decrement_ - 4 * kEpsilon * before)) continue;
    find_rho();
    is_hessian_old_ = gradient().norm() > 0.5 * steepness;
    return true;
  }
  return false;
}

// Moves derivatives and weights of active rows as a step of theta and level would to first order:
// Newton's method on the dual's equations. False where nothing can move.
bool SmoothedRisk::balance() {
  std::vector<double> weights;
  for (const Index r : active_.rows) weights.push_back(q_.weights[r]);
  double over = -mass_;
  for (std::size_t r = 0; r < places_.size(); ++r) over += caps_[r] * places_[r];
  const Eigen::Index size = problem_.size();
  const Eigen::VectorXd step = solve(weights, Eigen::MatrixXd::Zero(size, size), gradient(), -over);
  if (!step.allFinite()) return false;
  std::vector<double> moves;
  problem_.linear_scores(step.head(size), active_.rows, moves);
  const Conjugate conjugate(problem_.loss());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Index r = active_.rows[i];
    const Conjugate::Domain domain = conjugate.domain(problem_.target(r));
    const double climb = active_.climbs[i] * (active_.derivatives[i] * moves[i] - step(size));
    places_[r] = std::clamp(places_[r] - climb, 0.0, 1.0);
    q_.weights[r] = lows_[r] + caps_[r] * places_[r];
    derivatives_[r] =
        std::clamp(derivatives_[r] - active_.bends[i] * moves[i], domain.low, domain.high);
    moves[i] = q_.weights[r] * derivatives_[r] - weights[i] * active_.derivatives[i];
  }
  rho_ += problem_.gradient(active_.rows, moves, std::vector<double>(moves.size(), 1.0));
  ++rho_passes_;
  return true;
}

DualBound SmoothedRisk::balanced_bound(double radius, double gap) {
  constexpr int kMostPasses = 4;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double size = gradient().norm();
    if (radius * size <= gap || !(size < 0.5 * last)) break;
    if (pass > 0) active_ = active_rows();
    if (!balance()) break;
    last = size;
  }
  return bound();
}

// Each pass of rho's sums is made in blocks of rows one after the other: off by a rounding of all
// terms' sizes for each of a block's rows and each block; terms that change do not get larger by
// more than half. Weights may add up to too much, or exceed their limits by a few roundings, of
// caps that are 1 / tail times the shares that they are relative to: all of them are made that much
// smaller.
DualBound SmoothedRisk::bound() {
  limit_derivatives(problem_, q_.rows, derivatives_);
  const std::vector<double>& norms = problem_.row_norms();
  detail::AccurateSum mass;
  DualBound found;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    if (places_[r] > 0) mass.add(caps_[r] * places_[r]);
    found.rho.sizes += q_.weights[r] * std::abs(derivatives_[r]) * norms[r];
  }
  const double less =
      std::max(0.0, mass.value() - mass_) / mass_ + 64 * kEpsilon / problem_.tail_share();
  found.value = (1 - less) * dual_value(problem_, q_, derivatives_);
  found.rho.value = rho_;
  const auto chain = static_cast<double>(kRowBlock + places_.size() / kRowBlock + 32);
  found.rho.error = 2 * rho_passes_ * chain * kEpsilon * found.rho.sizes;
  return found;
}

}  // namespace

SmoothedOutcome minimise_smoothed(const Problem& problem, const SmoothedStart& start,
                                  const SearchOptions& options) {
  constexpr int kMostSteps = 30;
  constexpr double kShare = 0.35;  // of the tolerance, for the smoothing and for the gradient
  constexpr double kStart = 0.003;
  constexpr double kLess = 0.03;
  SmoothedRisk smoothed(problem, start.theta, start.widths);
  SmoothedOutcome outcome{start.theta, smoothed.risk(), start.known, start.widths};
  const auto value_of = [&](const SmoothedOutcome& found) {
    return problem.settings().risk.of(found.risk) + problem.penalty(found.theta);
  };
  Certificate& certificate = outcome.certificate;
  certificate.upper = value_of(outcome);
  if (start.theta.norm() > certificate.radius) certificate.lower = 0;
  const bool is_known = certificate.lower > 0 && problem.outputs() == 1;
  if (!is_known || is_within(certificate, options.tolerance)) return outcome;
  const double goal = kShare * options.tolerance * certificate.upper;
  double allowed = std::max(goal, kStart * (certificate.upper - certificate.lower));
  bool has_moved = false;
  bool goes_on = smoothed.set_widths(allowed);
  for (int count = 0; goes_on && count < kMostSteps && !is_set(options.stop); ++count) {
    if (smoothed.find_step() > allowed) {
      goes_on = has_moved = smoothed.move();
    } else if (allowed > goal) {
      allowed = std::max(goal, kLess * allowed);
      goes_on = smoothed.set_widths(allowed);
    } else {
      if (has_moved) outcome.risk = smoothed.risk();
      outcome.theta = smoothed.theta();
      outcome.widths = smoothed.widths();
      certificate.upper = value_of(outcome);
      certificate.radius = radius_for(options.radius, outcome.theta);
      certificate.lower =
          smoothed.balanced_bound(certificate.radius, goal).lower(problem, certificate.radius);
      if (is_within(certificate, options.tolerance)) break;
      goes_on = has_moved = smoothed.move() && smoothed.set_widths(goal);
    }
  }
  return outcome;
}

}  // namespace adacvar
