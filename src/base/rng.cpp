#include <adacvar/base/rng.hpp>

#include "base/state_stream.hpp"

#include <algorithm>

namespace adacvar {

namespace {

constexpr std::uint32_t kStateVersion = 1;

std::uint64_t mix(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) noexcept {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  // Mixing the stream first keeps (seed, stream + 1) apart from (seed + 1, stream).
  std::uint64_t counter = seed + mix(stream * kGolden);
  for (std::uint64_t& word : state_) word = mix(counter += kGolden);
}

void Rng::save(std::ostream& out) const {
  StateWriter writer("ACVRRNG", kStateVersion);
  writer.put_array(std::span<const std::uint64_t>(state_));
  writer.write_to(out);
}

Rng Rng::load(std::istream& in) {
  StateReader reader(in, "ACVRRNG", kStateVersion);
  Rng rng;
  reader.get_array(std::span<std::uint64_t>(rng.state_));
  reader.finish();
  reader.require(std::ranges::any_of(rng.state_, [](auto word) { return word != 0; }),
                 "its state is all zeros");
  return rng;
}

}  // namespace adacvar
