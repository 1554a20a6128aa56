#pragma once

#include <adacvar/base/index.hpp>

#include "base/huge_pages.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// N log-weights x_i, kept so that the matched law p_i = sigma(x_i + nu), sum p_i = k, can be drawn
/// from and nu followed at a cost that does not depend on N [DESIGN 4].
///
/// Bins. A window of buckets of width 1/4 in x covers every item whose p_i is neither 0 nor 1 for
/// a double; bin 0 holds all items below it, the last bin all items above it. To draw: pick a bin
/// by count * (p at its upper edge), an item in it evenly, accept by p_i / (p at the edge), which
/// is at least e^-1/4. Bins are lists of fixed-size chunks from one pool, so that memory stays 16 +
/// 4 bytes an item however items move.
///
/// Sums. Every four buckets share a cell of width 1 that keeps the sums of the first 12 Chebyshev
/// polynomials of its items' positions. Interpolation at 12 nodes a cell turns sum_i f(x_i) into a
/// weighted sum over some 800 nodes, for any f that is smooth at this scale; for sigma the error is
/// below 1e-12 relative. So sum p_i and its derivatives in nu cost the same for any N, and nothing
/// has to be refreshed when nu moves.
class LogWeightBuckets {
 public:
  /// Log-weights saturate here: e^-9e4 is no chance at all, and x + nu still has 11 digits.
  static constexpr double kMaxLogWeight = 1e5;
  /// Further from 0 than this nu does not go: a common constant is taken from all log-weights.
  static constexpr double kMaxTilt = 1e4;

