#include <adacvar/sampler/make_sampler.hpp>

#include "sampler/check_batch.hpp"

#include <fmt/core.h>

namespace adacvar {

void AnySampler::load(std::istream& in) {
  std::visit(
      [&]<class S>(S& sampler) {
        S loaded = S::load(in);
        if (loaded.size() != sampler.size()) {
          throw DataError(fmt::format("the sampler saved has {} examples, not {}", loaded.size(),
                                      sampler.size()));
        }
        sampler = std::move(loaded);
      },
      sampler_);
}

AnySampler make_sampler(std::string_view name, std::size_t size,
                        const AdaptiveSamplerOptions& options, std::span<const double> weights) {
  if (name == "adaptive") return AnySampler(AdaptiveSampler(size, options, weights));
  if (name != "uniform" && name != "shuffled") {
    throw OptionError(
        fmt::format("sampler = '{}' is not one of: uniform, shuffled, adaptive", name));
  }
  if (!weights.empty()) {
    check_weight_count(weights.size(), size);
    return AnySampler(WeightedSampler(weights));
  }
  return name == "uniform" ? AnySampler(UniformSampler(size)) : AnySampler(ShuffledSampler(size));
}

}  // namespace adacvar
