#pragma once

#include <adacvar/learner/loss.hpp>

#include <span>

namespace adacvar {

/// The conjugate L*(u) = max over s of (u s - L(s)) of a loss with one output, u being a slope,
/// with what a dual bound asks of it.
class Conjugate {
 public:
  explicit Conjugate(const Loss& loss) : loss_(loss) {}

  /// A number, and the size of what it is made of: rounding is relative to that.
  struct Term {
    double value;
    double size;
  };

  /// -L*(u).
  [[nodiscard]] Term minus_value(double slope, double target) const;
  /// How far a slope may move: 0 at the border of the domain. A turn t of at most most_turn() moves
  /// it by 2 t mobility at most, and that stays inside.
  [[nodiscard]] double mobility(double slope, double target) const;
  [[nodiscard]] double most_turn() const;
  /// Losses of a margin: a slope that scaling towards 0 could not bring into the domain, or one
  /// below `least`, becomes 0.
  [[nodiscard]] double clipped(double slope, double target, double least = 0) const;
  /// The largest factor of at most 1 that brings a slope into the domain.
  [[nodiscard]] double allowed_factor(double slope, double target) const;

  /// Limits of the derivatives of -q L*(p / q), p being weight * slope, wherever such a turn leads.
  struct Rates {
    double by_product;
    double by_weight;
  };
  [[nodiscard]] Rates rates(double slope, double target) const;

  /// sum of -p log p: softmax is the loss with several outputs. A probability is known to an
  /// absolute error of its slope's rounding.
  [[nodiscard]] static Term entropy(std::span<const double> probabilities);

 private:
  [[nodiscard]] bool is_of_margin() const;

  const Loss& loss_;
};

}  // namespace adacvar
