#include <adacvar/sampler/weighted_sampler.hpp>

#include "base/state_stream.hpp"
#include "sampler/check_batch.hpp"
#include "sampler/weight_classes.hpp"

#include <utility>

namespace adacvar {

namespace {

constexpr std::uint32_t kStateVersion = 1;

}  // namespace

WeightedSampler::WeightedSampler(std::span<const double> weights)
    : weights_(std::make_shared<const WeightClasses>(weights)) {}

WeightedSampler::WeightedSampler(std::shared_ptr<const WeightClasses> weights) noexcept
    : weights_(std::move(weights)) {}

std::size_t WeightedSampler::size() const noexcept { return weights_->size(); }

double WeightedSampler::probability(Index i) const {
  check_index(i, size());
  return weights_->weight(i) / weights_->total();
}

void WeightedSampler::draw(Rng& rng, std::span<Index> batch) {
  for (Index& i : batch) i = weights_->draw(rng);
}

void WeightedSampler::observe(std::span<const Index> drawn, std::span<const double> losses) {
  check_batch(drawn, losses, size());
}

void WeightedSampler::save(std::ostream& out) const {
  StateWriter writer("ACVRWEIG", kStateVersion);
  writer.put(static_cast<std::uint64_t>(size()));
  weights_->save(writer);
  writer.write_to(out);
}

WeightedSampler WeightedSampler::load(std::istream& in) {
  StateReader reader(in, "ACVRWEIG", kStateVersion);
  const auto size = reader.get<std::uint64_t>();
  WeightedSampler sampler(WeightClasses::load(reader, size));
  reader.finish();
  return sampler;
}

std::size_t WeightedSampler::memory_bytes() const noexcept { return weights_->memory_bytes(); }

}  // namespace adacvar
