#pragma once

#include "base/huge_pages.hpp"
#include "base/state_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace adacvar {

/// Exact marginals of a diagonal k-DPP as Fourier sums [DESIGN 5].
///
/// With p_i = sigma(z_i) and S the number of independent successes, P_i = p_i Pr(S_-i = k-1) / Pr(S
/// = k), whatever constant was added to all z; adding the nu of the matched distribution makes the
/// sums well conditioned. Both probabilities are sums over the M-th roots of unity u = e^it of
/// Phi(t) = prod_j (1 - p_j + p_j u), and dividing one factor out gives
///   P_i = Re sum_t c_t sigma(z_i + i t),   c_t = u^-k Phi(t) / sum u^-k Phi(t):
/// one function of z_i, defined by a few dozen numbers c_t.
///
/// Nodes. M > 9 s + 31 (s the standard deviation of S) keeps the aliasing error below 1e-17
/// (Bernstein), and |Phi(t)| <= exp(-s^2 (1 - cos t)) lets all but about 15 pairs of nodes be
/// dropped when s is large. M is odd: no node is -1, where a factor could vanish.
///
/// Accuracy. Items with p_i > 1/2 enter as u (1 - r + r / u), r = 1 - p_i; the powers of u are
/// counted as a whole number. Factors near saturation thus keep full relative accuracy.
class FourierMarginals {
 public:
  /// Chooses the nodes for `size` items with variance sum p_i (1 - p_i). M > width * s: 9 is enough
  /// for values near the mean of S, 18 for all possible values.
  void begin(std::size_t size, double variance, double width = 9.0);

  /// Multiplies one factor per item: p_i = sigma(z_i).
  void include(std::span<const double> z);
  /// Multiply or divide by the factor of one item.
  void include(double z);
  void exclude(double z);
  /// Adds items with p = 1.
  void include_certain(std::uint64_t count) { certain_ += count; }
  /// Multiplies by the factor at z to the power `weight`, for sums by interpolation; without the
  /// factor u of each item if `heavy` (see include_certain).
  void include_weighted(double z, double weight, bool heavy);

  /// Computes the coefficients c_t for k = target from the factors.
  void finish(std::size_t target);
  /// Returns Pr(S = value) from the factors, for values within M/2 of the mean of S.
  [[nodiscard]] double probability(std::uint64_t value) const;
  [[nodiscard]] std::size_t modulus() const noexcept { return modulus_; }

  /// Return P at z; out[i] = P at z[i].
  [[nodiscard]] double marginal(double z) const;
  void marginals(std::span<const double> z, std::span<double> out) const;

  /// Returns the largest t, which tells how near the nodes come to the poles of sigma(z + it).
  [[nodiscard]] double largest_angle() const noexcept { return largest_angle_; }
  /// Pr(S = k - 1) / Pr(S = k): the ratio P / e^z for light items.
  [[nodiscard]] double light_ratio() const;

  void save(StateWriter& writer) const;
  /// Loads a saved state, after `begin` with the same arguments as for the saved one.
  void load(StateReader& reader);

 private:
  struct Complex {
    double real;
    double imag;
  };
  [[nodiscard]] Complex term(std::size_t node, std::uint64_t target) const;
  void multiply(double light, bool heavy, bool inverse);

  std::size_t modulus_ = 1;  // M
  std::size_t nodes_ = 0;    // nodes 0 <= t < pi in use, the others follow by symmetry
  std::size_t padded_ = 0;
  double largest_angle_ = 0.0;
  std::uint64_t certain_ = 0;

  // One entry per node, padded to a multiple of 4 by nodes of weight 0.
  BigVector<double> cos_, sin_, one_minus_cos_, one_plus_cos_;
  BigVector<double> real_, imag_;            // product of the factors
  BigVector<double> log_size_, angle_;       // factors by include_weighted, as logarithms
  BigVector<double> coef_real_, coef_imag_;  // c_t, doubled for the conjugate node
};

}  // namespace adacvar
