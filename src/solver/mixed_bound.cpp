#include "solver/mixed_bound.hpp"

#include "solver/conjugate.hpp"
#include "solver/gram.hpp"
#include "solver/row_terms.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

// Share of the bound that what is left of the residual may cost.
constexpr double kEnough = 1e-6;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A mixture of two points, whose entries of some rows are then replaced.
class MixedPoint {
 public:
  MixedPoint(const Problem& problem, const DualRows& one, const DualRows& other, double share)
      : problem_(problem),
        outputs_(problem.outputs()),
        q_{std::vector<Index>(problem.rows()), std::vector<double>(problem.rows())},
        derivatives_(problem.rows() * outputs_),
        products_(derivatives_.size()) {
    for_each_row(problem.rows(), problem.threads(), [&](std::size_t r) {
      q_.rows[r] = static_cast<Index>(r);
      q_.weights[r] = (1 - share) * one.weights[r] + share * other.weights[r];
      for (std::size_t e = r * outputs_; e < (r + 1) * outputs_; ++e) {
        products_[e] = (1 - share) * one.products[e] + share * other.products[e];
        derivatives_[e] = q_.weights[r] > 0 ? products_[e] / q_.weights[r] : 0.0;
      }
    });
    rho_.value = (1 - share) * one.rho.value + share * other.rho.value;
    rho_.sizes = (1 - share) * one.rho.sizes + share * other.rho.sizes;
    rho_.error = (1 - share) * one.rho.error + share * other.rho.error;
  }

  // Weights may exceed their limits by a few roundings, of caps that are 1 / tail times the shares
  // that they are relative to: all of them are made that much smaller. Products are off by some
  // roundings of their terms.
  [[nodiscard]] DualBound bound(double less = 0) const {
    DualBound found;
    found.value =
        (1 - less - 64 * kEpsilon / problem_.tail_share()) * dual_value(problem_, q_, derivatives_);
    found.rho = rho_;
    found.rho.error += (32 + 4 * static_cast<double>(outputs_)) * kEpsilon * rho_.sizes;
    return found;
  }

 protected:
  const Problem& problem_;
  std::size_t outputs_;
  RowWeights q_;
  std::vector<double> derivatives_;
  std::vector<double> products_;  // of the mixture
  DualResidual rho_;              // of the mixture
};

/// Entries that follow a model instead: rows above the level have all of their cap, those below
/// nothing, and near it a share between; the same for derivatives of losses with a kink.
class BorderPoint : public MixedPoint {
 public:
  BorderPoint(const MixedPoint& mixture, const EvaluatedModel& near)
      : MixedPoint(mixture),
        conjugate_(problem_.loss()),
        place_(problem_.rows()),
        turn_(is_smooth(problem_.loss()) ? 0 : problem_.rows()) {
    place_rows(near.losses);
    if (!turn_.empty()) turn_rows(near.theta);
    for_each_row(problem_.rows(), problem_.threads(), [&](std::size_t r) { set_first(r); });
    std::vector<Index> others;
    for (std::size_t r = 0; r < problem_.rows(); ++r) {
      const bool moves = is_between(place_[r]) || (!turn_.empty() && is_between(turn_[r]));
      (moves ? border_ : others).push_back(static_cast<Index>(r));
    }
    others_rho_ = plus_change(rho_, others);
  }

  const DualResidual& residual() { return rho_ = plus_change(others_rho_, border_); }

  // Weights that add up to too much are all made smaller: those of the tail are at least its mass.
  [[nodiscard]] DualBound bound() const {
    return MixedPoint::bound(std::max(0.0, excess()) / (1 - problem_.settings().risk.gamma));
  }

  // Excess of the free weights over what they may add up to.
  [[nodiscard]] double excess() const {
    detail::AccurateSum sum;
    for (std::size_t r = 0; r < place_.size(); ++r) {
      sum.add(problem_.cap(static_cast<Index>(r)) * place_[r]);
    }
    return sum.value() - (1 - problem_.settings().risk.gamma);
  }

