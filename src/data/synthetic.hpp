#pragma once

#include "data/table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace adacvar {

/// By default a tail of 1 % has 100 rows.
struct SyntheticOptions {
  std::size_t rows = 10'000;
  std::uint64_t seed = 0;
};

/// Returns the names normal, pareto, sinc.
[[nodiscard]] std::span<const std::string_view> synthetic_names() noexcept;

/// Generates a synthetic regression set with target `y`, bit for bit the same on every platform.
///
/// `normal`, `pareto`: x1 .. x5 ~ N(0, 0.1 I + 0.9 11'), y = x'theta + noise with theta = (0.25,
/// -0.25, 0.5, 0.7, -0.75); the noise is 0.1 N(0, 1), or 0.1 (P - 0.5) with P ~ Pareto(3) from 0
/// on (Pr(P > p) = (1 + p)^-3, mean 0.5), so its mean is 0 too.
/// `sinc`: y = sin(pi x) / (pi x) + 0.2 N(0, 1), x ~ U[-10, 10]; the features x1 .. x10 are
/// exp(-(c_j - x)^2) with centres c_j ~ U[-10, 10] that depend on the seed but not on `rows`.
///
/// Paper: [CLJK20, appendix].
/// Throws: OptionError for an unknown name or when rows is 0 or too large.
[[nodiscard]] Table make_synthetic(std::string_view name, const SyntheticOptions& options = {});

}  // namespace adacvar
