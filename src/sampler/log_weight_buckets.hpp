#pragma once

#include <adacvar/base/index.hpp>

#include "base/huge_pages.hpp"
#include "sampler/chebyshev_sums.hpp"
#include "sampler/tilt_search.hpp"
#include "sampler/weight_classes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// N log-weights x_i, stored so that draws from the matched distribution p_i = sigma(x_i + nu), sum
/// p_i = k, and updates of nu cost the same for any N [DESIGN 4]. With row weights w_i the sums are
/// weighted: sum w_i p_i = target, and rows are drawn with probabilities proportional to w_i p_i.
///
/// Bins. A window of buckets of width 1/4 in x covers every item whose p_i does not round to 0 or
/// 1; bin 0 holds all items below it, the last bin all items above it. To draw, pick a bin by count
/// * (p at its upper edge) and an item in it uniformly, and accept it with probability p_i / (p at
/// the edge), which is at least e^-1/4. Bins are lists of fixed-size chunks from one pool, so that
/// memory stays at 16 + 4 bytes per item, with row weights 16 + 4 + 4, wherever items move.
///
/// Row weights. A bin keeps a list for every class of WeightClasses, whose weights differ by less
/// than 1.5: pick a bin, in it a class by count * (largest weight of the class), an item of that
/// list uniformly, and accept it by p_i and w_i. Proposals are made by counts, which are exact for
/// any range of weights. Without row weights bin b has a single list, b.
///
/// Sums. Every four buckets share a cell of width 1 that keeps the sums of the first 12 Chebyshev
/// polynomials of its items' positions. Interpolation at 12 nodes per cell turns sum_i f(x_i) into
/// a weighted sum over about 800 nodes, for any f that is smooth at this scale; for sigma the error
/// is below 1e-12 relative. Thus sum p_i and its derivatives in nu cost the same for any N, and
/// nothing is updated when nu changes.
class LogWeightBuckets {
 public:
  /// Log-weights saturate here: e^-9e4 is 0 in practice, and x + nu still has 11 digits.
  static constexpr double kMaxLogWeight = 1e5;
  /// Bound of |nu|: beyond it a common constant is subtracted from all log-weights.
  static constexpr double kMaxTilt = 1e4;

