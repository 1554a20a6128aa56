#include "sampler/sharded_sampler.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

ShardLayout gather_layout(Communicator& ranks, std::size_t shards, std::size_t first,
                          std::vector<std::size_t> start) {
  MessageWriter mine;
  mine.put(std::uint64_t{shards});
  mine.put(std::uint64_t{first});
  mine.put(std::uint64_t{start.size() - 1});
  for (std::size_t s = 0; s + 1 < start.size(); ++s) {
    mine.put(std::uint64_t{start[s + 1] - start[s]});
  }
  const GatheredBlocks all = ranks.all_gather(mine.bytes());
  ShardLayout layout;
  bool is_cover = shards > 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    MessageReader block(all.of(rank));
    is_cover = is_cover && block.get<std::uint64_t>() == shards &&
               block.get<std::uint64_t>() == layout.sizes.size();
    if (!is_cover) break;
    for (auto left = block.get<std::uint64_t>(); left > 0; --left) {
      layout.sizes.push_back(block.get<std::uint64_t>());
      layout.owner.push_back(rank);
      layout.rows += layout.sizes.back();
    }
  }
  if (!is_cover || layout.shards() != shards) {
    throw OptionError(fmt::format(
        "internal error: the ranks' ranges of {} shards do not follow each other; please report it",
        shards));
  }
  if (layout.rows == 0) throw DataError("there are no rows");
  if (std::ranges::max(layout.sizes) > kMaxSize) {
    throw OptionError(fmt::format("a shard has {} rows, more than {}: use more shards",
                                  std::ranges::max(layout.sizes), kMaxSize));
  }
  layout.first = first;
  layout.start = std::move(start);
  return layout;
}

void ShardedSampler::draw(Rng& rng, std::span<ShardedRow> batch, RowCarrier* rows) {
  begin_draw(batch.size());
  drawn_.resize(batch.size());
  for (ShardedRow& slot : drawn_) slot.shard = static_cast<std::uint32_t>(pick_shard(rng));
  draw_own_rows();
  write_own_rows(rows);
  std::optional<std::size_t> slot_bytes = rows != nullptr ? rows->row_bytes() : 0;
  if (slot_bytes) *slot_bytes += sizeof(Index) + row_bytes();
  std::vector<MessageReader> readers = exchange(slot_bytes);
  for (std::size_t slot = 0; slot < drawn_.size(); ++slot) {
    MessageReader& from = readers[layout_.owner[drawn_[slot].shard]];
    drawn_[slot].row = from.get<Index>();
    read_row(slot, from);
    if (rows != nullptr) rows->read(slot, from);
  }
  std::ranges::copy(drawn_, batch.begin());
}

void ShardedSampler::write_own_rows(const RowCarrier* rows) {
  message_.clear();
  for (const ShardedRow& slot : drawn_) {
    if (!layout_.owns(slot.shard)) continue;
    const std::size_t own = slot.shard - layout_.first;
    message_.put(slot.row);
    write_row(own, slot.row, message_);
    if (rows != nullptr) rows->write(layout_.start[own] + slot.row, message_);
  }
}

// All ranks know how many slots each has: if slots have one size, blocks are filled up to that of
// the rank with the most, and need not tell their lengths first.
std::vector<MessageReader> ShardedSampler::exchange(std::optional<std::size_t> slot_bytes) {
  std::vector<MessageReader> readers;
  if (!slot_bytes) {
    gathered_ = ranks_.all_gather(message_.bytes());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      readers.emplace_back(gathered_.of(rank));
    return readers;
  }
  std::vector<std::size_t> slots(ranks_.size(), 0);
  for (const ShardedRow& slot : drawn_) ++slots[layout_.owner[slot.shard]];
  const std::size_t block = *slot_bytes * std::ranges::max(slots);
  message_.fill_up(block);
  gathered_.bytes.resize(block * ranks_.size());
  ranks_.all_gather(message_.bytes(), gathered_.bytes);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    readers.emplace_back(std::span(gathered_.bytes).subspan(rank * block, block));
  }
  return readers;
}

// The slots of a shard together, in their order.
void ShardedSampler::draw_own_rows() {
  slots_.resize(layout_.own());
  for (std::vector<std::size_t>& slots : slots_) slots.clear();
  for (std::size_t slot = 0; slot < drawn_.size(); ++slot) {
    const std::size_t shard = drawn_[slot].shard;
    if (layout_.owns(shard)) slots_[shard - layout_.first].push_back(slot);
  }
  for (std::size_t own = 0; own < slots_.size(); ++own) {
    if (slots_[own].empty()) continue;
    own_rows_.resize(slots_[own].size());
    draw_rows(own, own_rows_);
    for (std::size_t j = 0; j < own_rows_.size(); ++j) {
      drawn_[slots_[own][j]].row = own_rows_[j];
    }
  }
}

}  // namespace adacvar
