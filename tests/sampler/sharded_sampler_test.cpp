#include "sampler/sharded_sampler.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include "base/collectives.hpp"
#include "base/thread_communicator.hpp"
#include "support/deal_rows.hpp"
#include "support/dense_sampler.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

struct Case {
  std::string name;
  std::size_t rows;
  AdaptiveSamplerOptions options;
  double octaves = -1;  // row weights from 1 to 2^octaves; -1: none
  std::size_t shards = 16;
  std::size_t batch = 12;
  int batches = 60;
  double factor = 1;  // of a discount after every tenth batch
};

AdaptiveSamplerOptions with(double alpha, double gamma, double eta) {
  AdaptiveSamplerOptions options;
  options.alpha = alpha;
  options.gamma = gamma;
  options.eta = eta;
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> result{
      {"plain", 300, with(0.1, 0.0, 0.01)},
      {"mixed", 300, with(0.1, 0.2, 0.01)},
      {"long_steps", 300, with(0.1, 0.01, 5)},
      {"one_of_n", 100, with(0.01, 0.05, 0.01)},
      {"all_but_one", 40, with(0.975, 0.05, 0.01)},
      {"fewer_rows_than_shards", 9, with(0.3, 0.05, 0.05), -1, 64},
      {"one_row", 1, with(0.3, 0.05, 0.05), -1, 4},
      {"one_shard", 50, with(0.1, 0.05, 0.01), -1, 1},
      {"tail_of_all_rows", 60, with(1, 0.05, 0.01)},
      {"forgets", 200, with(0.1, 0.05, 0.02), -1, 16, 12, 60, 0.5},
      {"forgets_all", 200, with(0.1, 0.05, 0.02), -1, 16, 12, 60, 0},
      {"weights", 300, with(0.1, 0.01, 0.01), 9},
      {"equal_weights", 300, with(0.1, 0.0, 0.01), 0},
      {"weights_long_steps", 300, with(0.1, 0.01, 5), 9},
      {"weights_of_all_rows", 60, with(1, 0.05, 0.01), 4},
      {"weights_forget", 200, with(0.1, 0.05, 0.02), 9, 16, 12, 60, 0.5},
      {"weights_fewer_rows_than_shards", 9, with(0.3, 0.05, 0.05), 6, 64},
  };
  result.push_back({"gain", 300, with(0.1, 0.05, 0.01)});
  result.back().options.estimator = Estimator::gain;
  result.push_back({"adagrad", 300, with(0.1, 0.05, 0.01)});
  result.back().options.schedule = EtaSchedule::adagrad;
  return result;
}

// As rows of a dataset, to be dealt.
Dataset rows_of(const Case& c) {
  Dataset data;
  data.rows = c.rows;
  Rng rng(17);
  for (std::size_t i = 0; i < c.rows && c.octaves >= 0; ++i) {
    data.weights.push_back(std::exp2(c.octaves * rng.uniform()));
  }
  return data;
}

double loss_of(std::uint64_t row, int batch) {
  return Rng(row, static_cast<std::uint64_t>(batch / 20)).uniform();
}

struct History {
  std::vector<Index> drawn;           // row numbers, batch after batch
  std::vector<double> losses;         // of `drawn`
  std::vector<double> probabilities;  // of all rows at the end

  friend bool operator==(const History&, const History&) = default;
};

// Row numbers of the rows drawn, which only their owners know.
class RowNumbers final : public RowCarrier {
 public:
  explicit RowNumbers(const ShardedRows& rows) : rows_(rows) {}
  void write(std::size_t place, MessageWriter& to) const override { to.put(rows_.row[place]); }
  void read(std::size_t slot, MessageReader& from) override {
    number.resize(std::max(number.size(), slot + 1));
    number[slot] = from.get<std::uint64_t>();
  }

  std::vector<std::uint64_t> number;

 private:
  const ShardedRows& rows_;
};

