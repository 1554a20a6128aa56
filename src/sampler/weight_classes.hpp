#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include "base/huge_pages.hpp"
#include "base/vector.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// Throws: DataError unless every weight is finite and above 0.
void check_weights(std::span<const double> weights);
/// Throws: DataError if the largest weight is more than 2^200 times the smallest.
void check_weight_range(double least, double most);

/// A row proposed for a draw, to be accepted if its weight is above `least_weight`.
struct WeightedSlot {
  const Index* row;
  double least_weight;
};

/// Row weights, grouped so that a row can be drawn in proportion to its weight in constant time.
///
/// The weights of one class differ by a factor of less than 1.5: a row drawn uniformly from its
/// class is accepted with probability weight / (largest weight of the class). Classes are sorted by
/// total weight, so that a search from the front is short.
///
/// Weights are scaled by a power of two to a mean of at least 1 and below 2: only their ratios
/// matter, and no sum overflows.
class WeightClasses {
 public:
  /// Throws: OptionError unless there are 1 to kMaxSize weights; DataError unless each is finite
  /// and above 0, and the largest is at most 2^200 times the smallest.
  explicit WeightClasses(std::span<const double> weights);
  /// The weights of a shard, multiplied by 2^-exponent, which is that of all shards.
  WeightClasses(std::span<const double> weights, int exponent);

  [[nodiscard]] std::size_t size() const noexcept { return weights_.size(); }
  [[nodiscard]] double weight(Index i) const noexcept { return weights_[i]; }
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
  /// Sum of the weights.
  [[nodiscard]] double total() const noexcept { return total_; }

  /// Number of classes.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t class_of(double weight) const noexcept {
    return class_of_key_[key_of(weight) - first_key_];
  }
  /// Largest weight of every class.
  [[nodiscard]] std::span<const double> bounds() const noexcept { return bounds_; }
  /// Sum over all rows of the largest weight of their class.
  [[nodiscard]] double mass() const noexcept { return starts_[count()]; }

  /// A position on a line on which every row has the length of the largest weight of its class. One
  /// uniform number gives the class, the row and, by its remainder, the acceptance.
  struct Place {
    std::size_t list;    // class
    std::uint32_t slot;  // row in the class; rounding may give one beyond the last
    double least_weight;
  };
  /// Finds the position of a uniform number. `starts` has `line_size` numbers: the starts of the
  /// classes, the end of the line, then infinities.
  [[nodiscard]] Place find(const double* starts, double uniform) const noexcept;
  [[nodiscard]] std::size_t line_size() const noexcept { return starts_.size(); }

  /// Proposes a row; accepted rows have the probability weight / total.
  [[nodiscard]] WeightedSlot propose(double uniform) const noexcept;
  /// Draws a row with the probability weight / total.
  [[nodiscard]] Index draw(Rng& rng) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  void save(StateWriter& writer) const;
  [[nodiscard]] static std::shared_ptr<const WeightClasses> load(StateReader& reader,
                                                                 std::size_t size);

 private:
  static constexpr std::size_t kStretch = 8;  // classes searched at once, two per Vec2

  // Exponent and first bit of the mantissa: two classes per octave, [1, 1.5) and [1.5, 2).
  [[nodiscard]] static std::size_t key_of(double weight) noexcept {
    return std::bit_cast<std::uint64_t>(weight) >> 51U;
  }
  void take_weights(std::span<const double> weights, int exponent);
  void make_classes();

  BigVector<double> weights_;
  double total_ = 0.0;
  std::size_t count_ = 0;
  std::size_t first_key_ = 0;
  std::vector<std::uint16_t> class_of_key_;  // indexed by key - first_key_
  std::vector<double> bounds_, inverse_bounds_;
  std::vector<double> starts_;        // starts of the classes on the line of `find`, and its end
  std::vector<std::uint32_t> start_;  // class c has rows_[start_[c]], ..., rows_[start_[c + 1] - 1]
  BigVector<Index> rows_;
};

inline WeightClasses::Place WeightClasses::find(const double* starts,
                                                double uniform) const noexcept {
  const double* const ends = starts + 1;
  const double place = uniform * ends[count() - 1];  // less than that, since uniform < 1
  // Finds the first end beyond the place, without branches within a stretch, which would be
  // mispredicted.
  std::size_t c = 0;
  while (c + kStretch < count() && place >= ends[c + kStretch - 1]) c += kStretch;
  const auto two_passed = [&](std::size_t two) {
    Vec2 both;
    std::memcpy(&both, ends + c + 2 * two, sizeof(both));
    return both <= place;  // -1 for each that is passed
  };
  const auto passed = (two_passed(0) + two_passed(1)) + (two_passed(2) + two_passed(3));
  c += static_cast<std::size_t>(-(passed[0] + passed[1]));
  const double rest = place - starts[c];
  const auto slot = static_cast<std::int64_t>(rest * inverse_bounds_[c]);
  return {.list = c,
          .slot = static_cast<std::uint32_t>(slot),
          .least_weight = rest - static_cast<double>(slot) * bounds_[c]};
}

}  // namespace adacvar