  /// Requires finite `log_weights` and 0 < target < log_weights.size(), or with row weights, one
  /// per item, target below their sum.
  LogWeightBuckets(std::span<const double> log_weights, double target,
                   std::shared_ptr<const WeightClasses> weights = nullptr);
  /// Starts with all log-weights 0.
  LogWeightBuckets(std::size_t size, double target,
                   std::shared_ptr<const WeightClasses> weights = nullptr);

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] double log_weight(Index i) const noexcept { return items_[i].x; }
  /// Row weight; 1 without row weights.
  [[nodiscard]] double weight(Index i) const noexcept {
    return weights_ != nullptr ? items_[i].weight : 1.0;
  }

  /// Returns nu: sum w_i sigma(x_i + nu) = target within 1e-13 relative, after solve_tilt.
  [[nodiscard]] double tilt() const noexcept { return tilt_; }
  /// Returns sum w_i p_i (1 - p_i) at the tilt of the last solve.
  [[nodiscard]] double variance() const noexcept { return variance_; }

  /// Adds steps to log-weights, x_i += step for every pair in turn; repeats add up. `before` and
  /// `after` receive x_i around each step. The tilt is stale until solve_tilt.
  void add(std::span<const Index> indices, std::span<const double> steps, std::span<double> before,
           std::span<double> after);

  /// Multiplies all log-weights by a factor in [0, 1] and solves for nu. Cost: O(N).
  void multiply(double factor);

  /// Solves for nu. `change` is an estimate of sum w_i p_i - target at the current nu; it affects
  /// only the time. Returns the constant that was subtracted from all log-weights and added to nu,
  /// mostly 0.
  double solve_tilt(double change = 0.0);

  // For the rows of a shard, whose tilt is that of all shards.
  /// Returns the sums at a tilt, to which the window moves. The current tilt is stale then.
  [[nodiscard]] TiltSums sums_at(double tilt);
  /// Sets nu without solving, near that of the last `sums_at`.
  void set_tilt(double tilt);
  /// Multiplies all log-weights by a factor in [0, 1]; the tilt is stale. Cost: O(N).
  void scale(double factor);
  /// Subtracts a whole number from all log-weights and adds it to nu. Cost: O(N).
  void subtract(double shift);

  // For drawing.
  [[nodiscard]] std::size_t bin_count() const noexcept { return cells_ * kBucketsPerCell + 2; }
  /// Number of lists per bin: list bin * classes() + c has its items of weight class c.
  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  [[nodiscard]] std::uint32_t list_size(std::size_t list) const noexcept {
    return lists_[list].count;
  }
  /// With row weights: proposes an item of a bin, to be accepted by its weight, from a uniform
  /// number. The two parts allow other proposals in between, while the list is fetched.
  [[nodiscard]] WeightClasses::Place propose(std::size_t bin, double uniform) const noexcept {
    WeightClasses::Place place = weights_->find(list_starts_.data() + bin * line_size_, uniform);
    place.list += bin * classes_;
    __builtin_prefetch(&lists_[place.list]);
    return place;
  }
  [[nodiscard]] const Index* slot_address(const WeightClasses::Place& place) const noexcept {
    return slot_address(place.list, std::min(place.slot, lists_[place.list].count - 1));
  }
  /// Returns the upper edge of a bin in x; +inf for the last.
  [[nodiscard]] double upper_edge(std::size_t bin) const noexcept;
  /// Computes for every bin, at the current tilt, an upper bound of its items' p_i, and that bound
  /// times its mass: the sum over its items of the largest weight of their class (without row
  /// weights their number). The bound of an empty bin may be left unchanged.
  void bound_marginals(std::span<double> bounds, std::span<double> masses) const;
  [[nodiscard]] const Index* slot_address(std::size_t list, std::uint32_t slot) const noexcept {
    return pool_.data() + place(list, slot);
  }
  void prefetch(Index i) const noexcept { __builtin_prefetch(&items_[i], 1); }

  // For sums over the window's items: sum_i f(x_i) is the sum of weight * f(position) over the
  // kNodes nodes of each cell.
  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }
  /// Number of a cell's items; only without row weights.
  [[nodiscard]] std::uint64_t cell_size(std::size_t cell) const noexcept {
    return static_cast<std::uint64_t>(moments_[cell * kNodes]);
  }
  [[nodiscard]] double cell_centre(std::size_t cell) const noexcept {
    return static_cast<double>(first_cell_) + static_cast<double>(cell) + 0.5;
  }
  /// Weights of all nodes, kNodes per cell.
  [[nodiscard]] std::span<const double> node_weights();
  [[nodiscard]] double node_position(std::size_t node) const noexcept;

  void save(StateWriter& writer) const;
  [[nodiscard]] static LogWeightBuckets load(StateReader& reader, std::size_t size, double target,
                                             std::shared_ptr<const WeightClasses> weights = {});

  /// Memory in bytes, at most 24 per item, with row weights 28; without those of WeightClasses.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  static constexpr std::size_t kNodes = kChebyshevNodes;  // per cell
  static constexpr std::size_t kBucketsPerCell = 4;

 private:
  // A draw reads log-weight and row weight of a random item: beside each other they cost one cache
  // miss. Slots, which only change with the item's list, then have an array of their own.
  struct Item {
    double x = 0.0;
    union {
      std::uint32_t slot = 0;
      double weight;  // with row weights
    };
  };
  struct List {
    std::uint32_t count = 0;
    std::uint32_t leaving = 0;  // within `add`: items that are to leave the list
    std::vector<std::uint32_t> chunks;
  };
  struct Move {
    Index item;
    std::uint32_t from;
    std::uint32_t to;
  };
  struct WeightedValue {
    double x;
    double weight;
  };

  void allocate(std::size_t size);
  void clear_bins();
  void fill_bins();
  void check_moments(const StateReader& reader);
  [[nodiscard]] std::size_t bin_of(double x) const noexcept;
  [[nodiscard]] std::uint32_t& slot_of(Index i) noexcept {
    return weights_ != nullptr ? slots_[i] : items_[i].slot;
  }
  [[nodiscard]] double total() const noexcept {
    return weights_ != nullptr ? weights_->total() : static_cast<double>(items_.size());
  }
  [[nodiscard]] std::size_t list_of(std::size_t bin, Index i) const noexcept {
    return weights_ != nullptr ? bin * classes_ + weights_->class_of(items_[i].weight) : bin;
  }
  [[nodiscard]] std::size_t place(std::size_t list, std::uint32_t slot) const noexcept {
    const std::size_t chunk = lists_[list].chunks[slot >> chunk_shift_];
    return (chunk << chunk_shift_) + (slot & chunk_mask_);
  }
  void append(std::size_t bin, Index i);
  void note_weight(std::size_t bin, double change);
  void prefetch_lists();
  void prefetch_filler(std::size_t list);
  void remove(std::size_t bin, Index i);
  void move_all(std::size_t from, std::size_t to);
  void note_moments(Index i);
  void note_steps(std::span<const Index> indices, std::span<const double> before,
                  std::span<const double> after);
  void apply_moments();
  void recompute_moments();
  void refresh_node_weights();
  void refresh_masses();
  void sum_weight_above();
  [[nodiscard]] TiltSums evaluate(double tilt);
  [[nodiscard]] std::int64_t wanted_first_cell(double tilt) const noexcept;
  void keep_window_around(double tilt);
  [[nodiscard]] std::vector<WeightedValue> largest_values() const;
  void shift_window(std::int64_t first_cell);
  void pull_into_window(std::size_t from);
  bool newton(int iterations);
  [[nodiscard]] double middle_of(std::vector<WeightedValue> values) const;
  void jump_to_threshold();
  void refresh_sums();
  double recentre();

  double target_;
  double tilt_ = 0.0;
  double variance_ = 0.0;

  BigVector<Item> items_;
  BigVector<std::uint32_t> slots_;  // only with row weights
  BigVector<Index> pool_;
  std::vector<std::uint32_t> free_chunks_;
  std::vector<double> list_sizes_;  // as the lists' counts
  std::vector<List> lists_;  // bin 0: below the window, then the buckets, last: above the window
  unsigned chunk_shift_ = 4;
  std::uint32_t chunk_mask_ = 15;

  std::shared_ptr<const WeightClasses> weights_;  // null: every item counts 1
  std::size_t classes_ = 1;
  std::size_t line_size_ = 0;        // line_size() of WeightClasses
  double weight_above_ = 0.0;        // weight of the items above the window; only with row weights,
  std::vector<double> bin_masses_;   // as are the next three, see bound_marginals
  std::vector<double> list_starts_;  // `starts` of every bin for WeightClasses::find
  std::vector<char> mass_changed_;   // a list of the bin has changed

  std::size_t cells_ = 0;
  std::size_t cells_below_ = 0;     // cells of the window below x = -nu
  std::int64_t first_cell_ = 0;     // window: x in [first_cell_, first_cell_ + cells_)
  BigVector<double> moments_;       // cells_ x kNodes
  BigVector<double> node_weights_;  // cells_ x kNodes
  BigVector<double> node_decay_;    // e^-(node position - first_cell_)
  std::vector<double> edge_decay_;  // e^-(upper edge - first_cell_), one per bucket
  std::vector<char> cell_changed_;
  std::vector<MomentChange> changes_;  // pending: the first changed_ entries
  std::size_t changed_ = 0;
  std::vector<Move> moves_;  // scratch of `add`
  std::uint64_t updates_since_refresh_ = 0;
};

}  // namespace adacvar