std::vector<double> all_probabilities(Communicator& ranks, const ShardedSampler& sampler,
                                      const ShardedRows& rows) {
  struct Pair {
    std::uint64_t row;
    double probability;
  };
  std::vector<Pair> own;
  const ShardLayout& layout = sampler.layout();
  for (std::size_t s = 0; s < layout.own(); ++s) {
    for (std::size_t i = layout.start[s]; i < layout.start[s + 1]; ++i) {
      const ShardedRow row{static_cast<std::uint32_t>(layout.first + s),
                           static_cast<Index>(i - layout.start[s])};
      own.push_back({rows.row[i], sampler.probability(row)});
    }
  }
  std::vector<double> result(rows.total_rows, -1.0);
  for (const Pair& pair : gather_values(ranks, std::span<const Pair>(own))) {
    result[pair.row] = pair.probability;
  }
  return result;
}

std::unique_ptr<ShardedSampler> sampler_of(Communicator& ranks, const ShardedRows& rows,
                                           const Case& c) {
  ShardLayout layout = gather_layout(ranks, rows.shards, rows.first_shard, rows.shard_start);
  return make_adaptive_shards(ranks, std::move(layout), c.options, rows.data.weights,
                              c.octaves >= 0, 5);
}

History history_of(Communicator& ranks, const Case& c) {
  const ShardedRows rows = support::deal_rows(rows_of(c), ranks, c.shards);
  const auto sampler = sampler_of(ranks, rows, c);
  History history;
  Rng rng(8);
  std::vector<ShardedRow> batch(c.batch);
  std::vector<double> losses(c.batch);
  RowNumbers carrier(rows);
  for (int t = 0; t < c.batches; ++t) {
    sampler->draw(rng, batch, &carrier);
    for (std::size_t j = 0; j < batch.size(); ++j) {
      losses[j] = loss_of(carrier.number[j], t);
      history.drawn.push_back(static_cast<Index>(carrier.number[j]));
      history.losses.push_back(losses[j]);
    }
    sampler->observe(losses);
    if (t % 10 == 9) sampler->discount(c.factor);
  }
  history.probabilities = all_probabilities(ranks, *sampler, rows);
  return history;
}

History history_on(std::size_t count, const Case& c) {
  std::vector<History> of_rank(count);
  run_on_threads(count, [&](Communicator& ranks) { of_rank[ranks.rank()] = history_of(ranks, c); });
  for (const History& history : of_rank) EXPECT_EQ(history, of_rank[0]);
  return of_rank[0];
}

class ShardedHistories : public testing::TestWithParam<Case> {};

TEST_P(ShardedHistories, are_the_same_bits_on_1_2_4_and_7_ranks) {
  const History alone = history_on(1, GetParam());
  for (const std::size_t ranks : {2, 4, 7}) EXPECT_EQ(history_on(ranks, GetParam()), alone);
}

TEST_P(ShardedHistories, have_the_probabilities_of_the_dense_twin) {
  const Case& c = GetParam();
  const History history = history_on(2, c);
  twin::DenseSampler dense(c.rows, c.options, rows_of(c).weights);
  for (int t = 0; t < c.batches; ++t) {
    const std::size_t start = static_cast<std::size_t>(t) * c.batch;
    dense.observe(std::span(history.drawn).subspan(start, c.batch),
                  std::span(history.losses).subspan(start, c.batch));
    if (t % 10 == 9) dense.discount(c.factor);
  }
  for (std::size_t i = 0; i < c.rows; ++i) {
    EXPECT_NEAR(history.probabilities[i], dense.probabilities()[i], 1e-9) << i;
  }
  EXPECT_NEAR(std::accumulate(history.probabilities.begin(), history.probabilities.end(), 0.0), 1,
              1e-11);
}

