#pragma once

#include "solver/conjugate.hpp"
#include "solver/dual_bound.hpp"
#include "solver/mobility.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace adacvar {

/// Moves slopes, and weights between 0 and their cap, to where the bound can be read off.
class DualPoint {
 public:
  DualPoint(const Problem& problem, const Eigen::VectorXd& theta, Models models, double cap,
            RowLaw law, std::vector<double> slopes)
      : problem_(problem),
        conjugate_(problem.loss()),
        pull_(problem.ridge().cwiseProduct(theta)),
        models_(models),
        cap_(cap),
        law_(std::move(law)),
        slopes_(std::move(slopes)),
        outputs_(problem.outputs()) {}

  /// Within its limits.
  [[nodiscard]] RowLaw take_law() {
    const double over = excess();
    for (double& weight : law_.weights) weight /= over;
    return std::move(law_);
  }
  [[nodiscard]] std::vector<double> take_slopes() { return std::move(slopes_); }

  // Weights and slopes this small, the cap and 1 being whole, become 0: where models go to infinity
  // next to nothing is left of them, but rho must vanish all the same. Slopes at the border of
  // their domain, which could not move, come off it by as much.
  void give_room(double share) {
    for (double& weight : law_.weights) {
      if (weight < share * cap_) weight = 0;
    }
    for (double& slope : slopes_) {
      slope = std::abs(slope) < share ? 0.0 : slope * (1 - share);
    }
    clip();
  }

  // Makes rho vanish but for rounding. Where that would take slopes beyond 0, they become 0 and the
  // others balance what is left, unless it is more than `limit`: then false.
  bool balance(double limit) {
    constexpr int kMostRounds = 3;
    for (int round = 0; round < kMostRounds; ++round) {
      remove_residual();
      if (!clip()) return true;
      if (mobility_->norm(unbalanced(residual())) > limit) return false;
    }
    return true;
  }

