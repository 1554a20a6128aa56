#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/sampler/sampler.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <vector>

namespace adacvar {

/// How a drawn example's loss L becomes the step g of its log-weight; b, s: see AdaptiveSampler.
enum class Estimator : std::uint8_t {
  gain,     ///< g = clip(L/s, 0, 1): [CLJK20, Alg. 1]
  loss,     ///< g = clip(L/s, 0, 1) - 1: the same expected move, other variance
  centred,  ///< g = clip((L - b)/s, -1, 1), b the running VaR: drawn often and below it, an example
            ///< falls
};
/// How eta changes with the number t of draws observed.
enum class EtaSchedule : std::uint8_t {
  constant,      ///< eta
  inverse_sqrt,  ///< eta / sqrt(t)
  adagrad,  ///< eta / sqrt(1 + sum of g^2 / (N q + epsilon)): the regret bound's measure of time
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
  iid,     ///< every draw from the distribution, independent
  subset,  ///< a k-subset from the k-DPP, then even draws from it with replacement; exact only
};

struct AdaptiveSamplerOptions {
  double alpha = 0.1;
  Estimator estimator = Estimator::centred;
  std::optional<double> eta = std::nullopt;        // none: automatic
  std::optional<double> eta_scale = std::nullopt;  // none: 1, or what the learner decides
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

/// The q-player of Ada-CVaR: draws examples so that those with large losses come more often, with
/// probability at most 1/k each, and learns from the losses seen.
///
/// The distribution is q_i = (1 - gamma) P_i / k + gamma / N, k = max(1, floor(alpha N)), P the
/// marginals of the diagonal k-DPP with weights e^x_i. After a batch every drawn i moves by
///   x_i += eta * g_i / (q_i + epsilon / N),
/// q_i being the probability it was drawn with, or 1e-15/N if that is less; repeats add up. g: see
/// Estimator; b starts as the VaR of the first batch, s as its mean.
///
/// Row weights w_i, where given, count row i as w_i rows (only ratios matter): with W = sum w_i,
///   q_i = (1 - gamma) w_i sigma(x_i + nu) / (alpha W) + gamma w_i / W,  sum w_i sigma(x_i + nu) =
///   alpha W,
/// so q_i is at most about w_i / (alpha W), and w_i / W takes the place of 1/N in all formulas: the
/// expected move of x_i is that of each of w_i rows. alpha W need not be whole and nothing is
/// rounded down; N stays the number of rows in the automatic eta. Rows that are light beside the
/// others are drawn rarely and move far. Not with exact marginals or subset batches.
///
/// Paper: [CLJK20, Alg. 1]. Departures (docs/papers.md): the tilt nu is solved anew after every
/// update, so the distribution is exact at every step, not only at the start; estimators `loss`,
/// `centred`. Limits: k = N is uniform for ever; k = 1 with `gain` and exact marginals is EXP3
/// [A02]. Log-weights more than about 9e4 from the k-th largest saturate. Draws: the same seed
/// gives the same sequence on every platform. Cost: a draw and its update take time that does not
/// depend on N but for cache misses, plus a part per batch, so larger batches cost less an example;
/// 20 bytes an example, with row weights
/// 32. Exact marginals: four times the time or so (bench/README.md). Throws: OptionError for a
/// value, size, index or length that is not allowed; DataError for a loss that is negative or not
/// finite, or a row weight that is not finite and above 0, or 1e60 times another. After such a
/// throw the sampler is as before. A sampler that was moved from may only be assigned to or
/// destroyed.
class AdaptiveSampler {
 public:
  /// `weights`: a row weight per example, copied; empty: every row counts 1.
  explicit AdaptiveSampler(std::size_t size, const AdaptiveSamplerOptions& options = {},
                           std::span<const double> weights = {});
  AdaptiveSampler(const AdaptiveSampler& other);
  AdaptiveSampler(AdaptiveSampler&& other) noexcept;
  AdaptiveSampler& operator=(const AdaptiveSampler& other);
  AdaptiveSampler& operator=(AdaptiveSampler&& other) noexcept;
  ~AdaptiveSampler();

  [[nodiscard]] std::size_t size() const noexcept;
  /// k, the size of the subsets behind the distribution; with row weights there are none, and it
  /// is only alpha N rounded down.
  [[nodiscard]] std::size_t tail_size() const noexcept;
  [[nodiscard]] const AdaptiveSamplerOptions& options() const noexcept;

  /// q_i, the probability that a draw gives example i now.
  [[nodiscard]] double probability(Index i) const;
  /// All q_i. Cost: O(N).
  [[nodiscard]] std::vector<double> probabilities() const;

  /// Fills `batch` with draws from the distribution.
  void draw(Rng& rng, std::span<Index> batch);

  /// Learns the losses of `drawn`, taken to have been drawn from the present distribution: call it
  /// after each `draw`, before the next.
  void observe(std::span<const Index> drawn, std::span<const double> losses);

  /// The same for batches drawn earlier (loaders that run ahead): `probabilities` are those that
  /// `probability` gave when the batch was drawn.
  void observe(std::span<const Index> drawn, std::span<const double> losses,
               std::span<const double> probabilities);

  /// x_i, up to a constant common to all.
  [[nodiscard]] double log_weight(Index i) const;
  /// Starts from given weights, finite, one per example; with k = N none are kept. Cost: O(N).
  void set_log_weights(std::span<const double> log_weights);

  /// The baseline b and scale s that the next losses meet.
  [[nodiscard]] double baseline() const noexcept;
  [[nodiscard]] double scale() const noexcept;
  /// The eta of the next batch's first draw.
  [[nodiscard]] double eta() const noexcept;

  /// Writes the whole state; a sampler loaded from it, with the generator saved beside it, draws
  /// the same indices. Throws: DataError when the stream fails, is truncated or was altered.
  void save(std::ostream& out) const;
  [[nodiscard]] static AdaptiveSampler load(std::istream& in);

  /// Bytes held for the weights and their bins.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  class Impl;
  explicit AdaptiveSampler(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

static_assert(Sampler<AdaptiveSampler>);

}  // namespace adacvar
