#include "solver/dual_bound.hpp"

#include "solver/gram.hpp"
#include "solver/scaled_factor.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace adacvar {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLeastRidge = 1e-8;

/// Moves slopes, and weights between 0 and their cap, to where the bound can be read off.
class DualPoint {
 public:
  DualPoint(const Problem& problem, const Eigen::VectorXd& theta, double cap, RowLaw law,
            std::vector<double> slopes)
      : problem_(problem),
        pull_(problem.ridge().cwiseProduct(theta)),
        cap_(cap),
        law_(std::move(law)),
        slopes_(std::move(slopes)),
        outputs_(problem.outputs()) {}

  [[nodiscard]] RowLaw& law() { return law_; }

  // Weights and slopes this small, the cap and 1 being whole, become 0: where models go to infinity
  // next to nothing is left of them, but rho must vanish all the same.
  void drop_below(double share) {
    for (double& weight : law_.weights) {
      if (weight < share * cap_) weight = 0;
    }
    for (double& slope : slopes_) {
      if (std::abs(slope) < share) slope = 0;
    }
  }

  // Newton's steps on the constraint, as long as they lead somewhere. The matrix is kept while it
  // does its work.
  void remove_residual() {
    constexpr int kMostPasses = 10;
    double last = std::numeric_limits<double>::infinity();
    std::vector<double> best_slopes = slopes_;
    std::vector<double> best_weights = law_.weights;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const Eigen::VectorXd residual = constrained(this->residual());
      const double size = residual.norm();
      if (!(size <= last)) {
        slopes_ = best_slopes;
        law_.weights = best_weights;
      }
      if (!(size < 0.5 * last) || size == 0) return;
      if (pass == 0 || size > 0.01 * last) factorise();
      last = size;
      best_slopes = slopes_;
      best_weights = law_.weights;
      move_against(residual);
    }
  }

  // Domains are convex and hold 0, so scaling leads into them and keeps rho = 0.
  void shrink_into_domain() {
    double factor = 1;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      clip_negative(r);
      factor = std::min(factor, allowed_factor(r));
    }
    if (factor == 1) return;
    factor *= 1 - 4 * kEpsilon;
    for (double& slope : slopes_) slope *= factor;
  }

  struct Value {
    double bound = 0;
    double residual = 0;  // what rho costs where it should be 0
    double held = 0;      // and where parameters stay 0
  };

  [[nodiscard]] Value value(double radius) const {
    detail::AccurateSum sum;
    double sizes = 0;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      const Term term = minus_conjugate(r);
      sum.add_product(law_.weights[r], term.value);
      sizes += law_.weights[r] * term.size;
    }
    const Eigen::VectorXd rho = residual();
    double paid = 0;  // by the ridge
    double rest = 0;  // squares of what should be 0
    double held = 0;  // of parameters that stay 0
    for (Eigen::Index i = 0; i < rho.size(); ++i) {
      const double ridge = problem_.ridge()(i);
      const double size = std::abs(rho(i));
      // The least of rho_i theta_i + ridge/2 theta_i^2: inside, or at the radius.
      if (ridge == 0) {
        (problem_.is_held(i) ? held : rest) += size * size;
      } else if (size <= ridge * radius) {
        paid += size / ridge * size / 2;
      } else {
        paid += radius * (size - ridge * radius / 2);
      }
    }
    const double total = sum.value() - 8 * kEpsilon * sizes - (1 + 16 * kEpsilon) * paid;
    const double whole = (1 + 8 * kEpsilon) * radius * std::sqrt(rest + held);
    const double cost = (1 + 8 * kEpsilon) * radius * std::sqrt(rest);
    return {total - whole, cost, whole - cost};
  }

 private:
  /// A number, and the size of what it is made of: rounding is relative to that.
  struct Term {
    double value;
    double size;
  };

  // Whether rho need not vanish there. A ridge that is next to nothing does not pay for what
  // rounding leaves of it; of a feature that depends on others no more than rounding is left.
  [[nodiscard]] bool is_free(Eigen::Index i) const {
    return problem_.ridge()(i) > kLeastRidge || problem_.is_held(i);
  }

  // rho. Of the products weight * slope as rounded: moving each slope by that much changes the
  // value within what `value` sets aside.
  [[nodiscard]] Eigen::VectorXd residual() const {
    std::vector<double> products(slopes_.size());
    for (std::size_t e = 0; e < products.size(); ++e) {
      products[e] = law_.weights[e / outputs_] * slopes_[e];
    }
    return problem_.accurate_gradient(law_.rows, products);
  }

  // What rho must lose: all, but for what the ridge makes of it at the optimum.
  [[nodiscard]] Eigen::VectorXd constrained(Eigen::VectorXd residual) const {
    residual += pull_;
    for (Eigen::Index i = 0; i < residual.size(); ++i) {
      if (is_free(i)) residual(i) = 0;
    }
    return residual;
  }

  // How far a slope may move: 0 at the border of its domain. Softmax has its own rule.
  [[nodiscard]] double mobility(std::size_t r) const {
    const double slope = slopes_[r];
    const Loss& loss = problem_.loss();
    switch (loss.kind()) {
      case LossKind::huber: {
        const double share = slope / loss.delta();
        return std::max(0.0, 1 - share * share);
      }
      case LossKind::absolute:
        return std::max(0.0, 1 - slope * slope);
      case LossKind::pinball:
        return std::max(0.0, (slope + loss.tau()) * (1 - loss.tau() - slope));
      case LossKind::logistic:
      case LossKind::hinge: {
        const double p = probability(r);
        return std::max(0.0, p * (1 - p));
      }
      case LossKind::squared:
      case LossKind::softmax:
        break;
    }
    return 1.0;
  }

  // Of a margin's loss: the slope is -p for class 1 and p for class 0.
  [[nodiscard]] double sign(std::size_t r) const {
    return problem_.target(law_.rows[r]) > 0.5 ? 1.0 : -1.0;
  }
  [[nodiscard]] double probability(std::size_t r) const { return -sign(r) * slopes_[r]; }
  [[nodiscard]] std::size_t own_class(std::size_t r) const {
    return static_cast<std::size_t>(problem_.target(law_.rows[r]));
  }
  [[nodiscard]] bool is_margin_loss() const {
    return problem_.loss().kind() == LossKind::logistic ||
           problem_.loss().kind() == LossKind::hinge;
  }
  [[nodiscard]] double class_probability(std::size_t r, std::size_t c) const {
    return slopes_[r * outputs_ + c] + (own_class(r) == c ? 1.0 : 0.0);
  }

  // How far a weight may move: not at all at 0 and at the cap.
  [[nodiscard]] double weight_mobility(std::size_t r) const {
    return std::max(0.0, law_.weights[r] * (1 - law_.weights[r] / cap_));
  }

  // Of the products weight * slope. Rows of next to no weight move like the others, but need not be
  // in the matrix.
  [[nodiscard]] Eigen::MatrixXd mobility_matrix() const {
    const double least = 1e-6 * *std::ranges::max_element(law_.weights);
    std::vector<Index> rows;
    std::vector<double> weights;
    std::vector<double> outer;
    std::vector<double> slopes;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      if (law_.weights[r] < least) continue;
      rows.push_back(law_.rows[r]);
      if (outputs_ == 1) {
        const double slope = slopes_[r];
        weights.push_back(law_.weights[r] * mobility(r) + weight_mobility(r) * slope * slope);
        continue;
      }
      weights.push_back(law_.weights[r]);
      outer.push_back(weight_mobility(r));
      const auto own = std::span(slopes_).subspan(r * outputs_, outputs_);
      slopes.insert(slopes.end(), own.begin(), own.end());
    }
    if (outputs_ > 1) return problem_.hessian(rows, weights, outer, slopes);
    return weighted_gram(problem_.data(), rows, weights, problem_.threads());
  }

  void factorise() {
    Eigen::MatrixXd matrix = mobility_matrix();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      if (!is_free(i)) continue;
      matrix.row(i).setZero();
      matrix.col(i).setZero();
      matrix(i, i) = 1;
    }
    factor_.compute(std::move(matrix));
  }

  void move_against(const Eigen::VectorXd& residual) {
    const Eigen::VectorXd step = factor_.solve(residual);
    if (!step.allFinite()) return;
    problem_.scores(step, law_.rows, moves_);
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      double along = 0;
      for (std::size_t e = r * outputs_; e < (r + 1) * outputs_; ++e) {
        along += slopes_[e] * moves_[e];
      }
      double& weight = law_.weights[r];
      const double most = std::max(weight, cap_);
      weight = std::clamp(weight - weight_mobility(r) * along, 0.0, most);
      if (outputs_ == 1) {
        slopes_[r] -= mobility(r) * moves_[r];
      } else {
        move_classes(r, std::span(moves_).subspan(r * outputs_, outputs_));
      }
    }
  }

  // By (diag(p) - pp') m, which keeps the sum of the probabilities.
  void move_classes(std::size_t r, std::span<const double> moves) {
    double mean = 0;
    for (std::size_t c = 0; c < outputs_; ++c) mean += class_probability(r, c) * moves[c];
    std::vector<double> changes(outputs_);
    for (std::size_t c = 0; c < outputs_; ++c) {
      changes[c] = class_probability(r, c) * (moves[c] - mean);
    }
    for (std::size_t c = 0; c < outputs_; ++c) slopes_[r * outputs_ + c] -= changes[c];
  }

  // Scaling cannot mend a probability below 0.
  void clip_negative(std::size_t r) {
    if (is_margin_loss()) {
      if (probability(r) < 0) slopes_[r] = 0;
      return;
    }
    if (outputs_ == 1) return;
    double sum = 0;
    for (std::size_t c = 0; c < outputs_; ++c) {
      if (own_class(r) == c) continue;
      double& slope = slopes_[r * outputs_ + c];
      slope = std::max(slope, 0.0);
      sum += slope;
    }
    slopes_[r * outputs_ + own_class(r)] = -sum;
  }

  [[nodiscard]] double allowed_factor(std::size_t r) const {
    const Loss& loss = problem_.loss();
    const double slope = slopes_[r * outputs_];
    const auto within = [](double size, double most) { return size > most ? most / size : 1.0; };
    switch (loss.kind()) {
      case LossKind::huber:
        return within(std::abs(slope), loss.delta());
      case LossKind::absolute:
        return within(std::abs(slope), 1.0);
      case LossKind::pinball:
        return slope > 0 ? within(slope, 1 - loss.tau()) : within(-slope, loss.tau());
      case LossKind::logistic:
      case LossKind::hinge:
        return within(probability(r), 1.0);
      case LossKind::softmax:
        return within(-slopes_[r * outputs_ + own_class(r)], 1.0);
      case LossKind::squared:
        break;
    }
    return 1.0;
  }

  // -L*(u) of one row.
  [[nodiscard]] Term minus_conjugate(std::size_t r) const {
    const double slope = slopes_[r * outputs_];
    switch (problem_.loss().kind()) {
      case LossKind::squared:
        return quadratic(slope, slope / 4, problem_.target(law_.rows[r]));
      case LossKind::huber:
        return quadratic(slope, slope / 2, problem_.target(law_.rows[r]));
      case LossKind::absolute:
      case LossKind::pinball:
        return quadratic(slope, 0, problem_.target(law_.rows[r]));
      case LossKind::hinge:
        return {probability(r), probability(r)};
      case LossKind::logistic:
        return entropy(std::array{probability(r), 1 - probability(r)});
      case LossKind::softmax:
        break;
    }
    std::vector<double> probabilities(outputs_);
    for (std::size_t c = 0; c < outputs_; ++c) probabilities[c] = class_probability(r, c);
    return entropy(probabilities);
  }

  [[nodiscard]] static Term quadratic(double slope, double part, double target) {
    return {-slope * (part + target), std::abs(slope) * (2 * std::abs(part) + std::abs(target))};
  }

  // A probability is known to an absolute error of its slope's rounding.
  [[nodiscard]] static Term entropy(std::span<const double> probabilities) {
    Term term{0, 0};
    for (const double p : probabilities) {
      if (p <= 0) continue;
      term.value -= p * std::log(p);
      term.size += 1 - std::log(p);
    }
    return term;
  }

  const Problem& problem_;
  Eigen::VectorXd pull_;  // of the ridge
  double cap_;
  RowLaw law_;
  std::vector<double> slopes_;
  std::size_t outputs_;
  ScaledFactor factor_;
  std::vector<double> moves_;
};