  /// `log_weights` finite, 0 < target < log_weights.size().
  LogWeightBuckets(std::span<const double> log_weights, double target);
  /// All log-weights 0.
  LogWeightBuckets(std::size_t size, double target);

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] double log_weight(Index i) const noexcept { return items_[i].x; }

  /// nu: sum sigma(x_i + nu) = target within 1e-13 relative, after solve_tilt.
  [[nodiscard]] double tilt() const noexcept { return tilt_; }
  /// sum p_i (1 - p_i) at the tilt of the last solve.
  [[nodiscard]] double variance() const noexcept { return slope_; }

  /// x_i += step for every pair in turn; repeats add up. `before` and `after` receive x_i around
  /// each step. The tilt is stale until solve_tilt.
  void add(std::span<const Index> indices, std::span<const double> steps, std::span<double> before,
           std::span<double> after);

  /// Finds nu for the present weights. `change` is a guess of how far sum p_i has moved from the
  /// target at the present nu; a good guess saves time and changes nothing else.
  /// Returns the constant that was taken from all log-weights and added to nu, mostly 0.
  double solve_tilt(double change = 0.0);

  // What drawing needs.
  [[nodiscard]] std::size_t bin_count() const noexcept { return bins_.size(); }
  [[nodiscard]] std::uint32_t bin_size(std::size_t bin) const noexcept { return bins_[bin].count; }
  /// Upper edge of a bin in x; +inf for the last.
  [[nodiscard]] double upper_edge(std::size_t bin) const noexcept;
  /// For every bin, at the present tilt: an upper bound of its items' p_i, and that times its size;
  /// an empty bin's bound may be left as it was.
  void bound_marginals(std::span<double> bounds, std::span<double> masses) const;
  [[nodiscard]] const Index* slot_address(std::size_t bin, std::uint32_t slot) const noexcept {
    return pool_.data() + place(bin, slot);
  }
  void prefetch(Index i) const noexcept { __builtin_prefetch(&items_[i], 1); }

  // What sums over the window's items need: sum_i f(x_i) is the sum of weight * f(position) over
  // the kNodes nodes of each cell.
  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }
  [[nodiscard]] std::uint64_t cell_size(std::size_t cell) const noexcept {
    return static_cast<std::uint64_t>(moments_[cell * kNodes]);
  }
  [[nodiscard]] double cell_centre(std::size_t cell) const noexcept {
    return static_cast<double>(first_cell_) + static_cast<double>(cell) + 0.5;
  }
  /// Weights of all nodes, kNodes a cell.
  [[nodiscard]] std::span<const double> node_weights();
  [[nodiscard]] double node_position(std::size_t node) const noexcept;
  /// The bins 1 + kBucketsPerCell * cell, ... hold a cell's items.

  void save(StateWriter& writer) const;
  [[nodiscard]] static LogWeightBuckets load(StateReader& reader, std::size_t size, double target);

  /// Bytes held, for the promise of at most 24 an item.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  static constexpr std::size_t kNodes = 12;  // per cell
  static constexpr std::size_t kBucketsPerCell = 4;

 private:
  struct Item {
    double x = 0.0;
    std::uint32_t slot = 0;
  };
  struct Bin {
    std::uint32_t count = 0;
    std::uint32_t leaving = 0;  // within `add`: items noted to move, not yet moved
    std::vector<std::uint32_t> chunks;
  };
  struct Move {
    Index item;
    std::uint32_t from;
    std::uint32_t to;
  };
  // A change of a cell's sums: sign * T_j(t).
  struct Change {
    double t;
    double sign;
    std::size_t cell;
  };
  struct Sums {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
    double third = 0.0;
  };

  void allocate(std::size_t size);
  void clear_bins();
  void fill_bins();
  void check_moments(const StateReader& reader);
  [[nodiscard]] std::size_t bin_of(double x) const noexcept;
  [[nodiscard]] std::size_t bin_of_bucket(std::int64_t bucket) const noexcept;
  [[nodiscard]] std::size_t place(std::size_t bin, std::uint32_t slot) const noexcept {
    const std::size_t chunk = bins_[bin].chunks[slot >> chunk_shift_];
    return (chunk << chunk_shift_) + (slot & chunk_mask_);
  }
  void append(std::size_t bin, Index i);
  void prefetch_filler(std::size_t bin);
  void remove(std::size_t bin, std::uint32_t slot);
  void move_all(std::size_t from, std::size_t to);
  void note_moments(double x);
  void note_steps(std::span<const Index> indices, std::span<const double> before,
                  std::span<const double> after);
  void apply_moments();
  void recompute_moments();
  void refresh_node_weights();
  [[nodiscard]] Sums evaluate(double tilt);
  [[nodiscard]] std::int64_t wanted_first_cell(double tilt) const noexcept;
  void keep_window_around(double tilt);
  [[nodiscard]] std::vector<double> largest_log_weights() const;
  void shift_window(std::int64_t first_cell);
  void pull_into_window(std::size_t from);
  bool newton(int iterations);
  [[nodiscard]] double middle_of(std::vector<double> log_weights) const;
  void jump_to_threshold();
  double recentre();

  double target_;
  double tilt_ = 0.0;
  double slope_ = 0.0;

  BigVector<Item> items_;
  BigVector<Index> pool_;
  std::vector<std::uint32_t> free_chunks_;
  std::vector<double> bin_sizes_;  // as the bins' counts
  std::vector<Bin> bins_;          // 0: below the window, then the buckets, last: above the window
  unsigned chunk_shift_ = 4;
  std::uint32_t chunk_mask_ = 15;

  std::size_t cells_ = 0;
  std::size_t cells_below_ = 0;     // cells of the window below x = -nu
  std::int64_t first_cell_ = 0;     // window: x in [first_cell_, first_cell_ + cells_)
  BigVector<double> moments_;       // cells_ x kNodes
  BigVector<double> node_weights_;  // cells_ x kNodes
  BigVector<double> node_decay_;    // e^-(node position - first_cell_)
  std::vector<double> edge_decay_;  // e^-(upper edge - first_cell_), one per bucket
  std::vector<char> cell_changed_;
  std::vector<Change> changes_;  // noted, not yet applied: the first changed_
  std::size_t changed_ = 0;
  std::vector<Move> moves_;  // scratch of `add`
  std::uint64_t updates_since_refresh_ = 0;
};

}  // namespace adacvar
