#include "solver/dual_bound.hpp"

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

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Max over |theta| <= radius of - rho'theta - sum ridge theta^2 / 2, from above: by any m, so by
// one near the best, where |theta| = |rho / (ridge + m)| is the radius.
double most_gained(const Eigen::VectorXd& rho, const Eigen::VectorXd& ridge, double radius) {
  const double size = rho.norm();
  if (size == 0) return 0;
  double high = size / radius;
  double low = 1e-40 * high;
  if ((rho.array() / (ridge.array() + low)).matrix().norm() < radius) high = low;
  while (high > 1.0001 * low) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    const bool is_long = (rho.array() / (ridge.array() + middle)).matrix().norm() > radius;
    (is_long ? low : high) = middle;
  }
  const double paid = (rho.array().square() / (ridge.array() + high)).sum();
  const double rounding = 1 + kEpsilon * (8 + static_cast<double>(rho.size()));
  return 0.5 * rounding * (paid + high * radius * radius);
}

/// The probability that a derivative of a class stands for.
double class_probability(std::span<const double> derivatives, std::size_t own, std::size_t c) {
  return derivatives[c] + (own == c ? 1.0 : 0.0);
}

/// u'o - L*(u): the bounds of the rows' losses without the part that is linear in theta.
std::vector<Conjugate::Term> constants_of(const Problem& problem, std::span<const Index> rows,
                                          std::span<const double> derivatives) {
  const std::size_t outputs = problem.outputs();
  std::vector<Conjugate::Term> terms(rows.size());
  if (Conjugate::is_entropy(problem.loss())) {
    std::vector<double> probabilities;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto own = static_cast<std::size_t>(problem.target(rows[r]));
      const auto u = derivatives.subspan(r * outputs, outputs);
      for (std::size_t c = 0; c < outputs; ++c) {
        probabilities.push_back(outputs == 1 ? std::abs(u[0]) : class_probability(u, own, c));
      }
      if (outputs == 1) probabilities.push_back(1 - std::abs(u[0]));
    }
    Conjugate::entropies(probabilities, terms);
  } else {
    const Conjugate conjugate(problem.loss());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      terms[r] = conjugate.minus_value(derivatives[r], problem.target(rows[r]));
    }
  }
  if (problem.data().offsets.empty()) return terms;
  for (std::size_t e = 0; e < derivatives.size(); ++e) {
    const double product = derivatives[e] * problem.offset(rows[e / outputs], e % outputs);
    terms[e / outputs].value += product;
    terms[e / outputs].size += std::abs(product);
  }
  return terms;
}

// With several classes the derivative of the row's own is minus the sum of the others, which is at
// most 1.
void limit_classes(std::size_t own, std::span<double> derivatives) {
  double sum = 0;
  for (std::size_t c = 0; c < derivatives.size(); ++c) {
    if (c == own) continue;
    derivatives[c] = std::max(derivatives[c], 0.0);
    sum += derivatives[c];
  }
  const double most = 1 - 2 * kEpsilon * static_cast<double>(derivatives.size());
  const double factor = sum > most ? most / sum : 1.0;
  double others = 0;
  for (std::size_t c = 0; c < derivatives.size(); ++c) {
    if (c != own) others += derivatives[c] *= factor;
  }
  derivatives[own] = -others;
}

/// Moves derivatives, and weights between 0 and their cap.
class DualPoint {
 public:
  DualPoint(const Problem& problem, RowWeights q, std::vector<double> derivatives)
      : problem_(problem),
        conjugate_(problem.loss()),
        outputs_(problem.outputs()),
        q_(std::move(q)),
        derivatives_(std::move(derivatives)),
        free_(q_.rows.size() - q_.fixed) {}

  [[nodiscard]] DualBound measure() {
    limit_weights(problem_, q_);
    limit_derivatives(problem_, q_.rows, derivatives_);
    DualBound found{
        .q = q_, .derivatives = derivatives_, .value = dual_value(problem_, q_, derivatives_)};
    found.rho = dual_residual(problem_, q_.rows, q_.weights, derivatives_);
    return found;
  }

