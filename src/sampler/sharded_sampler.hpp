#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include "base/message.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// Rows dealt to shards, and these to ranks: every rank owns a range of shards. The shards do not
/// depend on the number of ranks, so that results need not either.
struct ShardLayout {
  std::vector<std::size_t> sizes;  ///< rows of every shard
  std::vector<std::size_t> owner;  ///< rank of every shard
  std::size_t rows = 0;            ///< of all shards
  std::size_t first = 0;           ///< this rank owns the shards first, ..., first + own() - 1
  std::vector<std::size_t> start;  ///< place of their first rows among its rows, and the end

  [[nodiscard]] std::size_t shards() const noexcept { return sizes.size(); }
  [[nodiscard]] std::size_t own() const noexcept { return start.size() - 1; }
  [[nodiscard]] bool owns(std::size_t shard) const noexcept {
    return shard >= first && shard - first < own();
  }
};

/// Collective: joins the ranges of the ranks, `start` being that of this rank.
/// Throws: OptionError, on all ranks, unless the ranges follow each other and cover `shards`
/// shards with 1 to kMaxSize rows each or none, but not none at all.
[[nodiscard]] ShardLayout gather_layout(Communicator& ranks, std::size_t shards, std::size_t first,
                                        std::vector<std::size_t> start);

/// A row by its shard and its place in it.
struct ShardedRow {
  std::uint32_t shard = 0;
  Index row = 0;

  friend auto operator<=>(const ShardedRow&, const ShardedRow&) = default;
};

/// Data of the rows drawn, which travels with the draws from a row's owner to all ranks.
class RowCarrier {
 public:
  RowCarrier() = default;
  RowCarrier(const RowCarrier&) = delete;
  RowCarrier& operator=(const RowCarrier&) = delete;
  virtual ~RowCarrier() = default;

  /// Number of bytes of every row, which saves a call; none: they differ.
  [[nodiscard]] virtual std::optional<std::size_t> row_bytes() const { return std::nullopt; }
  /// Writes the data of a row, by its place among this rank's rows.
  virtual void write(std::size_t place, MessageWriter& to) const = 0;
  /// Reads the data of the row drawn in a slot of the batch; called slot by slot.
  virtual void read(std::size_t slot, MessageReader& from) = 0;
};

/// A sampler whose rows are dealt to shards of several ranks. All ranks draw the same batches, the
/// same for any number of ranks: shared random numbers assign every slot of a batch to a shard, in
/// proportion to the probability of its rows, and the shard's owner draws the row with the shard's
/// own generator.
///
/// Functions are collective unless they are const; all ranks hand in generators of one state.
class ShardedSampler {
 public:
  ShardedSampler(const ShardedSampler&) = delete;
  ShardedSampler& operator=(const ShardedSampler&) = delete;
  virtual ~ShardedSampler() = default;

  [[nodiscard]] const ShardLayout& layout() const noexcept { return layout_; }

  /// Fills `batch`. `rows` carries the data of the rows drawn to all ranks; null: none.
  void draw(Rng& rng, std::span<ShardedRow> batch, RowCarrier* rows = nullptr);
  /// Learns from the losses of the last draw, which all ranks know.
  virtual void observe(std::span<const double> /*losses*/) {}
  /// As AdaptiveSampler; no effect on samplers without a gamma or log-weights.
  virtual void set_gamma(double /*gamma*/) {}
  virtual void discount(double /*factor*/) {}

  /// Returns the probability of a row of a shard of this rank.
  [[nodiscard]] virtual double probability(const ShardedRow& row) const = 0;

  /// Save and load what all ranks know, and the state of an own shard. Not collective.
  /// Throws: DataError when a state is damaged.
  virtual void save_shared(StateWriter& /*writer*/) const {}
  virtual void load_shared(StateReader& /*reader*/) {}
  virtual void save_shard(std::size_t own, std::ostream& out) const = 0;
  virtual void load_shard(std::size_t own, std::istream& in) = 0;

 protected:
  ShardedSampler(Communicator& ranks, ShardLayout layout)
      : ranks_(ranks), layout_(std::move(layout)) {}

  [[nodiscard]] Communicator& ranks() const noexcept { return ranks_; }
  /// The last batch; its slots of an own shard.
  [[nodiscard]] std::span<const ShardedRow> drawn() const noexcept { return drawn_; }
  [[nodiscard]] std::span<const std::size_t> slots_of(std::size_t own) const noexcept {
    return slots_[own];
  }

 private:
  virtual void begin_draw(std::size_t /*slots*/) {}
  // The shard of the next slot.
  virtual std::size_t pick_shard(Rng& rng) = 0;
  // Draws rows of the own shard layout().first + own.
  virtual void draw_rows(std::size_t own, std::span<Index> rows) = 0;
  // What the sampler itself must know of the rows drawn, in so many bytes each.
  [[nodiscard]] virtual std::size_t row_bytes() const { return 0; }
  virtual void write_row(std::size_t /*own*/, Index /*row*/, MessageWriter& /*to*/) const {}
  virtual void read_row(std::size_t /*slot*/, MessageReader& /*from*/) {}

  void draw_own_rows();
  void write_own_rows(const RowCarrier* rows);
  [[nodiscard]] std::vector<MessageReader> exchange(std::optional<std::size_t> slot_bytes);

  Communicator& ranks_;
  ShardLayout layout_;
  MessageWriter message_;
  GatheredBlocks gathered_;
  std::vector<ShardedRow> drawn_;
  std::vector<std::vector<std::size_t>> slots_;  // of the last batch, per own shard
  std::vector<Index> own_rows_;                  // scratch
};

/// Makes the counterpart of AdaptiveSampler. `weights` are the row weights of this rank's rows;
/// `weighted`: the rows have weights, also if this rank has no rows. Collective.
/// Throws: as AdaptiveSampler, on all ranks; OptionError for exact marginals or subset batches.
[[nodiscard]] std::unique_ptr<ShardedSampler> make_adaptive_shards(
    Communicator& ranks, ShardLayout layout, const AdaptiveSamplerOptions& options,
    std::span<const double> weights, bool weighted, std::uint64_t seed);

/// Makes the counterpart of ShuffledSampler: every row once per epoch, in random order.
[[nodiscard]] std::unique_ptr<ShardedSampler> make_shuffled_shards(Communicator& ranks,
                                                                   ShardLayout layout,
                                                                   std::uint64_t seed);

/// Makes the counterpart of WeightedSampler, for rows with weights.
[[nodiscard]] std::unique_ptr<ShardedSampler> make_weighted_shards(Communicator& ranks,
                                                                   ShardLayout layout,
                                                                   std::span<const double> weights,
                                                                   std::uint64_t seed);

}  // namespace adacvar
