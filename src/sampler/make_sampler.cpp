#include <adacvar/sampler/make_sampler.hpp>

#include <fmt/format.h>

namespace adacvar {

AnySampler make_sampler(std::string_view name, std::size_t size,
                        const AdaptiveSamplerOptions& options) {
  if (name == "uniform") return AnySampler(UniformSampler(size));
  if (name == "shuffled") return AnySampler(ShuffledSampler(size));
  if (name == "adaptive") return AnySampler(AdaptiveSampler(size, options));
  throw OptionError(fmt::format("sampler = '{}' is not one of: uniform, shuffled, adaptive", name));
}

}  // namespace adacvar