// 1, or more when the law exceeds 1 or its cap.
double excess(const RowLaw& law, double cap) {
  detail::AccurateSum sum;
  for (const double weight : law.weights) sum.add(weight);
  return std::max({1.0, sum.value(), *std::ranges::max_element(law.weights) / cap});
}

double weighted_loss_of_zero(const Problem& problem, const RowLaw& law) {
  std::vector<double> losses;
  std::vector<double> slopes;
  problem.evaluate(Eigen::VectorXd::Zero(problem.size()), law.rows, losses, slopes);
  return std::inner_product(losses.begin(), losses.end(), law.weights.begin(), 0.0);
}

}  // namespace

DualBound dual_bound(const Problem& problem, double alpha, const RowLaw& law,
                     const std::vector<double>& slopes, const Eigen::VectorXd& theta) {
  const double cap = 1 / std::max(1.0, detail::tail_count(alpha, problem.rows()));
  const double reach = problem.dependent().empty() ? 1e4 : 1e2;
  DualBound bound{.value = 0, .radius = reach * (1 + theta.norm()), .law = {}};
  // Less is what underflow leaves of 0.
  const double nothing = 1e-30 * weighted_loss_of_zero(problem, law);
  for (const double share : {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2}) {
    DualPoint point(problem, theta, cap, law, slopes);
    point.drop_below(share);
    point.remove_residual();
    point.shrink_into_domain();
    const DualPoint::Value value = point.value(bound.radius);
    const double found = value.bound / excess(point.law(), cap) * (1 - 8 * kEpsilon);
    // No loss is negative: 0 is a bound.
    if (std::isfinite(found) && found > std::max(bound.value, nothing)) {
      bound.value = found;
      bound.held = value.held;
      bound.law = std::move(point.law());
    }
    if (value.residual <= 1e-10 * value.bound) break;
  }
  if (bound.law.rows.empty()) bound.law = law;
  const double over = excess(bound.law, cap);
  for (double& weight : bound.law.weights) weight /= over;
  return bound;
}

}  // namespace adacvar
