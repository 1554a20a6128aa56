#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// The diagonal k-DPP with weights w_i = e^x_i: P(I) proportional to prod_{i in I} w_i over all
/// subsets I of size k [KT12]. All functions take x = log w at any scale: differences of 1e4 and
/// more are allowed; -inf is a weight of 0, and at least k weights must be positive.
///
/// Throws: OptionError unless 1 <= k <= N; DataError for a NaN, +inf, or fewer than k finite x_i.

/// Returns nu with sum_i sigma(x_i + nu) = k, the tilt of the matched DPP [BAT19]; +inf if exactly
/// k weights are positive. Safeguarded Newton from a bracket of width log(k (N - k)), found by
/// selection at any scale. Light and heavy items are summed by their distance from 0 and 1, so nu
/// is accurate even if all marginals round to 0 or 1 (with a gap of more than 1400 in x, anywhere
/// in the gap). Cost: O(N), about 10 passes.
[[nodiscard]] double matched_tilt(std::span<const double> log_weights, std::size_t k);

/// Returns sigma(x_i + nu): the marginals up to O(1/N) in total variation. Cost: as matched_tilt.
[[nodiscard]] std::vector<double> matched_marginals(std::span<const double> log_weights,
                                                    std::size_t k);

/// Returns the exact marginals P_i = w_i e_{k-1}(w without i) / e_k(w), by Fourier sums over the
/// matched distribution (docs/how_it_works.md); [CLJK20] calls this intractable for large N. Cost:
/// O(N) with about 15 complex factors per item, for any k. Agrees with the O(N k) recursion to
/// 1e-12.
[[nodiscard]] std::vector<double> exact_marginals(std::span<const double> log_weights,
                                                  std::size_t k);

/// Exact sampler of subsets I from the k-DPP.
///
/// Independent coin flips with the matched probabilities would take about 2.5 s attempts until
/// exactly k succeed, s^2 = sum p_i (1 - p_i). Here coins are flipped for three quarters of the
/// items only; the remaining number m of members is accepted with a probability proportional to
/// Pr(m of the other items succeed), and the others, given m, are drawn recursively. Cost: O(N) to
/// set up, O(N) per draw on average, O(N) memory.
class KSubsetSampler {
 public:
  KSubsetSampler(std::span<const double> log_weights, std::size_t k);
  /// Uses a known tilt of `matched_tilt`. A tilt nearby gives the same distribution in more time.
  /// Throws: OptionError for a tilt so far off that k members are too unlikely.
  KSubsetSampler(std::span<const double> log_weights, std::size_t k, double tilt);

  [[nodiscard]] std::size_t subset_size() const noexcept { return k_; }
  /// Writes the members in increasing order. Throws: OptionError unless subset.size() == k.
  void draw(Rng& rng, std::span<Index> subset) const;

 private:
  struct Coin {
    Index item;
    double probability;
  };
  // Coins [begin, end) are flipped; then `chances[m - first]` is the probability, relative to the
  // largest, of m members among the coins from `end` on.
  struct Level {
    std::size_t begin;
    std::size_t end;
    std::uint64_t first;
    std::vector<double> chances;
  };

  void set_up(std::span<const double> log_weights, double tilt);
  void check_tilt(double tilt) const;
  void add_level(std::size_t begin, std::size_t end);
  void tabulate_rest(std::size_t begin);
  std::size_t draw_level(Rng& rng, const Level& level, std::size_t wanted,
                         std::vector<Index>& members) const;
  void draw_rest(Rng& rng, std::size_t wanted, std::vector<Index>& members) const;

  std::size_t k_;
  std::vector<Index> certain_;  // members of every subset
  std::vector<Coin> coins_;
  std::vector<Level> levels_;
  std::size_t rest_ = 0;       // coins_ from here on are drawn by `table_`
  std::vector<double> table_;  // Pr(m of the coins from row on succeed)
};

}  // namespace adacvar