INSTANTIATE_TEST_SUITE_P(All, ShardedHistories, testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST(ShardedSampler, gamma_changes_with_the_next_draw) {
  const Case c{"", 40, with(0.1, 0.1, 0.5)};
  SelfCommunicator self;
  const ShardedRows rows = support::deal_rows(rows_of(c), self, c.shards);
  const auto sampler = sampler_of(self, rows, c);
  Rng rng(1);
  std::vector<ShardedRow> batch(8);
  sampler->draw(rng, batch);
  sampler->observe(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<double> before = all_probabilities(self, *sampler, rows);
  sampler->set_gamma(1);
  EXPECT_EQ(all_probabilities(self, *sampler, rows), before);
  sampler->draw(rng, batch);
  for (const double q : all_probabilities(self, *sampler, rows)) EXPECT_NEAR(q, 1.0 / 40, 1e-15);
}

// 3 rows in 2 shards: every row once per epoch, whichever the ranks.
TEST(ShuffledShards, draw_every_row_once_per_epoch) {
  for (const std::size_t count : {1, 2, 4}) {
    run_on_threads(count, [](Communicator& ranks) {
      const ShardedRows rows = support::deal_rows(rows_of({"", 30, {}}), ranks, 8);
      const auto sampler = make_shuffled_shards(
          ranks, gather_layout(ranks, rows.shards, rows.first_shard, rows.shard_start), 3);
      Rng rng(2);
      RowNumbers carrier(rows);
      std::vector<ShardedRow> batch(20);
      std::map<std::uint64_t, int> times;
      for (int t = 0; t < 6; ++t) {
        sampler->draw(rng, batch, &carrier);
        for (const std::uint64_t row : carrier.number) ++times[row];
      }
      EXPECT_EQ(times.size(), 30U);
      for (const auto& [row, count_of_row] : times) EXPECT_EQ(count_of_row, 4) << row;
    });
  }
}

TEST(ShardLayouts, join_the_ranges_of_the_ranks) {
  run_on_threads(3, [](Communicator& ranks) {
    // Shards of 2, 0, 1 and 3 rows; rank 1 has none.
    const std::vector<std::vector<std::size_t>> starts{{0, 2, 2}, {0}, {0, 1, 4}};
    const std::vector<std::size_t> firsts{0, 2, 2};
    const ShardLayout layout = gather_layout(ranks, 4, firsts[ranks.rank()], starts[ranks.rank()]);
    EXPECT_EQ(layout.sizes, (std::vector<std::size_t>{2, 0, 1, 3}));
    EXPECT_EQ(layout.owner, (std::vector<std::size_t>{0, 0, 2, 2}));
    EXPECT_EQ(layout.rows, 6U);
    EXPECT_EQ(layout.own(), starts[ranks.rank()].size() - 1);
  });
}

TEST(ShardLayouts, refuse_gaps_and_no_rows) {
  SelfCommunicator self;
  expect_words<OptionError>([&] { (void)gather_layout(self, 3, 0, {0, 2, 3}); }, "3 shards");
  expect_words<OptionError>([&] { (void)gather_layout(self, 2, 1, {0, 2}); }, "2 shards");
  expect_words<DataError>([&] { (void)gather_layout(self, 2, 0, {0, 0, 0}); }, "no rows");
}

TEST(ShardedSampler, refuses_what_it_does_not_support) {
  SelfCommunicator self;
  const auto make = [&](const AdaptiveSamplerOptions& options, std::vector<double> weights) {
    return make_adaptive_shards(self, gather_layout(self, 1, 0, {0, 3}), options, weights,
                                !weights.empty(), 0);
  };
  expect_words<OptionError>([&] { (void)make({.marginals = Marginals::exact}, {}); },
                            "marginals = exact");
  expect_words<OptionError>([&] { (void)make({.alpha = 2}, {}); }, "alpha = 2");
  expect_words<OptionError>([&] { (void)make({}, {1, 2}); }, "2 values");
  expect_words<DataError>([&] { (void)make({}, {1, -2, 3}); }, "weights[1] = -2");
  expect_words<DataError>([&] { (void)make({}, {1, 1e61, 3}); }, "1e60");
  expect_words<OptionError>([&] { make({}, {})->set_gamma(2); }, "gamma = 2");
}

}  // namespace
}  // namespace adacvar
