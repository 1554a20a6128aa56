#pragma once

#include "base/portable_math.hpp"

#include <adacvar/learner/loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

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

  /// -L*(u), u being in the domain; 0 for losses whose values are entropies.
  [[nodiscard]] Term minus_value(double derivative, double target) const {
    switch (loss_.kind()) {
      case LossKind::squared:
        return quadratic(derivative, derivative / 4, target);
      case LossKind::huber:
        return quadratic(derivative, derivative / 2, target);
      case LossKind::absolute:
      case LossKind::pinball:
        return quadratic(derivative, 0, target);
      case LossKind::hinge:
        return {std::abs(derivative), std::abs(derivative)};
      case LossKind::logistic:
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

  /// Whether -L*(u) is the entropy of the classes' probabilities, which the derivatives tell.
  [[nodiscard]] static bool is_entropy(const Loss& loss) {
    return loss.kind() == LossKind::logistic || loss.kind() == LossKind::softmax;
  }

  /// sum of -p log p for each of the terms, which have equally many probabilities, one after the
  /// other. A probability is known to an absolute error of its derivative's rounding.
  static void entropies(std::span<const double> probabilities, std::span<Term> terms) {
    if (terms.empty()) return;
    std::vector<double> logs(probabilities.size());
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::max(probabilities[i], kLeast);
    portable::log_in_place(logs);
    const std::size_t classes = probabilities.size() / terms.size();
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (probabilities[i] <= 0) continue;
      terms[i / classes].value -= probabilities[i] * logs[i];
      terms[i / classes].size += 1 - logs[i];
    }
  }

 private:
  static constexpr double kLeast = std::numeric_limits<double>::min();

  static Term quadratic(double derivative, double part, double target) {
    return {-derivative * (part + target),
            std::abs(derivative) * (2 * std::abs(part) + std::abs(target))};
  }

  const Loss& loss_;
};

}  // namespace adacvar
