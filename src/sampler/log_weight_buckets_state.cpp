#include "sampler/log_weight_buckets.hpp"

#include "base/state_stream.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Saving and loading of log-weights.
namespace adacvar {

void LogWeightBuckets::save(StateWriter& writer) const {
  writer.put(tilt_);
  writer.put(variance_);
  writer.put(first_cell_);
  writer.put(updates_since_refresh_);
  if (weights_ != nullptr) writer.put(weight_above_);
  writer.put_array(std::span<const double>(moments_));
  // The order in a list determines which item a random number picks, so it is part of the state.
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    writer.put(lists_[list].count);
    for (std::uint32_t slot = 0; slot < lists_[list].count; ++slot) {
      writer.put(*slot_address(list, slot));
    }
  }
  for (const Item& item : items_) writer.put(item.x);
}

LogWeightBuckets LogWeightBuckets::load(StateReader& reader, std::size_t size, double target,
                                        std::shared_ptr<const WeightClasses> weights) {
  reader.require(reader.remaining() / (sizeof(double) + sizeof(Index)) >= size,
                 "it holds fewer items than it says");
  LogWeightBuckets buckets(size, target, std::move(weights));
  buckets.tilt_ = reader.get<double>();
  buckets.variance_ = reader.get<double>();
  buckets.first_cell_ = reader.get<std::int64_t>();
  buckets.updates_since_refresh_ = reader.get<std::uint64_t>();
  // Written so that a NaN fails.
  reader.require(std::abs(buckets.tilt_) <= 2 * kMaxLogWeight && std::isfinite(buckets.variance_) &&
                     std::abs(static_cast<double>(buckets.first_cell_)) <= 4 * kMaxLogWeight,
                 "its tilt is out of range");
  const double weight_above = buckets.weights_ != nullptr ? reader.get<double>() : 0.0;
  reader.get_array(std::span<double>(buckets.moments_));
  std::vector<std::vector<Index>> order(buckets.lists_.size());
  std::size_t total = 0;
  for (auto& list : order) {
    const auto count = reader.get<std::uint32_t>();
    total += count;
    reader.require(total <= size, "its bins hold too many items");
    list.resize(count);
    reader.get_array(std::span<Index>(list));
  }
  reader.require(total == size, "its bins hold too few items");
  for (Item& item : buckets.items_) {
    item.x = reader.get<double>();
    reader.require(std::abs(item.x) <= kMaxLogWeight, "a log-weight is out of range");
  }
  buckets.clear_bins();
  std::vector<bool> seen(size, false);
  for (std::size_t list = 0; list < order.size(); ++list) {
    for (const Index i : order[list]) {
      reader.require(i < size && !seen[i], "its bins are not a permutation");
      const std::size_t bin = buckets.bin_of(buckets.items_[i].x);
      reader.require(buckets.list_of(bin, i) == list, "an item is not in its bin");
      seen[i] = true;
      buckets.append(bin, i);
    }
  }
  buckets.check_moments(reader);
  if (buckets.weights_ != nullptr) {
    reader.require(std::abs(weight_above - buckets.weight_above_) <= 1e-6 * buckets.total(),
                   "its sums do not fit its log-weights");
    buckets.weight_above_ = weight_above;
    buckets.refresh_masses();
  }
  return buckets;
}

// The running sums are kept, since their last bits affect draws; but they must be near those
// recomputed from the log-weights.
void LogWeightBuckets::check_moments(const StateReader& reader) {
  const auto running = moments_;
  const auto updates = updates_since_refresh_;
  recompute_moments();
  const double tolerance = 1e-6 * total();
  for (std::size_t m = 0; m < running.size(); ++m) {
    // Written so that a NaN fails.
    reader.require(std::abs(running[m] - moments_[m]) <= tolerance,
                   "its sums do not fit its log-weights");
  }
  moments_ = running;
  updates_since_refresh_ = updates;
}

}  // namespace adacvar