  // A step of Newton's method: makes `rho` vanish but for terms of second order. False where
  // nothing can move.
  bool move_against(const Eigen::VectorXd& rho) {
    ScaledFactor factor;
    Eigen::MatrixXd matrix = mobility_matrix();
    problem_.hold(matrix);
    factor.compute(std::move(matrix));
    Eigen::VectorXd right = rho;
    problem_.hold(right);
    const Eigen::VectorXd step = factor.solve(right);
    if (!step.allFinite()) return false;
    problem_.linear_scores(step, q_.rows, moves_);
    for_each_row(q_.rows.size(), problem_.threads(), [&](std::size_t r) { move_row(r); });
    return true;
  }

 private:
  // A weight is free between 0 and its cap.
  [[nodiscard]] double weight_mobility(std::size_t r) const {
    if (r >= free_) return 0;
    return q_.weights[r] * std::max(0.0, 1 - q_.weights[r] / problem_.cap(q_.rows[r]));
  }

  [[nodiscard]] Eigen::MatrixXd mobility_matrix() const {
    std::vector<double> weights(q_.rows.size());
    for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = weight_mobility(r);
    if (outputs_ > 1) return problem_.hessian(q_.rows, q_.weights, weights, derivatives_);
    for (std::size_t r = 0; r < weights.size(); ++r) {
      weights[r] = q_.weights[r] * conjugate_.mobility(derivatives_[r], target(r)) +
                   weights[r] * derivatives_[r] * derivatives_[r];
    }
    const double least = kNegligible * *std::ranges::max_element(weights);
    for (double& weight : weights) weight = weight < least ? 0 : weight;
    return weighted_gram(problem_.data(), q_.rows, weights, problem_.threads());
  }

  // The product weight * derivative loses what the matrix above says, shared by both.
  void move_row(std::size_t r) {
    double along = 0;  // the derivatives' product with the moves
    double mean = 0;
    for (std::size_t c = 0; c < outputs_; ++c) {
      const double move = moves_[r * outputs_ + c];
      along += derivative(r, c) * move;
      if (outputs_ > 1) mean += class_probability(r, c) * move;
    }
    const double weight_change = weight_mobility(r) * along;
    if (outputs_ == 1) {
      derivatives_[r] -= conjugate_.mobility(derivatives_[r], target(r)) * moves_[r];
    } else {
      for (std::size_t c = 0; c < outputs_; ++c) {
        derivative(r, c) -= class_probability(r, c) * (moves_[r * outputs_ + c] - mean);
      }
    }
    q_.weights[r] -= weight_change;
  }

  [[nodiscard]] double target(std::size_t r) const { return problem_.target(q_.rows[r]); }
  [[nodiscard]] double& derivative(std::size_t r, std::size_t c) {
    return derivatives_[r * outputs_ + c];
  }
  [[nodiscard]] double class_probability(std::size_t r, std::size_t c) const {
    const auto own = static_cast<std::size_t>(target(r));
    return adacvar::class_probability(std::span(derivatives_).subspan(r * outputs_, outputs_), own,
                                      c);
  }

  // Beside the largest: less does not move.
  static constexpr double kNegligible = 1e-12;

  const Problem& problem_;
  Conjugate conjugate_;
  std::size_t outputs_;
  RowWeights q_;
  std::vector<double> derivatives_;
  std::size_t free_;
  std::vector<double> moves_;
};

}  // namespace

