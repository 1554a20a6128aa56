#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace adacvar {

/// Requirements of the learner on a sampler, in the order of the loop: its distribution, a batch of
/// examples drawn from it, and then the losses observed on them.
template <class S>
concept Sampler = requires(S s, const S& c, Rng& rng, Index i, std::span<Index> batch,
                           std::span<const Index> drawn, std::span<const double> losses) {
  { c.size() } -> std::same_as<std::size_t>;
  { c.probability(i) } -> std::same_as<double>;
  s.draw(rng, batch);
  s.observe(drawn, losses);
};

}  // namespace adacvar