  // Domains are convex and hold 0, so scaling leads into them and keeps rho = 0.
  void shrink_into_domain() {
    double factor = 1;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) factor = std::min(factor, allowed_factor(r));
    if (factor == 1) return;
    factor *= 1 - 4 * kEpsilon;
    for (double& slope : slopes_) slope *= factor;
  }

  /// Of the point where rho vanishes.
  struct Value {
    double bound = 0;
    double cost = 0;  // of going there
  };

  // sum of -q L*(u), less its rounding error: a bound where rho = 0.
  [[nodiscard]] double value() const {
    detail::AccurateSum sum;
    double sizes = 0;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      const Conjugate::Term term = minus_conjugate(r);
      sum.add_product(law_.weights[r], term.value);
      sizes += law_.weights[r] * term.size;
    }
    return sum.value() - (6 + 2 * static_cast<double>(outputs_)) * kEpsilon * sizes;
  }

  // Nothing when it is not more than `least`, or not proved.
  [[nodiscard]] std::optional<Value> value_above(double least) {
    const double total = value();
    if (!(total > least)) return std::nullopt;
    const Eigen::VectorXd rho = residual();
    const Eigen::VectorXd errors = rounding_of(rho);
    const std::optional<double> length = length_of_move(rho, errors);
    if (!length) return std::nullopt;
    const Change change = change_by(*length);
    if (!change.is_inside) return std::nullopt;
    const double paid = paid_by_ridge(rho, errors, *length);
    const double found = total - (1 + 16 * kEpsilon) * paid - change.value;
    return Value{found / excess(change.weight) * (1 - 8 * kEpsilon), change.value};
  }

 private:
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  static constexpr double kLeastRidge = 1e-8;
  // Beside the largest: less does not move.
  static constexpr double kLeastMobility = 1e-12;

  // Newton's steps on the constraint, as long as they lead somewhere. The matrix is kept while it
  // does its work.
  void remove_residual() {
    constexpr int kMostPasses = 10;
    double last = std::numeric_limits<double>::infinity();
    std::vector<double> best_slopes = slopes_;
    std::vector<double> best_weights = law_.weights;
    find_mobility();
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const Eigen::VectorXd residual = unbalanced(this->residual());
      const double size = mobility_->norm(residual);
      if (!(size <= last)) {
        slopes_ = best_slopes;
        law_.weights = best_weights;
      }
      if (!(size < 0.5 * last) || size == 0) return;
      if (pass > 0 && size > 0.01 * last) find_mobility();
      last = size;
      best_slopes = slopes_;
      best_weights = law_.weights;
      move_against(residual);
    }
  }

  // 1, or more when the law exceeds 1 or its cap.
  [[nodiscard]] double excess(double added = 0) const {
    detail::AccurateSum sum;
    for (const double weight : law_.weights) sum.add(weight);
    return std::max({1.0, sum.value() + added, *std::ranges::max_element(law_.weights) / cap_});
  }

  [[nodiscard]] double target(std::size_t r) const { return problem_.target(law_.rows[r]); }
  [[nodiscard]] std::size_t own_class(std::size_t r) const {
    return static_cast<std::size_t>(target(r));
  }
  [[nodiscard]] double class_probability(std::size_t r, std::size_t c) const {
    return slopes_[r * outputs_ + c] + (own_class(r) == c ? 1.0 : 0.0);
  }

  // Whether rho must vanish there. A ridge that is next to nothing does not pay for what rounding
  // leaves of it. The slopes of a row's classes add up to 0, so the last class has what the others
  // leave it; and rho of a feature that is a combination of others is that of theirs.
  [[nodiscard]] bool is_bound(Eigen::Index i) const {
    if (problem_.ridge()(i) > kLeastRidge || is_last_class(i) || problem_.is_idle(i)) return false;
    return models_ == Models::all || !problem_.is_held(i);
  }
  [[nodiscard]] bool is_last_class(Eigen::Index i) const {
    return outputs_ > 1 && i >= width() * static_cast<Eigen::Index>(outputs_ - 1);
  }
  [[nodiscard]] Eigen::Index width() const {
    return static_cast<Eigen::Index>(problem_.data().features + 1);
  }
  [[nodiscard]] std::vector<Eigen::Index> bound() const {
    std::vector<Eigen::Index> found;
    for (Eigen::Index i = 0; i < problem_.size(); ++i) {
      if (is_bound(i)) found.push_back(i);
    }
    return found;
  }

  // rho. Of the products weight * slope as rounded: moving each slope by that much changes the
  // value within what is set aside for rounding, and one at the border that leaves its domain by a
  // last digit comes back when all are scaled by that much. With several classes the product of a
  // row's own is minus the sum of the others, and what rounding takes from that counts, too.
  [[nodiscard]] Eigen::VectorXd residual() const {
    std::vector<double> products(slopes_.size());
    for (std::size_t e = 0; e < products.size(); ++e) {
      products[e] = law_.weights[e / outputs_] * slopes_[e];
    }
    if (outputs_ == 1) return problem_.accurate_gradient(law_.rows, products);
    std::vector<double> taken(slopes_.size());
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      detail::AccurateSum sum;
      for (std::size_t c = 0; c < outputs_; ++c) {
        if (own_class(r) != c) sum.add(-products[r * outputs_ + c]);
      }
      const std::size_t own = r * outputs_ + own_class(r);
      products[own] = sum.value();
      sum.add(-products[own]);
      taken[own] = sum.value();
    }
    return problem_.accurate_gradient(law_.rows, products) +
           problem_.accurate_gradient(law_.rows, taken);
  }

  // What rho must lose: all, but for what the ridge makes of it at the optimum.
  [[nodiscard]] Eigen::VectorXd unbalanced(Eigen::VectorXd residual) const {
    return std::move(residual) + pull_;
  }

  // Limits of the errors of residual(), of sums in twice the precision [ORO05].
  [[nodiscard]] Eigen::VectorXd rounding_of(const Eigen::VectorXd& rho) const {
    double products = 0;
    for (std::size_t e = 0; e < slopes_.size(); ++e) {
      products += std::abs(law_.weights[e / outputs_] * slopes_[e]);
    }
    const double chain = 4 * kEpsilon * static_cast<double>(Problem::chain_of(law_.rows.size()));
    const double classes = 4 * kEpsilon * static_cast<double>(outputs_);
    const double share = chain * chain + classes * classes;
    const double whole = share * products * problem_.largest_entry(law_.rows);
    return ((2 * kEpsilon) * (rho + pull_).cwiseAbs() + 2 * kEpsilon * pull_.cwiseAbs()).array() +
           whole;
  }

  // A column that is left out, being a combination of others, has their rho, not what a ridge of
  // its own pulls. If there are any of next to no ridge, none of those pulls: all rho vanish.
  void find_mobility() {
    mobility_.emplace(problem_, edges(), bound());
    for (const Eigen::Index i : bound()) {
      if (problem_.ridge()(i) > 0 && !mobility_->balances(i)) pulls_ = false;
    }
    if (pulls_) return;
    for (Eigen::Index i = 0; i < pull_.size(); ++i) {
      if (problem_.ridge()(i) <= kLeastRidge) pull_(i) = 0;
    }
  }

  // How far a weight may move: not at all at 0 and at the cap.
  [[nodiscard]] double weight_mobility(std::size_t r) const {
    return std::max(0.0, law_.weights[r] * (1 - law_.weights[r] / cap_));
  }

  [[nodiscard]] double mobility(std::size_t r) const {
    const double slope = slopes_[r];
    return law_.weights[r] * conjugate_.mobility(slope, target(r)) +
           weight_mobility(r) * slope * slope;
  }

  // Neither class loses more than its own share of t.
  [[nodiscard]] double class_mobility(std::size_t r, std::size_t c) const {
    return law_.weights[r] * std::max(0.0, class_probability(r, c)) *
           std::max(0.0, class_probability(r, own_class(r)));
  }

  [[nodiscard]] std::vector<Edge> edges() const {
    std::vector<Edge> found;
    double most = 0;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      if (law_.weights[r] == 0) continue;
      if (outputs_ == 1) {
        found.push_back({law_.rows[r], 0, 0, r, mobility(r)});
        most = std::max(most, found.back().mobility);
        continue;
      }
      const std::size_t own = own_class(r);
      for (std::size_t c = 0; c < outputs_; ++c) {
        if (c == own || slopes_[r * outputs_ + c] == 0) continue;
        found.push_back({law_.rows[r], static_cast<std::uint32_t>(c),
                         static_cast<std::uint32_t>(own), r, class_mobility(r, c)});
        most = std::max(most, found.back().mobility);
      }
    }
    std::erase_if(found, [&](Edge& edge) {
      if (edge.mobility < kLeastMobility * most) edge.mobility = 0;
      return edge.mobility == 0 && slopes_[edge.position * outputs_ + edge.plus] == 0;
    });
    return found;
  }

  void move_against(const Eigen::VectorXd& residual) {
    const Eigen::VectorXd step = mobility_->step(residual);
    if (!step.allFinite()) return;
    problem_.scores(step, law_.rows, moves_);
    for (const Edge& edge : mobility_->edges()) {
      if (edge.mobility == 0) continue;
      const std::size_t r = edge.position;
      if (outputs_ == 1) {
        move_row(r, edge.mobility * moves_[r], moves_[r]);
      } else {
        const double turn = moves_[r * outputs_ + edge.plus] - moves_[r * outputs_ + edge.minus];
        double& slope = slopes_[r * outputs_ + edge.plus];
        slope = difference(slope, edge.mobility / law_.weights[r] * turn);
      }
    }
    if (outputs_ == 1) return;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) complete(r);
  }

  // What is left when all is taken away is 0, not rounding.
  static double difference(double from, double taken) {
    const double left = from - taken;
    return std::abs(left) < 1e-10 * std::abs(from) ? 0.0 : left;
  }

  // Of the product's change, the weight takes its part and the slope the rest.
  void move_row(std::size_t r, double change, double turn) {
    double& weight = law_.weights[r];
    const double product = difference(weight * slopes_[r], change);
    const double room = std::max(0.0, cap_ - weight);
    weight += std::clamp(-weight_mobility(r) * slopes_[r] * turn, -weight / 2, room);
    slopes_[r] = product / weight;
  }

  // The slope of the row's own class is minus the sum of the others.
  void complete(std::size_t r) {
    double sum = 0;
    for (std::size_t c = 0; c < outputs_; ++c) {
      if (own_class(r) != c) sum += slopes_[r * outputs_ + c];
    }
    slopes_[r * outputs_ + own_class(r)] = -sum;
  }

  // Whether any probability is changed.
  bool clip() {
    double most = 0;
    for (const double slope : slopes_) most = std::max(most, std::abs(slope));
    bool is_changed = false;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      is_changed = clip(r, kLeastMobility * most) || is_changed;
    }
    return is_changed;
  }

  // Scaling cannot mend a probability below 0, and one that is next to nothing, beside the
  // largest, could not move.
  bool clip(std::size_t r, double least) {
    if (outputs_ == 1) {
      const double clipped = conjugate_.clipped(slopes_[r], target(r), least);
      return std::exchange(slopes_[r], clipped) != clipped;
    }
    bool is_changed = false;
    for (std::size_t c = 0; c < outputs_; ++c) {
      double& slope = slopes_[r * outputs_ + c];
      if (own_class(r) == c || slope == 0 || slope >= least) continue;
      slope = 0;
      is_changed = true;
    }
    complete(r);
    return is_changed;
  }

  [[nodiscard]] double allowed_factor(std::size_t r) const {
    if (outputs_ == 1) return conjugate_.allowed_factor(slopes_[r], target(r));
    const double lost = -slopes_[r * outputs_ + own_class(r)];
    return lost > 1 ? 1 / lost : 1.0;
  }

  // -L*(u) of one row.
  [[nodiscard]] Conjugate::Term minus_conjugate(std::size_t r) const {
    if (outputs_ == 1) return conjugate_.minus_value(slopes_[r], target(r));
    std::vector<double> probabilities(outputs_);
    for (std::size_t c = 0; c < outputs_; ++c) probabilities[c] = class_probability(r, c);
    return Conjugate::entropy(probabilities);
  }

  // Whether the edges may still move half as far as the matrix has it.
  [[nodiscard]] bool matrix_holds() const {
    return std::ranges::all_of(mobility_->edges(), [&](const Edge& edge) {
      const std::size_t r = edge.position;
      const double now = outputs_ == 1 ? mobility(r) : class_mobility(r, edge.plus);
      return now >= 0.5 * edge.mobility;
    });
  }

  // sqrt of the sum of mobility * turn^2 over the edges, on the way to where rho vanishes, with
  // half of the mobilities in the matrix.
  [[nodiscard]] std::optional<double> length_of_move(const Eigen::VectorXd& rho,
                                                     const Eigen::VectorXd& errors) {
    if (!matrix_holds()) find_mobility();
    const std::optional<double> found = mobility_->most(unbalanced(rho), errors);
    if (!found) return std::nullopt;
    return std::numbers::sqrt2 * *found;
  }

  struct Change {
    double value = 0;
    double weight = 0;      // all weights together may grow by so much
    bool is_inside = true;  // of the domains and below the cap
  };

  // What a move of that length costs at most, by the Cauchy-Schwarz inequality. The value is
  // concave in products and weights, so rates at its end say how much is lost.
  [[nodiscard]] Change change_by(double length) const {
    Change change;
    double by_products = 0;
    double by_weights = 0;
    double weights = 0;
    for (const Edge& edge : mobility_->edges()) {
      if (edge.mobility == 0) continue;
      const std::size_t r = edge.position;
      const double turn = length / std::sqrt(0.5 * edge.mobility);
      if (outputs_ > 1) {
        const double ratio = class_probability(r, edge.plus) / class_probability(r, edge.minus);
        const double rate = std::abs(std::log(ratio)) + std::numbers::ln2;
        change.is_inside = change.is_inside && turn <= 0.25;
        by_products += edge.mobility * rate * rate;
        continue;
      }
      const Conjugate::Rates rates = conjugate_.rates(slopes_[r], target(r));
      const double free = weight_mobility(r);
      change.is_inside =
          change.is_inside && turn <= conjugate_.most_turn() && turn * std::abs(slopes_[r]) <= 0.5;
      by_products += edge.mobility * rates.by_product * rates.by_product;
      by_weights += free * rates.by_weight * rates.by_weight;
      weights += free;
    }
    change.value = (1 + 1e-9) * length * (std::sqrt(by_products) + std::sqrt(by_weights));
    change.weight = (1 + 1e-9) * length * std::sqrt(weights);
    return change;
  }

  // sum of rho_i^2 / (2 ridge), at the end of the way.
  [[nodiscard]] double paid_by_ridge(const Eigen::VectorXd& rho, const Eigen::VectorXd& errors,
                                     double length) const {
    double paid = 0;
    for (Eigen::Index i = 0; i < rho.size(); ++i) {
      const double ridge = problem_.ridge()(i);
      if (ridge == 0) continue;
      const double reach = (1 + 1e-9) * length * mobility_->reach(i);
      const double size = std::min(std::abs(rho(i)) + errors(i) + reach, size_if_balanced(i));
      paid += size / ridge * size / 2;
    }
    return paid;
  }

  // Where rho must vanish, it becomes what the ridge pulls; that of the last class is minus the sum
  // of the others.
  [[nodiscard]] double size_if_balanced(Eigen::Index i) const {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (problem_.ridge()(i) > kLeastRidge) return kUnknown;
    if (!pulls_) return 0;
    if (!is_last_class(i)) return mobility_->balances(i) ? std::abs(pull_(i)) : kUnknown;
    double sum = 0;
    double sizes = 0;
    for (Eigen::Index other = i - width(); other >= 0; other -= width()) {
      if (!mobility_->balances(other)) return kUnknown;
      sum += pull_(other);
      sizes += std::abs(pull_(other));
    }
    return std::abs(sum) + kEpsilon * static_cast<double>(outputs_) * sizes;
  }

  const Problem& problem_;
  Conjugate conjugate_;
  Eigen::VectorXd pull_;  // of the ridge
  bool pulls_ = true;     // where it is next to nothing
  Models models_;
  double cap_;
  RowLaw law_;
  std::vector<double> slopes_;
  std::size_t outputs_;
  std::optional<Mobility> mobility_;
  std::vector<double> moves_;
};

}  // namespace adacvar
