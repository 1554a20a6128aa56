#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

/// The usual way to draw in proportion to weights: a binary tree of sums in one array, double
/// precision, root at 1. Draw and update cost log2 N steps.
class SumTree {
 public:
  explicit SumTree(std::span<const double> weights)
      : leaves_(std::bit_ceil(weights.size())), sums_(2 * leaves_, 0.0) {
    std::ranges::copy(weights, sums_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_; node-- > 1;)
      sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }

  [[nodiscard]] double total() const { return sums_[1]; }
  [[nodiscard]] double weight(std::size_t i) const { return sums_[leaves_ + i]; }

  /// `aim` in [0, total). The branch is often mispredicted, yet faster than none: the processor
  /// fetches ahead along the guessed path.
  [[nodiscard]] std::size_t find(double aim) const {
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (aim >= sums_[node]) aim -= sums_[node++];
    }
    return node - leaves_;
  }

  void set(std::size_t i, double weight) {
    std::size_t node = leaves_ + i;
    sums_[node] = weight;
    while ((node /= 2) > 0) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;
};
