#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Mean, VaR and CVaR of one sample of losses.
struct TailRisk {
  double mean = 0;
  double var = 0;
  double cvar = 0;

  friend bool operator==(const TailRisk&, const TailRisk&) = default;
};

/// Computes mean, VaR and CVaR of `losses` at the tail share `alpha`. Each row counts 1/n, or its
/// share of the sum of `weights`. A row of weight w counts as w rows: integer weights give exactly
/// the result of repeated rows. Only the ratios of the weights matter; a row of weight 0 is absent;
/// without weights every row counts the same.
///
/// CVaR: mean of the worst `alpha` share. When alpha * n is not an integer, the border loss counts
/// by its fraction, so the value is continuous in alpha; it is both the maximum of q'L over the q
/// of `worst_case_weights` and the minimum over l of l + E[max(L - l, 0)] / alpha.
/// VaR: the border loss, the smallest loss l with share{L > l} <= alpha. It attains that minimum;
/// if a whole interval does (alpha * n an integer), it is the interval's lower end.
///
/// Paper: [RU00, Thm. 1, with VaR as in their (2)]. That paper's level is beta = 1 - alpha.
/// Limits: alpha = 1 gives CVaR = mean and VaR = smallest loss; alpha <= 1/n gives CVaR = maximum.
/// An alpha * n (with weights: a tail weight) within 8 roundings of an integer counts as that
/// integer, so alpha = 0.29, n = 100 has a tail of 29 rows. Losses may be negative. Sums are as
/// accurate as in twice the precision and neither overflow nor underflow for any range of losses
/// and weights.
/// Cost: O(n) on average. Without weights three passes over `losses` and O(n^(2/3)) memory for
/// large n, where a sample brackets the border; a copy of the data only when the bracket misses it.
/// With weights a copy of the rows.
/// Throws: OptionError unless 0 < alpha <= 1 and the lengths agree; DataError when `losses` is
/// empty or holds a NaN or infinity, when a weight is negative, NaN or infinite, or all are 0.
[[nodiscard]] TailRisk tail_risk(std::span<const double> losses, double alpha);
[[nodiscard]] TailRisk tail_risk(std::span<const double> losses, std::span<const double> weights,
                                 double alpha);

/// Returns the VaR of `tail_risk`.
[[nodiscard]] double value_at_risk(std::span<const double> losses, double alpha);
[[nodiscard]] double value_at_risk(std::span<const double> losses, std::span<const double> weights,
                                   double alpha);

/// Returns the CVaR of `tail_risk`.
[[nodiscard]] double cvar(std::span<const double> losses, double alpha);
[[nodiscard]] double cvar(std::span<const double> losses, std::span<const double> weights,
                          double alpha);

/// Returns the distribution q over the rows that attains CVaR = max q'L over 0 <= q_i <= p_i /
/// alpha, sum q = 1, where p_i is 1/n or the row's share of the weights.
///
/// Rows above the VaR are at their cap, rows below it have 0. Rows that tie at the VaR share the
/// remaining mass in proportion to p_i, so q does not depend on the order of the rows. Both
/// constraints hold to rounding. Cost and errors: those of `tail_risk`.
[[nodiscard]] std::vector<double> worst_case_weights(std::span<const double> losses, double alpha);
[[nodiscard]] std::vector<double> worst_case_weights(std::span<const double> losses,
                                                     std::span<const double> weights, double alpha);

/// Internal, shared with TailStream.
namespace detail {

/// Compensated sum, as accurate as in twice the precision [ORO05, Alg. 4.4], which scales itself
/// down before it overflows. All terms must be finite.
class AccurateSum {
 public:
  void add(double term) noexcept { add_scaled(term * scale_); }

  void add_product(double factor, double term) noexcept {
    if (!std::isfinite(factor * (term * scale_))) scale_down();
    const double scaled = term * scale_;
    const double product = factor * scaled;
    error_ += std::fma(factor, scaled, -product);
    add_scaled(product);
  }

  void add(AccurateSum other) noexcept {
    while (other.scale_ > scale_) other.scale_down();
    while (scale_ > other.scale_) scale_down();
    error_ += other.error_;
    add_scaled(other.value_);
  }

  [[nodiscard]] double value() const noexcept { return (value_ + error_) / scale_; }
  [[nodiscard]] double divided_by(double divisor) const noexcept;

 private:
  static constexpr double kStep = 0x1.0p-100;  // room for 2^100 more terms of any size

  void scale_down() noexcept {
    value_ *= kStep;
    error_ *= kStep;
    scale_ *= kStep;
  }

  void add_scaled(double term) noexcept {
    if (!std::isfinite(value_ + term)) {
      scale_down();
      term *= kStep;
    }
    const double sum = value_ + term;
    const double added = sum - value_;
    error_ += (value_ - (sum - added)) + (term - added);
    value_ = sum;
  }

  double value_ = 0;
  double error_ = 0;
  double scale_ = 1;
};

/// A loss and the number of losses strictly above it.
struct Ranked {
  double loss;
  std::size_t above;
};

/// Returns alpha * n, rounded to an integer if it is one up to rounding errors.
[[nodiscard]] double tail_count(double alpha, std::size_t n) noexcept;

/// Returns the loss of that rank from the top (0: the largest). `losses` are finite, rank < size.
[[nodiscard]] Ranked select_from_top(std::span<const double> losses, std::size_t rank);

/// Interval in which a loss is expected, low <= high.
struct Bracket {
  double low;
  double high;
};

/// As `select_from_top`; fast if the bracket contains the loss, correct in any case.
[[nodiscard]] Ranked select_in_bracket(std::span<const double> losses, std::size_t rank,
                                       const Bracket& bracket);

/// Returns the sum of `losses`. Throws: DataError with the first one that is not finite.
[[nodiscard]] AccurateSum checked_sum(std::span<const double> losses);

/// Returns the risk of n losses with that sum; `worst` contains at least their floor(alpha n) + 1
/// largest.
[[nodiscard]] TailRisk tail_risk_of(std::span<const double> worst, const AccurateSum& sum,
                                    std::size_t n, double alpha);

void check_alpha(double alpha);

}  // namespace detail

}  // namespace adacvar
