#pragma once

#include <adacvar/risk/cvar.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace adacvar {

/// Exact `tail_risk` of a stream of losses, of which only the largest are kept in memory.
///
/// Without a bound on the length every loss may matter later, since the tail grows with alpha n.
/// With the upper bound `max_count` only the K = floor(alpha max_count) + 1 largest losses can ever
/// enter the tail. VaR is the same number as that of `tail_risk` on the losses so far; mean and
/// CVaR may differ in the last bit.
///
/// Limits: at most `max_count` losses; alpha = 1 keeps them all.
/// Cost: memory for at most 2K losses, allocated as needed; `push` O(1) amortised; `risk` O(K) on
/// average.
/// Throws: see each function. After an OptionError or DataError the stream is unchanged.
class TailStream {
 public:
  /// Throws: OptionError unless 0 < alpha <= 1 and 1 <= max_count <= 2^53.
  TailStream(double alpha, std::size_t max_count);

  /// Throws: DataError when a loss is NaN or infinite; OptionError beyond `max_count` losses.
  void push(double loss);
  void push(std::span<const double> losses);

  /// Adds all losses pushed to `other`, so that blocks of a stream can be read in parallel.
  /// Cost: O(K). Throws: OptionError unless both have the same alpha and max_count and the
  /// losses of both together are at most max_count.
  void merge(const TailStream& other);

  /// Throws: DataError before the first loss.
  [[nodiscard]] TailRisk risk() const;

  [[nodiscard]] double alpha() const noexcept { return alpha_; }
  [[nodiscard]] std::size_t max_count() const noexcept { return max_count_; }

  /// Number of losses pushed so far.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Number of losses for which memory is allocated, at most 2K.
  [[nodiscard]] std::size_t capacity() const noexcept { return worst_.capacity(); }

 private:
  void check_room(std::size_t more) const;
  void keep(double loss);
  void drop_all_but_needed();

  double alpha_;
  std::size_t max_count_;
  std::size_t needed_;        // K, the number of losses that can enter the tail
  std::size_t max_capacity_;  // 2K, so that K losses are kept between two selections
  std::size_t count_ = 0;
  detail::AccurateSum sum_;
  /// Losses in order of arrival, among them the K largest (all, while there are fewer).
  std::vector<double> worst_;
  /// At least `needed_` kept losses reach this value: a loss that is not above it cannot matter.
  double floor_ = -std::numeric_limits<double>::infinity();
};

}  // namespace adacvar
