#include "solver/dual_bound.hpp"

#include "solver/gram.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

double entropy_term(double p) { return p > 0 ? -p * std::log(p) : 0.0; }

/// Moves slopes into the set where the bound can be read off.
class DualPoint {
 public:
  DualPoint(const Problem& problem, const RowLaw& law, std::vector<double> slopes)
      : problem_(problem), law_(law), slopes_(std::move(slopes)), outputs_(problem.outputs()) {}

  // Newton's step on the constraint; twice more for what rounding and the small shift leave.
  void remove_residual() {
    constexpr int kPasses = 3;
    for (int pass = 0; pass < kPasses; ++pass) {
      const Eigen::VectorXd residual = constrained(residual_now());
      if (residual.lpNorm<Eigen::Infinity>() == 0) return;
      move_against(solve(residual));
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
    for (double& slope : slopes_) slope *= factor;
  }

  [[nodiscard]] double value(double radius) const {
    double sum = 0;
    for (std::size_t r = 0; r < law_.rows.size(); ++r) sum += law_.weights[r] * minus_conjugate(r);
    const Eigen::VectorXd rho = residual_now();
    double squares = 0;  // of what the ridge pays for
    double rest = 0;     // of what should be 0
    for (Eigen::Index i = 0; i < rho.size(); ++i) {
      (is_free(i) ? squares : rest) += rho(i) * rho(i);
    }
    if (squares > 0) sum -= squares / (2 * problem_.ridge());
    return sum - radius * std::sqrt(rest);
  }

 private:
  [[nodiscard]] bool is_free(Eigen::Index i) const {
    return problem_.ridge() > 0 && !problem_.is_intercept(i);
  }

  [[nodiscard]] Eigen::VectorXd residual_now() const {
    return problem_.gradient(law_.rows, law_.weights, slopes_);
  }

  [[nodiscard]] Eigen::VectorXd constrained(Eigen::VectorXd residual) const {
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

  [[nodiscard]] Eigen::MatrixXd mobility_matrix() const {
    if (outputs_ > 1) return problem_.hessian(law_.rows, law_.weights, {}, slopes_);
    std::vector<double> weights(law_.rows.size());
    for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = law_.weights[r] * mobility(r);
    return weighted_gram(problem_.data(), law_.rows, weights, problem_.threads());
  }

  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& residual) const {
    Eigen::MatrixXd matrix = mobility_matrix();
    const double shift = 1e-13 * matrix.trace() / static_cast<double>(matrix.rows()) +
                         std::numeric_limits<double>::min();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      matrix(i, i) += shift;
      if (!is_free(i)) continue;
      matrix.row(i).setZero();
      matrix.col(i).setZero();
      matrix(i, i) = 1;
    }
    Eigen::VectorXd step = matrix.ldlt().solve(residual);
    return step.allFinite() ? step : Eigen::VectorXd::Zero(step.size());
  }

  void move_against(const Eigen::VectorXd& step) {
    const std::vector<double> moves = problem_.scores(step, law_.rows);
    for (std::size_t r = 0; r < law_.rows.size(); ++r) {
      if (outputs_ == 1) {
        slopes_[r] -= mobility(r) * moves[r];
      } else {
        move_classes(r, std::span(moves).subspan(r * outputs_, outputs_));
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
  [[nodiscard]] double minus_conjugate(std::size_t r) const {
    const double slope = slopes_[r * outputs_];
    switch (problem_.loss().kind()) {
      case LossKind::squared:
        return -slope * (slope / 4 + problem_.target(law_.rows[r]));
      case LossKind::huber:
        return -slope * (slope / 2 + problem_.target(law_.rows[r]));
      case LossKind::absolute:
      case LossKind::pinball:
        return -slope * problem_.target(law_.rows[r]);
      case LossKind::hinge:
        return probability(r);
      case LossKind::logistic:
        return entropy_term(probability(r)) + entropy_term(1 - probability(r));
      case LossKind::softmax:
        break;
    }
    double entropy = 0;
    for (std::size_t c = 0; c < outputs_; ++c) entropy += entropy_term(class_probability(r, c));
    return entropy;
  }

  const Problem& problem_;
  const RowLaw& law_;
  std::vector<double> slopes_;
  std::size_t outputs_;
};

// 1, or more when the law exceeds 1 or its cap by rounding.
double excess(const RowLaw& law, double alpha, std::size_t rows) {
  const double sum = std::accumulate(law.weights.begin(), law.weights.end(), 0.0);
  const double most = *std::ranges::max_element(law.weights);
  const double cap = std::max(1.0, alpha * static_cast<double>(rows));
  return std::max({1.0, sum, most * cap});
}

}  // namespace

DualBound dual_bound(const Problem& problem, double alpha, const RowLaw& law,
                     std::vector<double> slopes, const Eigen::VectorXd& theta) {
  DualBound bound{.value = 0, .radius = 1e4 * (1 + theta.norm())};
  DualPoint point(problem, law, std::move(slopes));
  point.remove_residual();
  point.shrink_into_domain();
  const double value = point.value(bound.radius) / excess(law, alpha, problem.rows());
  // Rounding of the sum; and no loss is negative, so 0 is a bound as well.
  if (std::isfinite(value)) bound.value = std::max(0.0, value - 1e-14 * std::abs(value));
  return bound;
}

}  // namespace adacvar
