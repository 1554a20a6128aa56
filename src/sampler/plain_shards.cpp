#include <adacvar/base/error.hpp>
#include <adacvar/sampler/uniform_sampler.hpp>

#include "base/state_stream.hpp"
#include "sampler/shard_picker.hpp"
#include "sampler/shard_weights.hpp"
#include "sampler/sharded_sampler.hpp"
#include "sampler/weight_classes.hpp"

#include <optional>

/// Samplers over shards that do not learn from losses.
namespace adacvar {

namespace {

// An epoch takes a shard with the probability of its share of the rows that are left, and in the
// shard a random one of them: all orders of the rows are equally probable.
class ShuffledShards final : public ShardedSampler {
 public:
  ShuffledShards(Communicator& ranks, ShardLayout rows, std::uint64_t seed)
      : ShardedSampler(ranks, std::move(rows)), left_(layout().sizes), rows_left_(layout().rows) {
    for (std::size_t own = 0; own < layout().own(); ++own) {
      const std::size_t shard = layout().first + own;
      generators_.emplace_back(seed, kShardStreams + shard);
      samplers_.emplace_back();
      if (layout().sizes[shard] > 0) samplers_.back().emplace(layout().sizes[shard]);
    }
  }

  [[nodiscard]] double probability(const ShardedRow& /*row*/) const override {
    return 1.0 / static_cast<double>(layout().rows);
  }

  void save_shared(StateWriter& writer) const override {
    for (const std::size_t left : left_) writer.put(static_cast<std::uint64_t>(left));
  }
  void load_shared(StateReader& reader) override {
    rows_left_ = 0;
    for (std::size_t s = 0; s < left_.size(); ++s) {
      left_[s] = reader.get<std::uint64_t>();
      reader.require(left_[s] <= layout().sizes[s], "its place in the epoch is out of range");
      rows_left_ += left_[s];
    }
    reader.require(rows_left_ > 0, "its place in the epoch is out of range");
  }
  void save_shard(std::size_t own, std::ostream& out) const override {
    generators_[own].save(out);
    if (samplers_[own]) samplers_[own]->save(out);
  }
  void load_shard(std::size_t own, std::istream& in) override {
    generators_[own] = Rng::load(in);
    if (!samplers_[own]) return;
    ShuffledSampler loaded = ShuffledSampler::load(in);
    if (loaded.size() != samplers_[own]->size()) throw DataError("a shard has other rows");
    samplers_[own] = std::move(loaded);
  }

 private:
  std::size_t pick_shard(Rng& rng) override {
    auto place = static_cast<std::size_t>(rng.uniform() * static_cast<double>(rows_left_));
    std::size_t shard = 0;
    for (; place >= left_[shard]; ++shard) place -= left_[shard];
    --left_[shard];
    if (--rows_left_ == 0) {
      left_ = layout().sizes;
      rows_left_ = layout().rows;
    }
    return shard;
  }

  void draw_rows(std::size_t own, std::span<Index> rows) override {
    samplers_[own]->draw(generators_[own], rows);
  }

  std::vector<std::size_t> left_;  // rows of every shard not yet drawn in this epoch
  std::size_t rows_left_;
  std::vector<std::optional<ShuffledSampler>> samplers_;  // of the own shards; none: no rows
  std::vector<Rng> generators_;
};

class WeightedShards final : public ShardedSampler {
 public:
  WeightedShards(Communicator& ranks, ShardLayout rows, std::span<const double> weights,
                 std::uint64_t seed)
      : ShardedSampler(ranks, std::move(rows)),
        scale_(sum_shard_weights(this->ranks(), layout(), weights)) {
    for (std::size_t own = 0; own < layout().own(); ++own) {
      generators_.emplace_back(seed, kShardStreams + layout().first + own);
      const std::size_t count = layout().start[own + 1] - layout().start[own];
      rows_.emplace_back();
      if (count == 0) continue;
      rows_.back() = std::make_shared<const WeightClasses>(
          weights.subspan(layout().start[own], count), scale_.exponent);
    }
    picker_.build(scale_.sums);
  }

  [[nodiscard]] double probability(const ShardedRow& row) const override {
    return rows_[row.shard - layout().first]->weight(row.row) / scale_.total;
  }

  void save_shard(std::size_t own, std::ostream& out) const override { generators_[own].save(out); }
  void load_shard(std::size_t own, std::istream& in) override { generators_[own] = Rng::load(in); }

 private:
  std::size_t pick_shard(Rng& rng) override { return picker_.pick(rng); }

  void draw_rows(std::size_t own, std::span<Index> rows) override {
    for (Index& row : rows) row = rows_[own]->draw(generators_[own]);
  }

  ShardWeights scale_;
  ShardPicker picker_;
  std::vector<std::shared_ptr<const WeightClasses>> rows_;  // of the own shards; null: no rows
  std::vector<Rng> generators_;
};

}  // namespace

std::unique_ptr<ShardedSampler> make_shuffled_shards(Communicator& ranks, ShardLayout layout,
                                                     std::uint64_t seed) {
  return std::make_unique<ShuffledShards>(ranks, std::move(layout), seed);
}

std::unique_ptr<ShardedSampler> make_weighted_shards(Communicator& ranks, ShardLayout layout,
                                                     std::span<const double> weights,
                                                     std::uint64_t seed) {
  return std::make_unique<WeightedShards>(ranks, std::move(layout), weights, seed);
}

}  // namespace adacvar
