#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// The diagonal k-DPP with weights w_i = e^x_i: P(I) proportional to prod_{i in I} w_i over all
/// subsets I of size k [KT12]. All functions take x = log w, of any scale: differences of 1e4 and
/// more are fine, -inf is a weight of 0 while at least k weights are positive.
///
/// Throws: OptionError unless 1 <= k <= N; DataError for a NaN, +inf, or fewer than k finite x_i.

/// nu with sum_i sigma(x_i + nu) = k, the tilt of the matched DPP [BAT19]; +inf when exactly k
/// weights are positive. Safeguarded Newton from a bracket of width log(k (N - k)) that selection
/// gives for weights of any scale; the sum's two sides are balanced by their small parts, so
/// nu is accurate even where all marginals are 0 or 1 to rounding (past a gap of 1400 in x,
/// anywhere in it). Cost: O(N), about 10 passes.
[[nodiscard]] double matched_tilt(std::span<const double> log_weights, std::size_t k);

/// sigma(x_i + nu): marginals up to O(1/N) in total variation. Cost: as matched_tilt.
[[nodiscard]] std::vector<double> matched_marginals(std::span<const double> log_weights,
                                                    std::size_t k);

/// The exact marginals P_i = w_i e_{k-1}(w without i) / e_k(w), by Fourier sums over the matched
/// distribution (docs/how_it_works.md); [CLJK20] calls this intractable for large N. Cost: O(N)
/// with about 15 complex factors an item, any k. Agrees with the O(N k) recursion to 1e-12.
[[nodiscard]] std::vector<double> exact_marginals(std::span<const double> log_weights,
                                                  std::size_t k);

/// Draws subsets I from the k-DPP, exactly.
///
/// Independent coins of the matched distribution would have to be thrown some 2.5 s times until k
/// of them succeed, s^2 = sum p_i (1 - p_i). Here coins are thrown for three quarters of the items
/// only; the number m of members left to find among the others is accepted with a probability in
/// proportion to Pr(m of them succeed), and the others, given m, are drawn in the same way. Cost:
/// O(N) to set up, O(N) a draw on average, O(N) memory.
class KSubsetSampler {
 public:
  KSubsetSampler(std::span<const double> log_weights, std::size_t k);
  /// With the tilt of `matched_tilt`, when it is known already. One nearby gives the same
  /// distribution and costs time; one so far off that k members are not to be expected is an
  /// OptionError.
  KSubsetSampler(std::span<const double> log_weights, std::size_t k, double tilt);

  [[nodiscard]] std::size_t subset_size() const noexcept { return k_; }
  /// The members in increasing order; subset.size() == k, else OptionError.
  void draw(Rng& rng, std::span<Index> subset) const;

 private:
  struct Coin {
    Index item;
    double probability;
  };
  // Coins [begin, end) are thrown; then `chances[m - first]`, relative to the largest, is the
  // chance of m members among the coins from `end` on.
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
  std::vector<Index> certain_;  // in every subset
  std::vector<Coin> coins_;
  std::vector<Level> levels_;
  std::size_t rest_ = 0;       // coins_ from here on are drawn by `table_`
  std::vector<double> table_;  // Pr(m of the coins from row on succeed)
};

}  // namespace adacvar
