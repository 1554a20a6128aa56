#pragma once

#include <adacvar/sampler/sampler.hpp>

#include <iosfwd>
#include <memory>
#include <span>

namespace adacvar {

class WeightClasses;

/// Draws every row with a probability proportional to its weight, with replacement. Losses have no
/// effect. Replaces UniformSampler and ShuffledSampler for rows with weights.
/// Cost: O(1) per draw, 12 bytes per row, shared by copies.
/// Throws: OptionError for no or more than kMaxSize weights, an index out of range or lengths that
/// differ; DataError for a weight that is not finite and above 0, or 1e60 times another, or a loss
/// that is negative or not finite.
class WeightedSampler {
 public:
  explicit WeightedSampler(std::span<const double> weights);

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] double probability(Index i) const;
  void draw(Rng& rng, std::span<Index> batch);
  void observe(std::span<const Index> drawn, std::span<const double> losses);

  void save(std::ostream& out) const;
  [[nodiscard]] static WeightedSampler load(std::istream& in);

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  explicit WeightedSampler(std::shared_ptr<const WeightClasses> weights) noexcept;

  std::shared_ptr<const WeightClasses> weights_;
};

static_assert(Sampler<WeightedSampler>);

}  // namespace adacvar