  // A step of Newton's method: makes `rho` vanish, and the free weights add up, but for terms of
  // second order. False where nothing can move.
  bool move_against(const Eigen::VectorXd& rho) {
    const Eigen::Index size = problem_.size();
    std::vector<double> by_place(border_.size());
    std::vector<double> both(border_.size());
    std::vector<double> mixed(border_.size());
    double corner = 0;
    for (std::size_t b = 0; b < border_.size(); ++b) {
      const Index r = border_[b];
      const double u = derivatives_[r];
      by_place[b] = problem_.cap(r) * mobility(place_[r]);
      both[b] = by_place[b] * u * u;
      if (!turn_.empty()) both[b] += q_.weights[r] * range(r) * mobility(turn_[r]);
      mixed[b] = by_place[b] * u;
      corner += by_place[b];
    }
    const std::vector<double> ones(border_.size(), 1.0);
    Eigen::MatrixXd matrix(size + 1, size + 1);
    matrix.topLeftCorner(size, size) =
        weighted_gram(problem_.data(), border_, both, problem_.threads());
    matrix.col(size).head(size) = -problem_.gradient(border_, mixed, ones);
    matrix.row(size).head(size) = matrix.col(size).head(size).transpose();
    matrix(size, size) = corner;
    problem_.hold(matrix);
    Eigen::VectorXd right(size + 1);
    right.head(size) = rho;
    right(size) = -excess();
    problem_.hold(right);
    ScaledFactor factor;
    factor.compute(std::move(matrix));
    const Eigen::VectorXd step = factor.solve(right);
    if (!step.allFinite()) return false;
    std::vector<double> moves;
    problem_.linear_scores(step.head(size), border_, moves);
    for (std::size_t b = 0; b < border_.size(); ++b) {
      const Index r = border_[b];
      place_[r] -= mobility(place_[r]) * (derivatives_[r] * moves[b] - step(size));
      if (!turn_.empty()) turn_[r] -= mobility(turn_[r]) * moves[b];
      set(r);
    }
    return true;
  }

 private:
  // Interior points leave all rows off their limits by a little.
  static bool is_between(double share) { return share > kAtLimit && share < 1 - kAtLimit; }
  static double mobility(double share) { return std::max(0.0, share * (1 - share)); }

  // Shares of the way through a band around 0 that holds `count` of the values.
  static void through_band(std::vector<double>& values, std::size_t count) {
    std::vector<double> sizes(values.size());
    for (std::size_t r = 0; r < values.size(); ++r) sizes[r] = -std::abs(values[r]);
    const double share = static_cast<double>(count) / static_cast<double>(values.size());
    const double half = -value_at_risk(sizes, std::min(1.0, share));
    for (double& value : values) {
      value = half > 0 ? std::clamp(0.5 + 0.5 * value / half, 0.0, 1.0) : value > 0 ? 1.0 : 0.0;
    }
  }

  [[nodiscard]] std::size_t band() const {
    return static_cast<std::size_t>(kBand * std::sqrt(static_cast<double>(problem_.size()) *
                                                      static_cast<double>(problem_.rows())));
  }

  void place_rows(const std::vector<double>& losses) {
    const double level = problem_.tail_level(losses);
    for (std::size_t r = 0; r < losses.size(); ++r) place_[r] = losses[r] - level;
    through_band(place_, band());
  }

  void turn_rows(const Eigen::VectorXd& theta) {
    problem_.scores(theta, q_.rows, turn_);
    for (std::size_t r = 0; r < turn_.size(); ++r)
      turn_[r] -= kink(problem_, static_cast<Index>(r));
    through_band(turn_, band());
  }

