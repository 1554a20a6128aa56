#include "sampler/log_weight_buckets.hpp"

#include "base/state_stream.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// How log-weights are saved and loaded.
namespace adacvar {

void LogWeightBuckets::save(StateWriter& writer) const {
  writer.put(tilt_);
  writer.put(slope_);
  writer.put(first_cell_);
  writer.put(updates_since_refresh_);
  writer.put_array(std::span<const double>(moments_));
  // The order inside a bin decides which item a random number picks: it is part of the state.
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    writer.put(bins_[b].count);
    for (std::uint32_t slot = 0; slot < bins_[b].count; ++slot) {
      writer.put(*slot_address(b, slot));
    }
  }
  for (const Item& item : items_) writer.put(item.x);
}

LogWeightBuckets LogWeightBuckets::load(StateReader& reader, std::size_t size, double target) {
  reader.require(reader.remaining() / (sizeof(double) + sizeof(Index)) >= size,
                 "it holds fewer items than it says");
  LogWeightBuckets buckets(size, target);
  buckets.tilt_ = reader.get<double>();
  buckets.slope_ = reader.get<double>();
  buckets.first_cell_ = reader.get<std::int64_t>();
  buckets.updates_since_refresh_ = reader.get<std::uint64_t>();
  // Written so that a NaN fails.
  reader.require(std::abs(buckets.tilt_) <= 2 * kMaxLogWeight && std::isfinite(buckets.slope_) &&
                     std::abs(static_cast<double>(buckets.first_cell_)) <= 4 * kMaxLogWeight,
                 "its tilt is out of range");
  reader.get_array(std::span<double>(buckets.moments_));
  std::vector<std::vector<Index>> order(buckets.bins_.size());
  std::size_t total = 0;
  for (auto& bin : order) {
    const auto count = reader.get<std::uint32_t>();
    total += count;
    reader.require(total <= size, "its bins hold too many items");
    bin.resize(count);
    reader.get_array(std::span<Index>(bin));
  }
  reader.require(total == size, "its bins hold too few items");
  for (Item& item : buckets.items_) {
    item.x = reader.get<double>();
    reader.require(std::abs(item.x) <= kMaxLogWeight, "a log-weight is out of range");
  }
  buckets.clear_bins();
  std::vector<bool> seen(size, false);
  for (std::size_t b = 0; b < order.size(); ++b) {
    for (const Index i : order[b]) {
      reader.require(i < size && !seen[i] && buckets.bin_of(buckets.items_[i].x) == b,
                     "an item is not in its bin");
      seen[i] = true;
      buckets.append(b, i);
    }
  }
  buckets.check_moments(reader);
  return buckets;
}

// The sums as they ran are kept, since their last bits decide draws; but they must be near what the
// log-weights give anew.
void LogWeightBuckets::check_moments(const StateReader& reader) {
  const auto running = moments_;
  const auto updates = updates_since_refresh_;
  recompute_moments();
  const double tolerance = 1e-6 * static_cast<double>(items_.size());
  for (std::size_t m = 0; m < running.size(); ++m) {
    // Written so that a NaN fails.
    reader.require(std::abs(running[m] - moments_[m]) <= tolerance,
                   "its sums do not fit its log-weights");
  }
  moments_ = running;
  updates_since_refresh_ = updates;
}

}  // namespace adacvar
