#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace adacvar {

/// Picks a number b with probability weights[b] / total. Building is one pass, picking a binary
/// search without branches; the table is small (about 350 entries) and rebuilt for every batch.
class ProposalTable {
 public:
  /// Weights are non-negative, at least one positive.
  void build(std::span<const double> weights) {
    const std::size_t quarter = (weights.size() + 3) / 4;
    cumulative_.resize(4 * quarter + std::bit_ceil(weights.size()));
    std::ranges::copy(weights, cumulative_.begin());
    std::fill_n(cumulative_.begin() + static_cast<std::ptrdiff_t>(weights.size()),
                4 * quarter - weights.size(), 0.0);
    accumulate(quarter);
    total_ = cumulative_[4 * quarter - 1];
    // Entries before the first and after the last with positive weight need not be searched.
    first_ = 0;
    while (weights[first_] <= 0.0) ++first_;
    std::size_t last = weights.size() - 1;
    while (weights[last] <= 0.0) --last;
    searched_ = std::bit_ceil(last - first_ + 1);
    // Rounding may put u * total at the very end: it then belongs to the last entry with positive
    // weight.
    std::fill(cumulative_.begin() + static_cast<std::ptrdiff_t>(last),
              cumulative_.begin() + static_cast<std::ptrdiff_t>(first_ + searched_),
              std::numeric_limits<double>::infinity());
  }

  /// Finds entries[a] for each uniform number uniforms[a] in [0, 1). Several searches advance
  /// together, so that the processor overlaps them, and without branches, which would be
  /// mispredicted.
  [[gnu::noinline]] void pick(std::span<const double> uniforms,
                              std::span<std::uint32_t> entries) const noexcept {
    constexpr std::size_t kTogether = 8;
    std::size_t a = 0;
    for (; a + kTogether <= entries.size(); a += kTogether)
      search<kTogether>(&uniforms[a], &entries[a]);
    if (entries.size() - a >= kTogether / 2) {
      search<kTogether / 2>(&uniforms[a], &entries[a]);
      a += kTogether / 2;
    }
    for (; a < entries.size(); ++a) search<1>(&uniforms[a], &entries[a]);
  }

 private:
  template <std::size_t Count>
  void search(const double* uniforms, std::uint32_t* entries) const noexcept {
    // Non-negative doubles are ordered like their bits, whose comparison takes fewer instructions.
    std::array<std::int64_t, Count> beyond;
    std::array<std::size_t, Count> at{};
    for (std::size_t a = 0; a < Count; ++a) {
      beyond[a] = std::bit_cast<std::int64_t>(uniforms[a] * total_) + 1;
    }
    for (std::size_t step = searched_ / 2; step > 0; step /= 2) {
      const double* ahead = cumulative_.data() + first_ + step - 1;
      // The sign as a mask, since a conditional might become a branch.
      for (std::size_t a = 0; a < Count; ++a) {
        const std::int64_t difference = std::bit_cast<std::int64_t>(ahead[at[a]]) - beyond[a];
        at[a] += step & static_cast<std::size_t>(difference >> 63);
      }
    }
    for (std::size_t a = 0; a < Count; ++a) entries[a] = static_cast<std::uint32_t>(first_ + at[a]);
  }

  // Running sums of four quarters side by side: one chain of additions would be four times as slow.
  void accumulate(std::size_t quarter) noexcept {
    double* const values = cumulative_.data();
    double s0 = 0.0;
    double s1 = 0.0;
    double s2 = 0.0;
    double s3 = 0.0;
    for (std::size_t b = 0; b < quarter; ++b) {
      values[b] = s0 += values[b];
      values[quarter + b] = s1 += values[quarter + b];
      values[2 * quarter + b] = s2 += values[2 * quarter + b];
      values[3 * quarter + b] = s3 += values[3 * quarter + b];
    }
    s1 += s0;
    s2 += s1;
    for (std::size_t b = 0; b < quarter; ++b) {
      values[quarter + b] += s0;
      values[2 * quarter + b] += s1;
      values[3 * quarter + b] += s2;
    }
  }

  std::vector<double> cumulative_;
  std::size_t first_ = 0;     // the first entry with a positive weight
  std::size_t searched_ = 0;  // entries from there on: a power of two
  double total_ = 0.0;
};

}  // namespace adacvar