  // With what has changed in these rows since the mixture.
  [[nodiscard]] DualResidual plus_change(const DualResidual& from,
                                         std::span<const Index> among) const {
    std::vector<Index> rows;
    std::vector<double> changes;
    for (const Index r : among) {
      const double change = q_.weights[r] * derivatives_[r] - products_[r];
      if (std::abs(change) <= 4 * kEpsilon * std::abs(products_[r])) continue;
      rows.push_back(r);
      changes.push_back(change);
    }
    const DualResidual change =
        dual_residual(problem_, rows, changes, std::vector<double>(rows.size(), 1.0));
    return {from.value + change.value, from.error + change.error, from.sizes + 2 * change.sizes};
  }

  // Rows that the mixture has in the same place stay as they are: most of them.
  void set_first(std::size_t r) {
    const auto row = static_cast<Index>(r);
    const double place = (q_.weights[r] - problem_.low(row)) / problem_.cap(row);
    const double turn =
        turn_.empty()
            ? 0.0
            : (derivatives_[r] - conjugate_.domain(problem_.target(row)).low) / range(row);
    const bool stays =
        std::abs(place - place_[r]) < kSame && (turn_.empty() || std::abs(turn - turn_[r]) < kSame);
    if (!stays) return set(r);
    place_[r] = place;
    if (!turn_.empty()) turn_[r] = turn;
  }

  void set(std::size_t r) {
    const auto row = static_cast<Index>(r);
    place_[r] = std::clamp(place_[r], 0.0, 1.0);
    q_.weights[r] = problem_.low(row) + problem_.cap(row) * place_[r];
    if (turn_.empty()) return;
    turn_[r] = std::clamp(turn_[r], 0.0, 1.0);
    derivatives_[r] = conjugate_.domain(problem_.target(row)).low + range(row) * turn_[r];
  }

  [[nodiscard]] double range(Index row) const {
    const Conjugate::Domain within = conjugate_.domain(problem_.target(row));
    return within.high - within.low;
  }

  static constexpr double kBand = 0.5;
  static constexpr double kSame = 1e-6;
  static constexpr double kAtLimit = 1e-4;
  DualResidual others_rho_;  // with the changes of rows that are not at the border
  Conjugate conjugate_;
  std::vector<double> place_;  // shares of the caps
  std::vector<double> turn_;   // shares of the derivatives' range; empty: those of the mixture
  std::vector<Index> border_;
};

}  // namespace

DualRows::DualRows(const Problem& problem, const DualBound& bound)
    : weights(problem.rows()), products(problem.rows() * problem.outputs()), rho(bound.rho) {
  const std::size_t outputs = problem.outputs();
  for (std::size_t r = 0; r < bound.q.rows.size(); ++r) {
    const std::size_t row = bound.q.rows[r];
    weights[row] += bound.q.weights[r];
    for (std::size_t c = 0; c < outputs; ++c) {
      products[row * outputs + c] += bound.q.weights[r] * bound.derivatives[r * outputs + c];
    }
  }
}

DualBound mixed_bound(const Problem& problem, const DualRows& one, const DualRows& other,
                      double share, const EvaluatedModel& near, double radius,
                      const BoundGoal& goal) {
  constexpr int kMostPasses = 6;
  const MixedPoint mixture(problem, one, other, share);
  DualBound best = mixture.bound();
  const double lower = best.lower(problem, radius);
  if (problem.outputs() > 1 || lower >= goal.enough || lower < goal.hopeless) return best;
  BorderPoint point(mixture, near);
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass <= kMostPasses; ++pass) {
    // The bound is tight where rho = - ridge * theta.
    const Eigen::VectorXd left = point.residual().value + problem.ridge().cwiseProduct(near.theta);
    const double size = left.norm() + std::abs(point.excess());
    if (radius * size <= kEnough * best.value || pass == kMostPasses || !(size < 0.9 * last)) {
      DualBound found = point.bound();
      if (found.lower(problem, radius) > best.lower(problem, radius)) best = std::move(found);
      break;
    }
    last = size;
    if (!point.move_against(left)) break;
  }
  return best;
}

}  // namespace adacvar
