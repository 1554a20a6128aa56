#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include "sampler/exact_marginals.hpp"
#include "sampler/log_weight_buckets.hpp"
#include "sampler/proposal_table.hpp"
#include "sampler/weight_classes.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

/// The distribution of AdaptiveSampler, and draws from it: q_i = (1 - gamma) w_i P_i / target +
/// gamma w_i / total, where P_i are the marginals of log-weights.
///
/// The rows are all rows, or those of a shard. `total` and `target` are those of all rows: the
/// probabilities of a shard's rows sum to its share, and draws are from the distribution given the
/// shard.
class TailDistribution {
 public:
  /// Sums over all rows.
  struct Scale {
    double total;     ///< N, with row weights W
    double target;    ///< k, with row weights alpha W
    bool is_uniform;  ///< the tail is all rows: every marginal is 1, and there are no log-weights
  };
  /// That of `size` rows; with row weights, of sum `total`.
  [[nodiscard]] static Scale scale(std::size_t size, double alpha);
  [[nodiscard]] static Scale weighted_scale(std::size_t size, double alpha, double total);

  /// `weights` null: every row counts 1.
  TailDistribution(std::size_t size, const Scale& scale,
                   std::shared_ptr<const WeightClasses> weights, double gamma);

  [[nodiscard]] bool uniform() const noexcept { return is_uniform_; }

  /// Computes marginals[j] of drawn[j].
  void find_marginals(std::span<const Index> drawn, std::span<double> marginals) const;

  [[nodiscard]] double row_weight(Index i) const noexcept {
    if (weights_ == nullptr) return 1.0;
    return buckets_ ? buckets_->weight(i) : weights_->weight(i);
  }
  /// Returns the probability of an example with that row weight and marginal.
  [[nodiscard]] double mixed(double row_weight, double marginal) const noexcept {
    const double rate = tail_share_ * marginal + uniform_share_;
    if (weights_ == nullptr) return rate;
    return uniform() ? row_weight / total_ : row_weight * rate;
  }

  /// Sets gamma.
  void mix(double gamma);

 protected:
  [[nodiscard]] double tilt() const noexcept { return exact_ ? exact_->tilt() : buckets_->tilt(); }
  // Replaces log-weight + tilt by the marginal, in place.
  void to_marginals(std::span<double> z) const;
  void build_proposals();
  void draw_uniform(Rng& rng, std::span<Index> batch) const;
  // `marginals` receives those of the rows drawn.
  void draw_iid(Rng& rng, std::span<Index> batch, std::span<double> marginals);
  template <bool Weighted>
  void draw_group(Rng& rng, std::span<Index> out, std::span<double> marginals);

  std::size_t size_;
  std::shared_ptr<const WeightClasses> weights_;  // null: every row counts 1
  double total_;
  double target_;
  double gamma_ = 0;
  double tail_share_ = 0;     // (1 - gamma) / target
  double uniform_share_ = 0;  // gamma / total
  bool is_uniform_;
  std::optional<LogWeightBuckets> buckets_;  // none if uniform
  std::optional<ExactMarginals> exact_;
  bool proposals_stale_ = true;  // log-weights, tilt or gamma have changed

 private:
  ProposalTable proposals_;
  std::vector<double> bounds_;  // per bin: upper bound of its items' marginals
  std::vector<double> masses_;  // per bin, and one for the uniform part: bound * count
};

}  // namespace adacvar
