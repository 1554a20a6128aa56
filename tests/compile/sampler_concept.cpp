// A type with everything the concept asks for; `observe` is there only under WITH_OBSERVE.
#include <adacvar/sampler/sampler.hpp>

#include <cstddef>
#include <span>

namespace {

struct FirstRowSampler {
  [[nodiscard]] std::size_t size() const { return 1; }
  [[nodiscard]] double probability(adacvar::Index) const { return 1.0; }
  void draw(adacvar::Rng&, std::span<adacvar::Index> batch) {
    for (adacvar::Index& index : batch) index = 0;
  }
#ifdef WITH_OBSERVE
  void observe(std::span<const adacvar::Index>, std::span<const double>) {}
#endif
};

static_assert(adacvar::Sampler<FirstRowSampler>);

}  // namespace
