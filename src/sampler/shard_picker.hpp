#pragma once

#include <adacvar/base/rng.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Stream of the generator of shard s: kShardStreams + s. Far from the small numbers of others.
inline constexpr std::uint64_t kShardStreams = 0x7368'6172'6400'0000U;

/// Picks shards in proportion to their masses.
class ShardPicker {
 public:
  /// Masses are not negative, at least one is positive.
  void build(std::span<const double> masses) {
    ends_.resize(masses.size());
    double end = 0.0;
    for (std::size_t s = 0; s < masses.size(); ++s) {
      ends_[s] = end += masses[s];
      if (masses[s] > 0.0) last_ = s;
    }
  }

  [[nodiscard]] std::size_t pick(Rng& rng) const {
    const double place = rng.uniform() * ends_.back();
    // Rounding may put the place at the very end: it then belongs to the last shard with a mass.
    const auto end = std::ranges::upper_bound(ends_, place);
    return std::min(static_cast<std::size_t>(end - ends_.begin()), last_);
  }

 private:
  std::vector<double> ends_;
  std::size_t last_ = 0;
};

}  // namespace adacvar
