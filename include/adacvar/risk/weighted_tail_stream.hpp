#pragma once

#include <adacvar/risk/cvar.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace adacvar {

/// `TailStream` with row weights: `tail_risk(losses, weights, alpha)` of a stream, of which only
/// the rows with the largest losses are kept in memory. A row of weight w counts as w rows.
///
/// Given the upper bound `max_weight` of the sum of all weights, only the largest losses whose
/// weights together exceed alpha max_weight can ever enter the tail; the others are one row of
/// their weight below it. VaR is the same number as that of `tail_risk` on the rows so far, unless
/// the tail's weight is within rounding of the weight above a loss; mean and CVaR may differ by
/// rounding.
///
/// Limits: alpha = 1 keeps all rows. Of weights below 1e-300 max_weight the mean may lose digits.
/// Cost: memory for at most twice the rows that are needed; `push` O(log n) amortised, `risk` O(n)
/// on average for n rows kept.
/// Throws: see each function. After an OptionError or DataError the stream is unchanged.
class WeightedTailStream {
 public:
  /// Throws: OptionError unless 0 < alpha <= 1 and 0 < max_weight < inf.
  WeightedTailStream(double alpha, double max_weight);

  /// Throws: OptionError unless the lengths agree, and when the weights exceed `max_weight` by more
  /// than rounding; DataError when a loss is NaN or infinite, or a weight is negative, NaN or
  /// infinite.
  void push(double loss, double weight);
  void push(std::span<const double> losses, std::span<const double> weights);

  /// Adds all rows pushed to `other`, so that blocks of a stream can be read in parallel. Throws:
  /// OptionError unless both have the same alpha and max_weight and their weights fit together.
  void merge(const WeightedTailStream& other);

  /// Throws: DataError before the first row of positive weight.
  [[nodiscard]] TailRisk risk() const;

  [[nodiscard]] double alpha() const noexcept { return alpha_; }
  [[nodiscard]] double max_weight() const noexcept { return max_weight_; }
  /// Sum of the weights so far.
  [[nodiscard]] double weight() const noexcept { return weight_.value(); }
  /// Number of rows in memory.
  [[nodiscard]] std::size_t kept() const noexcept { return worst_.size(); }

 private:
  struct Row {
    double loss;
    double weight;
  };

  void check_room(double more) const;
  void keep(Row row);
  void drop_all_but_needed();

  double alpha_;
  double max_weight_;
  int exponent_;  // products of losses and weights are summed with weights times 2^-exponent_
  detail::AccurateSum weight_;
  detail::AccurateSum dropped_;  // weight of the rows that are not kept
  detail::AccurateSum sum_;      // of the losses times their scaled weights
  std::vector<Row> worst_;
  std::size_t most_kept_;
  /// Kept rows that reach this loss weigh enough: a loss that is not above it cannot matter.
  double floor_ = -std::numeric_limits<double>::infinity();
};

}  // namespace adacvar