// Sums are accurate to a few roundings, which the last factors cover.
void limit_weights(const Problem& problem, RowWeights& q) {
  constexpr double kLess = 1 - 8 * kEpsilon;
  const std::size_t free = q.rows.size() - q.fixed;
  detail::AccurateSum sum;
  for (std::size_t r = 0; r < free; ++r) {
    q.weights[r] = std::clamp(q.weights[r], 0.0, problem.cap(q.rows[r]));
    sum.add(q.weights[r]);
  }
  const double most = 1 - problem.settings().risk.gamma;
  const double factor = sum.value() > most ? kLess * most / sum.value() : kLess;
  for (std::size_t r = 0; r < q.rows.size(); ++r) q.weights[r] *= r < free ? factor : kLess;
}

double DualBound::lower(const Problem& problem, double radius) const {
  if (!(value > 0)) return 0;
  const double paid =
      most_gained(rho.value, problem.ridge(), radius) + (1 + 8 * kEpsilon) * rho.error * radius;
  const double bound = value - paid - 4 * kEpsilon * value;
  return bound > 0 && std::isfinite(bound) ? bound : 0.0;
}

DualBound dual_bound(const Problem& problem, RowWeights q, std::vector<double> derivatives,
                     const Eigen::VectorXd& theta, double radius, double enough) {
  constexpr int kMostPasses = 6;
  if (q.rows.empty()) return {};
  DualPoint point(problem, std::move(q), std::move(derivatives));
  DualBound best = point.measure();
  DualBound found = best;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const Eigen::VectorXd left = found.rho.value + problem.ridge().cwiseProduct(theta);
    const double size = left.norm();
    if (radius * size <= enough * found.value || !(size < 0.5 * last)) break;
    last = size;
    if (!point.move_against(left)) break;
    found = point.measure();
    if (found.lower(problem, radius) > best.lower(problem, radius)) best = found;
  }
  return best;
}

// Off the border by two digits, for products with weights count as rounded.
void limit_derivatives(const Problem& problem, std::span<const Index> rows,
                       std::span<double> derivatives) {
  constexpr double kLess = 1 - 2 * kEpsilon;
  const Conjugate conjugate(problem.loss());
  const std::size_t outputs = problem.outputs();
  for_each_row(rows.size(), problem.threads(), [&](std::size_t r) {
    const double target = problem.target(rows[r]);
    if (outputs > 1) {
      limit_classes(static_cast<std::size_t>(target), derivatives.subspan(r * outputs, outputs));
    } else {
      const Conjugate::Domain within = conjugate.domain(target);
      derivatives[r] = std::clamp(derivatives[r], kLess * within.low, kLess * within.high);
    }
  });
}

// Each term is off by a few roundings of its size, the accurate sum by less.
double dual_value(const Problem& problem, const RowWeights& q,
                  std::span<const double> derivatives) {
  struct Total {
    detail::AccurateSum sum;
    double sizes = 0;
  };
  const std::size_t outputs = problem.outputs();
  std::vector<Total> totals((q.rows.size() + kRowBlock - 1) / kRowBlock);
  for_each_block(totals.size(), problem.threads(), [&](std::size_t b) {
    const std::size_t begin = b * kRowBlock;
    const std::size_t count = std::min(kRowBlock, q.rows.size() - begin);
    const std::vector<Conjugate::Term> terms =
        constants_of(problem, std::span(q.rows).subspan(begin, count),
                     derivatives.subspan(begin * outputs, count * outputs));
    for (std::size_t r = 0; r < count; ++r) {
      totals[b].sum.add(q.weights[begin + r] * terms[r].value);
      totals[b].sizes += q.weights[begin + r] * terms[r].size;
    }
  });
  Total all;
  for (const Total& total : totals) {
    all.sum.add(total.sum);
    all.sizes += total.sizes;
  }
  return all.sum.value() - (10 + 2 * static_cast<double>(outputs)) * kEpsilon * all.sizes;
}

double radius_for(double given, const Eigen::VectorXd& theta) {
  constexpr double kRoom = 100;
  return given > 0 ? std::max(given, theta.norm()) : kRoom * std::max(1.0, theta.norm());
}

}  // namespace adacvar
