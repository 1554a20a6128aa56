#pragma once

#include <adacvar/sampler/adaptive_sampler.hpp>
#include <adacvar/sampler/uniform_sampler.hpp>
#include <adacvar/sampler/weighted_sampler.hpp>

#include <string_view>
#include <variant>

namespace adacvar {

/// A Sampler whose kind is chosen at run time.
class AnySampler {
 public:
  using Variant = std::variant<UniformSampler, ShuffledSampler, AdaptiveSampler, WeightedSampler>;

  explicit AnySampler(Variant sampler) : sampler_(std::move(sampler)) {}

  [[nodiscard]] std::size_t size() const {
    return std::visit([](const auto& s) { return s.size(); }, sampler_);
  }
  [[nodiscard]] double probability(Index i) const {
    return std::visit([i](const auto& s) { return s.probability(i); }, sampler_);
  }
  void draw(Rng& rng, std::span<Index> batch) {
    std::visit([&](auto& s) { s.draw(rng, batch); }, sampler_);
  }
  void observe(std::span<const Index> drawn, std::span<const double> losses) {
    std::visit([&](auto& s) { s.observe(drawn, losses); }, sampler_);
  }
  /// Sets gamma from the next draw on; no effect on samplers without one.
  void set_gamma(double gamma) {
    if (auto* adaptive = std::get_if<AdaptiveSampler>(&sampler_)) adaptive->set_gamma(gamma);
  }
  /// Multiplies the log-weights by `factor`; no effect on samplers without any.
  void discount(double factor) {
    if (auto* adaptive = std::get_if<AdaptiveSampler>(&sampler_)) adaptive->discount(factor);
  }
  void save(std::ostream& out) const {
    std::visit([&out](const auto& s) { s.save(out); }, sampler_);
  }
  /// Loads the state of a sampler of the same kind and size. Throws: DataError otherwise.
  void load(std::istream& in);

  [[nodiscard]] const Variant& variant() const noexcept { return sampler_; }

 private:
  Variant sampler_;
};

static_assert(Sampler<AnySampler>);

/// Makes the sampler `name`: `uniform`, `shuffled` or `adaptive` (which alone uses `options`). With
/// row weights, one per example, `uniform` and `shuffled` are a WeightedSampler.
/// Throws: OptionError, with the known names, for an unknown name; otherwise as the sampler.
[[nodiscard]] AnySampler make_sampler(std::string_view name, std::size_t size,
                                      const AdaptiveSamplerOptions& options = {},
                                      std::span<const double> weights = {});

}  // namespace adacvar
