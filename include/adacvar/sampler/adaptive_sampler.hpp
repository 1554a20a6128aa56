#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/sampler/sampler.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <vector>

namespace adacvar {

/// Step g of the log-weight of a drawn example with loss L; for b and s see AdaptiveSampler.
enum class Estimator : std::uint8_t {
  gain,     ///< g = clip(L/s, 0, 1): [CLJK20, Alg. 1]
  loss,     ///< g = clip(L/s, 0, 1) - 1: the same expected step, different variance
  centred,  ///< g = clip((L - b)/s, -1, 1), b the running VaR: losses below b decrease the weight
};
/// Dependence of eta on the number t of draws observed.
enum class EtaSchedule : std::uint8_t {
  constant,      ///< eta
  inverse_sqrt,  ///< eta / sqrt(t)
  adagrad,  ///< eta / sqrt(1 + sum of g^2 / (N q + epsilon)): the time scale of the regret bound
};
enum class LossScale : std::uint8_t {
  automatic,  ///< fixed for gain and loss, running for centred
  fixed,      ///< s = loss_scale
  running,    ///< s = running mean of the losses drawn, which tends to the CVaR
};
enum class Marginals : std::uint8_t {
  matched,  ///< sigma(x_i + nu) with sum k: the k-DPP's marginals up to O(1/N) [BAT19]
  exact,    ///< the k-DPP's own marginals
};
enum class Batches : std::uint8_t {
  iid,     ///< independent draws from the distribution
  subset,  ///< uniform draws with replacement from a k-subset of the k-DPP; exact marginals only
};

struct AdaptiveSamplerOptions {
  double alpha = 0.1;
  Estimator estimator = Estimator::centred;
  std::optional<double> eta = std::nullopt;        // none: automatic
  std::optional<double> eta_scale = std::nullopt;  // none: 1; the learner may set another default
  EtaSchedule schedule = EtaSchedule::constant;
  std::uint64_t horizon = 0;
  double gamma = 0.01;
  double epsilon = 0.0;
  LossScale scale = LossScale::automatic;
  double loss_scale = 1.0;
  Marginals marginals = Marginals::matched;
  Batches batches = Batches::iid;

  static const std::vector<OptionSpec>& options();
};

/// The sampler of Ada-CVaR (its q-player): draws examples with large losses more often, with
/// probability at most 1/k each, and learns from the losses observed.
///
/// The distribution is q_i = (1 - gamma) P_i / k + gamma / N, k = max(1, floor(alpha N)), where P
/// are the marginals of the diagonal k-DPP with weights e^x_i. After a batch every drawn i is
/// updated by
///   x_i += eta * g_i / (q_i + epsilon / N),
/// where q_i is the probability with which it was drawn, at least 1e-15/N; repeats add up. For g
/// see Estimator; b starts as the VaR of the first batch, s as its mean.
///
/// With row weights w_i row i counts as w_i rows (only ratios matter). With W = sum w_i,
///   q_i = (1 - gamma) w_i sigma(x_i + nu) / (alpha W) + gamma w_i / W,
///   sum w_i sigma(x_i + nu) = alpha W,
/// so q_i is at most about w_i / (alpha W), and w_i / W replaces 1/N in all formulas: the expected
/// step of x_i is that of each of w_i rows. alpha W need not be an integer and is not rounded; N
/// stays the number of rows in the automatic eta. Rows of relatively small weight are drawn rarely
/// and make large steps. Not supported with exact marginals or subset batches.
///
/// Paper: [CLJK20, Alg. 1]. Departures (docs/papers.md): the tilt nu is solved again after every
/// update, so the distribution is exact at every step, not only at the start; estimators `loss`,
/// `centred`.
/// Limits: k = N is always uniform; k = 1 with `gain` and exact marginals is EXP3 [A02].
/// Log-weights more than about 9e4 from the k-th largest saturate. The same seed gives the same
/// draws on every platform.
/// Cost: the time of a draw and its update does not depend on N except for cache misses; a fixed
/// cost per batch makes larger batches cheaper. 20 bytes per example, 32 with row weights. Exact
/// marginals take about four times as long (bench/README.md).
/// Throws: OptionError for a value, size, index or length out of range; DataError for a loss that
/// is negative or not finite, or a row weight that is not finite and above 0, or 1e60 times
/// another. After an exception the sampler is unchanged. A moved-from sampler may only be assigned
/// to or destroyed.
class AdaptiveSampler {
 public:
  /// `weights` are the row weights, one per example, copied; empty: every row counts 1.
  explicit AdaptiveSampler(std::size_t size, const AdaptiveSamplerOptions& options = {},
                           std::span<const double> weights = {});
  AdaptiveSampler(const AdaptiveSampler& other);
  AdaptiveSampler(AdaptiveSampler&& other) noexcept;
  AdaptiveSampler& operator=(const AdaptiveSampler& other);
  AdaptiveSampler& operator=(AdaptiveSampler&& other) noexcept;
  ~AdaptiveSampler();

  [[nodiscard]] std::size_t size() const noexcept;
  /// Returns k, the size of the subsets of the k-DPP; with row weights, which have no subsets,
  /// alpha N rounded down.
  [[nodiscard]] std::size_t tail_size() const noexcept;
  [[nodiscard]] const AdaptiveSamplerOptions& options() const noexcept;

  /// Returns q_i, the current probability of example i in a draw.
  [[nodiscard]] double probability(Index i) const;
  /// Returns all q_i. Cost: O(N).
  [[nodiscard]] std::vector<double> probabilities() const;

  /// Fills `batch` with draws from the distribution.
  void draw(Rng& rng, std::span<Index> batch);

  /// Updates the weights by the losses of `drawn`, which must have been drawn from the current
  /// distribution: call it after each `draw`, before the next.
  void observe(std::span<const Index> drawn, std::span<const double> losses);

  /// Updates the weights by a batch drawn earlier (for data loaders that prefetch): `probabilities`
  /// are the values of `probability` when the batch was drawn.
  void observe(std::span<const Index> drawn, std::span<const double> losses,
               std::span<const double> probabilities);

  /// Returns x_i, up to a common constant.
  [[nodiscard]] double log_weight(Index i) const;
  /// Sets the log-weights: finite, one per example; ignored if k = N. Cost: O(N).
  void set_log_weights(std::span<const double> log_weights);

  /// Forgets: multiplies all log-weights by `factor`, so that losses seen before count by that
  /// much. 1 changes nothing; 0 makes the distribution uniform, as at the start; the running b and
  /// s are kept. Call it between batches, after `observe` and before the next `draw`. Cost: O(N),
  /// per draw a constant if called once per epoch. Throws: OptionError unless 0 <= factor <= 1.
  void discount(double factor);

  /// Sets gamma from the next draw on; until then `probability`, `observe` and `options` have the
  /// old one, with which the last batch was drawn. A saved state has the new one.
  /// Throws: OptionError unless 0 <= gamma <= 1.
  void set_gamma(double gamma);

  /// Return the baseline b and scale s for the next losses.
  [[nodiscard]] double baseline() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  /// Returns eta for the first draw of the next batch.
  [[nodiscard]] double eta() const noexcept;

  /// Writes the complete state; a sampler loaded from it draws the same indices, given the same
  /// state of the generator. Throws: DataError when the stream fails, is truncated or was altered.
  void save(std::ostream& out) const;
  [[nodiscard]] static AdaptiveSampler load(std::istream& in);

  /// Memory of the weights and their bins, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  class Impl;
  explicit AdaptiveSampler(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

static_assert(Sampler<AdaptiveSampler>);

}  // namespace adacvar
