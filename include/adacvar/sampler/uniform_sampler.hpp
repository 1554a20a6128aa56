#pragma once

#include <adacvar/sampler/sampler.hpp>

#include <iosfwd>
#include <vector>

namespace adacvar {

/// Draws every example with the same probability, with replacement. Losses have no effect.
/// Cost: O(1) per draw, no memory.
/// Throws: OptionError for a size of 0 or above kMaxSize, an index out of range or lengths that
/// differ; DataError for a loss that is negative or not finite.
class UniformSampler {
 public:
  explicit UniformSampler(std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double probability(Index i) const;
  void draw(Rng& rng, std::span<Index> batch);
  void observe(std::span<const Index> drawn, std::span<const double> losses);

  void save(std::ostream& out) const;
  [[nodiscard]] static UniformSampler load(std::istream& in);

 private:
  std::size_t size_;
};

/// Draws epochs in random order: every example once per epoch. A batch may span two epochs.
/// `probability` is the long-run share of an example, 1/N.
/// Cost: O(1) per draw; 4 bytes per example.
/// Throws: as UniformSampler.
class ShuffledSampler {
 public:
  explicit ShuffledSampler(std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] double probability(Index i) const;
  void draw(Rng& rng, std::span<Index> batch);
  void observe(std::span<const Index> drawn, std::span<const double> losses);

  void save(std::ostream& out) const;
  [[nodiscard]] static ShuffledSampler load(std::istream& in);

 private:
  std::vector<Index> order_;
  std::size_t drawn_ = 0;  // order_[0, drawn_) has been drawn in this epoch
};

static_assert(Sampler<UniformSampler> && Sampler<ShuffledSampler>);

}  // namespace adacvar
