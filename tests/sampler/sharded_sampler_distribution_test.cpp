#include "sampler/sharded_sampler.hpp"

#include "base/thread_communicator.hpp"
#include "support/chi_square.hpp"
#include "support/deal_rows.hpp"
#include "support/dense_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Counts of draws over ranks against the distribution of the dense twin. See kFalseAlarm for how
// often a right sampler would fail, were its seed new: 1e-6 per comparison, of which there are 26.
namespace adacvar {
namespace {

using support::follows_distribution;

struct Case {
  std::string name;
  double alpha;
  double gamma;
  double eta;           // the longer the steps, the wider the log-weights
  double octaves = -1;  // row weights from 1 to 2^octaves; -1: none
};

constexpr std::size_t kRows = 200;

class RowNumbers final : public RowCarrier {
 public:
  RowNumbers(const ShardedRows& rows, std::size_t batch) : number(batch), rows_(rows) {}
  void write(std::size_t place, MessageWriter& to) const override { to.put(rows_.row[place]); }
  void read(std::size_t slot, MessageReader& from) override {
    number[slot] = static_cast<Index>(from.get<std::uint64_t>());
  }

  std::vector<Index> number;

 private:
  const ShardedRows& rows_;
};

Dataset rows_of(double octaves) {
  Dataset data;
  data.rows = kRows;
  Rng rng(17);
  for (std::size_t i = 0; i < kRows && octaves >= 0; ++i) {
    data.weights.push_back(std::exp2(octaves * rng.uniform()));
  }
  return data;
}

struct Counts {
  std::vector<std::uint64_t> rows = std::vector<std::uint64_t>(kRows, 0);
  std::vector<std::uint64_t> first = rows;                               // first of a batch
  std::vector<std::uint64_t> pairs = std::vector<std::uint64_t>(64, 0);  // of neighbours, modulo 8
  std::vector<double> probabilities;
};

// 30 batches of a history, which the twin follows, then draws that are counted.
Counts draw_after_a_history(Communicator& ranks, const Case& c) {
  AdaptiveSamplerOptions options;
  options.alpha = c.alpha;
  options.gamma = c.gamma;
  options.eta = c.eta;
  const Dataset all = rows_of(c.octaves);
  const ShardedRows rows = support::deal_rows(all, ranks, 16);
  const auto sampler = make_adaptive_shards(
      ranks, gather_layout(ranks, rows.shards, rows.first_shard, rows.shard_start), options,
      rows.data.weights, c.octaves >= 0, 5);
  twin::DenseSampler dense(kRows, options, all.weights);
  Rng rng(4);
  Rng loss(6);
  std::vector<ShardedRow> batch(16);
  std::vector<double> losses(16);
  RowNumbers carrier(rows, batch.size());
  for (int t = 0; t < 30; ++t) {
    sampler->draw(rng, batch, &carrier);
    for (double& value : losses) value = loss.uniform();
    sampler->observe(losses);
    dense.observe(carrier.number, losses);
  }
  Counts counts;
  counts.probabilities = dense.probabilities();
  for (int t = 0; t < 5000; ++t) {
    sampler->draw(rng, batch, &carrier);
    ++counts.first[carrier.number[0]];
    for (std::size_t j = 0; j < batch.size(); ++j) {
      ++counts.rows[carrier.number[j]];
      if (j % 2 == 1) ++counts.pairs[carrier.number[j - 1] % 8 * 8 + carrier.number[j] % 8];
    }
  }
  return counts;
}

class ShardedDistribution : public testing::TestWithParam<Case> {};

TEST_P(ShardedDistribution, draws_of_two_ranks_follow_the_dense_twin) {
  run_on_threads(2, [](Communicator& ranks) {
    const Counts counts = draw_after_a_history(ranks, GetParam());
    if (ranks.rank() != 0) return;
    EXPECT_TRUE(follows_distribution(counts.rows, counts.probabilities));
    EXPECT_TRUE(follows_distribution(counts.first, counts.probabilities));
    std::vector<double> share(8, 0.0);
    for (std::size_t i = 0; i < kRows; ++i) share[i % 8] += counts.probabilities[i];
    std::vector<double> pairs(64);
    for (std::size_t a = 0; a < 64; ++a) pairs[a] = share[a / 8] * share[a % 8];
    EXPECT_TRUE(follows_distribution(counts.pairs, pairs));
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, ShardedDistribution,
    testing::Values(Case{"narrow", 0.1, 0.0, 0.002}, Case{"wide", 0.1, 0.0, 0.02},
                    Case{"far_apart", 0.1, 0.0, 1}, Case{"mixed", 0.1, 0.2, 0.02},
                    Case{"one_of_n", 0.005, 0.01, 0.002}, Case{"tail_of_all", 1, 0.1, 0.02},
                    Case{"weights", 0.1, 0.0, 0.02, 9}, Case{"weights_mixed", 0.1, 0.2, 0.02, 9}),
    [](const auto& c) { return c.param.name; });

// Draws of a sampler over `kRows` rows that does not learn.
using Make =
    std::function<std::unique_ptr<ShardedSampler>(Communicator&, const ShardedRows&, ShardLayout)>;
void expect_draws(const Dataset& all, const std::vector<double>& probabilities, const Make& make) {
  run_on_threads(2, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(all, ranks, 16);
    const auto sampler =
        make(ranks, rows, gather_layout(ranks, rows.shards, rows.first_shard, rows.shard_start));
    Rng rng(4);
    // As many as there are rows: the first of an epoch, whose draws depend on each other.
    std::vector<ShardedRow> batch(kRows);
    RowNumbers carrier(rows, kRows);
    std::vector<std::uint64_t> counts(kRows, 0);
    for (int t = 0; t < 8000; ++t) {
      sampler->draw(rng, batch, &carrier);
      ++counts[carrier.number[static_cast<std::size_t>(t) % kRows]];
    }
    if (ranks.rank() == 0) {
      EXPECT_TRUE(follows_distribution(counts, probabilities));
    }
  });
}

TEST(ShuffledShards, have_every_row_at_every_place_of_an_epoch_with_the_same_probability) {
  expect_draws(rows_of(-1), std::vector<double>(kRows, 1.0 / kRows),
               [](Communicator& ranks, const ShardedRows&, ShardLayout layout) {
                 return make_shuffled_shards(ranks, std::move(layout), 7);
               });
}

TEST(WeightedShards, follow_the_weights) {
  const Dataset all = rows_of(9);
  std::vector<double> probabilities = all.weights;
  for (double& p : probabilities) p /= all.total_weight();
  expect_draws(all, probabilities,
               [](Communicator& ranks, const ShardedRows& rows, ShardLayout layout) {
                 return make_weighted_shards(ranks, std::move(layout), rows.data.weights, 7);
               });
}

}  // namespace
}  // namespace adacvar
