#pragma once

#include <adacvar/learner/loss.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace adacvar {

/// The conjugate L*(u) = max over s of (u s - L(s)) of a loss with one output, u being a derivative
/// by the score s. Its domain is an interval.
class Conjugate {
 public:
  explicit Conjugate(const Loss& loss) : loss_(loss) {}

  /// A number, and the size of its terms: rounding is relative to that.
  struct Term {
    double value;
    double size;
  };

  struct Domain {
    double low;
    double high;
  };

  [[nodiscard]] Domain domain(double target) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (loss_.kind()) {
      case LossKind::huber:
        return {-loss_.delta(), loss_.delta()};
      case LossKind::absolute:
        return {-1, 1};
      case LossKind::pinball:
        return {-loss_.tau(), 1 - loss_.tau()};
      case LossKind::logistic:
      case LossKind::hinge:
        return target > 0.5 ? Domain{-1, 0} : Domain{0, 1};
      case LossKind::squared:
      case LossKind::softmax:
        break;
    }
    return {-kInfinity, kInfinity};
  }

  /// -L*(u), u being in the domain.
  [[nodiscard]] Term minus_value(double derivative, double target) const {
    const double p = std::abs(derivative);  // of a margin: the probability of the other class
    switch (loss_.kind()) {
      case LossKind::squared:
        return quadratic(derivative, derivative / 4, target);
      case LossKind::huber:
        return quadratic(derivative, derivative / 2, target);
      case LossKind::absolute:
      case LossKind::pinball:
        return quadratic(derivative, 0, target);
      case LossKind::hinge:
        return {p, p};
      case LossKind::logistic:
        return entropy(std::array{p, 1 - p});
      case LossKind::softmax:
        break;
    }
    return {0, 0};
  }

  /// How freely a derivative moves: not at all at the border of the domain.
  [[nodiscard]] double mobility(double derivative, double target) const {
    if (loss_.kind() == LossKind::squared) return 2;
    const Domain within = domain(target);
    return std::max(0.0, (derivative - within.low) * (within.high - derivative));
  }

  /// sum of -p log p: softmax is the loss with several outputs. A probability is known to an
  /// absolute error of its derivative's rounding.
  [[nodiscard]] static Term entropy(std::span<const double> probabilities) {
    Term term{0, 0};
    for (const double p : probabilities) {
      if (p <= 0) continue;
      term.value -= p * std::log(p);
      term.size += 1 - std::log(p);
    }
    return term;
  }

 private:
  static Term quadratic(double derivative, double part, double target) {
    return {-derivative * (part + target),
            std::abs(derivative) * (2 * std::abs(part) + std::abs(target))};
  }

  const Loss& loss_;
};

}  // namespace adacvar
