#include <adacvar/sampler/uniform_sampler.hpp>

#include "base/state_stream.hpp"
#include "sampler/check_batch.hpp"

#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr std::uint32_t kStateVersion = 1;

}  // namespace

UniformSampler::UniformSampler(std::size_t size) : size_(size) { check_size(size); }

double UniformSampler::probability(Index i) const {
  check_index(i, size_);
  return 1.0 / static_cast<double>(size_);
}

void UniformSampler::draw(Rng& rng, std::span<Index> batch) {
  for (Index& i : batch) i = rng.below(static_cast<std::uint32_t>(size_));
}

void UniformSampler::observe(std::span<const Index> drawn, std::span<const double> losses) {
  check_batch(drawn, losses, size_);
}

void UniformSampler::save(std::ostream& out) const {
  StateWriter writer("ACVRUNIF", kStateVersion);
  writer.put(static_cast<std::uint64_t>(size_));
  writer.write_to(out);
}

UniformSampler UniformSampler::load(std::istream& in) {
  StateReader reader(in, "ACVRUNIF", kStateVersion);
  const auto size = reader.get<std::uint64_t>();
  reader.finish();
  reader.require(size >= 1 && size <= kMaxSize, "its size is out of range");
  return UniformSampler(size);
}

ShuffledSampler::ShuffledSampler(std::size_t size) {
  check_size(size);
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), Index{0});
}

double ShuffledSampler::probability(Index i) const {
  check_index(i, order_.size());
  return 1.0 / static_cast<double>(order_.size());
}

void ShuffledSampler::draw(Rng& rng, std::span<Index> batch) {
  for (Index& i : batch) {
    // One Fisher-Yates step per draw, so that there is no pause for shuffling between epochs.
    const auto left = static_cast<std::uint32_t>(order_.size() - drawn_);
    std::swap(order_[drawn_], order_[drawn_ + rng.below(left)]);
    i = order_[drawn_];
    if (++drawn_ == order_.size()) drawn_ = 0;
  }
}

void ShuffledSampler::observe(std::span<const Index> drawn, std::span<const double> losses) {
  check_batch(drawn, losses, order_.size());
}

void ShuffledSampler::save(std::ostream& out) const {
  StateWriter writer("ACVRSHUF", kStateVersion);
  writer.put(static_cast<std::uint64_t>(order_.size()));
  writer.put(static_cast<std::uint64_t>(drawn_));
  writer.put_array(std::span<const Index>(order_));
  writer.write_to(out);
}

ShuffledSampler ShuffledSampler::load(std::istream& in) {
  StateReader reader(in, "ACVRSHUF", kStateVersion);
  const auto size = reader.get<std::uint64_t>();
  const auto drawn = reader.get<std::uint64_t>();
  reader.require(size >= 1 && size <= kMaxSize && size == reader.remaining() / sizeof(Index),
                 "its size is out of range");
  reader.require(drawn < size, "its place in the epoch is out of range");
  ShuffledSampler sampler(size);
  sampler.drawn_ = drawn;
  reader.get_array(std::span<Index>(sampler.order_));
  reader.finish();
  std::vector<bool> seen(size, false);
  for (const Index i : sampler.order_) {
    reader.require(i < size && !seen[i], "its order is not a permutation");
    seen[i] = true;
  }
  return sampler;
}

}  // namespace adacvar
