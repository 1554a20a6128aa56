#include <adacvar/sampler/make_sampler.hpp>

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
                        const AdaptiveSamplerOptions& options) {
  if (name == "uniform") return AnySampler(UniformSampler(size));
  if (name == "shuffled") return AnySampler(ShuffledSampler(size));
  if (name == "adaptive") return AnySampler(AdaptiveSampler(size, options));
  throw OptionError(fmt::format("sampler = '{}' is not one of: uniform, shuffled, adaptive", name));
}

}  // namespace adacvar
