#include <adacvar/sampler/adaptive_sampler.hpp>
#include <adacvar/sampler/weighted_sampler.hpp>

#include "support/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

// Counts of draws against `probability`, which adaptive_sampler_test compares to a dense reference.
namespace adacvar {
namespace {

using support::follows_distribution;

struct Case {
  std::string name;
  std::size_t size;
  AdaptiveSamplerOptions options;
  double spread;  // spread of the initial log-weights
  std::size_t batch = 64;
  double octaves = -1;  // row weights from 1 to 2^octaves, evenly in their logarithm; -1: none
};

std::vector<double> row_weights(const Case& c, Rng& rng) {
  std::vector<double> weights;
  if (c.octaves < 0) return weights;
  for (std::size_t i = 0; i < c.size; ++i) weights.push_back(std::exp2(c.octaves * rng.uniform()));
  return weights;
}

AdaptiveSampler after_a_history(const Case& c, Rng& rng) {
  AdaptiveSampler sampler(c.size, c.options, row_weights(c, rng));
  std::vector<double> x(c.size);
  for (double& value : x) value = c.spread * (rng.uniform() - 0.5);
  sampler.set_log_weights(x);
  std::vector<Index> batch(16);
  std::vector<double> losses(16);
  for (int t = 0; t < 30; ++t) {
    sampler.draw(rng, batch);
    for (double& loss : losses) loss = rng.uniform();
    sampler.observe(batch, losses);
  }
  return sampler;
}

std::vector<Case> cases() {
  const auto with = [](double alpha, double gamma, Marginals marginals,
                       Batches batches = Batches::iid) {
    AdaptiveSamplerOptions o;
    o.alpha = alpha;
    o.gamma = gamma;
    o.eta = 0.002;
    o.marginals = marginals;
    o.batches = batches;
    return o;
  };
  const auto matched = Marginals::matched;
  const auto exact = Marginals::exact;
  return {
      {"matched_narrow", 300, with(0.1, 0.0, matched), 1},
      {"matched_wide", 300, with(0.1, 0.0, matched), 20},
      {"matched_spread_over_hundreds", 1000, with(0.1, 0.0, matched), 600},
      {"matched_mixed", 300, with(0.1, 0.2, matched), 20},
      {"matched_one_of_n", 100, with(0.01, 0.0, matched), 5},
      {"matched_all_but_one", 20, with(0.95, 0.0, matched), 5},
      {"matched_single_draws", 50, with(0.1, 0.05, matched), 5, 1},
      {"matched_batches_of_many_groups", 300, with(0.1, 0.05, matched), 5, 1000},
      {"weights_narrow", 300, with(0.1, 0.0, matched), 1, 64, 9},
      {"weights_wide", 300, with(0.1, 0.0, matched), 20, 64, 9},
      {"weights_equal", 300, with(0.1, 0.05, matched), 5, 64, 0},
      {"weights_mixed", 300, with(0.1, 0.2, matched), 20, 64, 9},
      {"weights_far_apart", 1000, with(0.1, 0.0, matched), 600, 64, 40},
      {"weights_of_a_small_tail", 100, with(0.003, 0.0, matched), 5, 64, 3},
      {"weights_without_a_tail", 100, with(1.0, 0.0, matched), 5, 64, 9},
      {"exact_narrow", 300, with(0.1, 0.0, exact), 1},
      {"exact_wide", 300, with(0.1, 0.0, exact), 20},
      {"exact_small", 12, with(0.4, 0.0, exact), 4},
      {"exact_mixed", 60, with(0.1, 0.2, exact), 20},
      {"exact_one_of_n", 100, with(0.01, 0.0, exact), 5},
      {"exact_spread_over_hundreds", 1000, with(0.1, 0.0, exact), 600},
      {"exact_interpolated", 5000, with(0.1, 0.0, exact), 10},
  };
}

class Distribution : public testing::TestWithParam<Case> {};

TEST_P(Distribution, draws_follow_the_probabilities) {
  const Case& c = GetParam();
  Rng rng(4);
  AdaptiveSampler sampler = after_a_history(c, rng);
  const auto q = sampler.probabilities();
  std::vector<std::uint64_t> counts(c.size, 0);
  std::vector<Index> batch(c.batch);
  const std::size_t draws = 200 * c.size;
  for (std::size_t t = 0; t * c.batch < draws; ++t) {
    sampler.draw(rng, batch);
    for (const Index i : batch) ++counts[i];
  }
  EXPECT_TRUE(follows_distribution(counts, q));
}

// Draws must not depend on the position in the batch, nor neighbours on each other.
TEST_P(Distribution, first_draws_and_pairs_of_neighbours_follow_it_too) {
  const Case& c = GetParam();
  constexpr std::size_t kClasses = 8;
  Rng rng(5);
  AdaptiveSampler sampler = after_a_history(c, rng);
  const auto q = sampler.probabilities();
  std::vector<double> share(kClasses, 0.0);
  for (std::size_t i = 0; i < c.size; ++i) share[i % kClasses] += q[i];
  std::vector<double> pairs(kClasses * kClasses);
  for (std::size_t a = 0; a < pairs.size(); ++a)
    pairs[a] = share[a / kClasses] * share[a % kClasses];
  std::vector<std::uint64_t> first(c.size, 0);
  std::vector<std::uint64_t> neighbours(pairs.size(), 0);
  std::vector<Index> batch(2);
  for (std::size_t t = 0; t < 100 * std::min<std::size_t>(c.size, 1000); ++t) {
    sampler.draw(rng, batch);
    ++first[batch[0]];
    ++neighbours[batch[0] % kClasses * kClasses + batch[1] % kClasses];
  }
  EXPECT_TRUE(follows_distribution(first, q));
  EXPECT_TRUE(follows_distribution(neighbours, pairs));
}

INSTANTIATE_TEST_SUITE_P(All, Distribution, testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST(WeightedSamplerDraws, follow_the_weights) {
  for (const double octaves : {0.0, 0.7, 9.0, 60.0}) {
    const Case c{"", 500, {}, 0, 64, octaves};
    Rng rng(9);
    WeightedSampler sampler(row_weights(c, rng));
    std::vector<double> q(c.size);
    for (std::size_t i = 0; i < c.size; ++i) q[i] = sampler.probability(static_cast<Index>(i));
    std::vector<std::uint64_t> counts(c.size, 0);
    std::vector<Index> batch(100'000);
    sampler.draw(rng, batch);
    for (const Index i : batch) ++counts[i];
    EXPECT_TRUE(follows_distribution(counts, q)) << octaves;
  }
}

class SubsetDistribution : public testing::TestWithParam<double> {};

// With batches from one subset the draws of a batch depend on each other, but each alone follows q.
TEST_P(SubsetDistribution, every_place_of_a_subset_batch_follows_the_exact_distribution) {
  AdaptiveSamplerOptions options;
  options.alpha = 0.1;
  options.gamma = GetParam();
  options.eta = 0.002;
  options.marginals = Marginals::exact;
  options.batches = Batches::subset;
  Rng rng(6);
  AdaptiveSampler sampler = after_a_history({"", 120, options, 8}, rng);
  const auto q = sampler.probabilities();
  std::vector<std::vector<std::uint64_t>> counts(3, std::vector<std::uint64_t>(120, 0));
  std::vector<Index> batch(3);
  for (int t = 0; t < 20'000; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t place = 0; place < 3; ++place) ++counts[place][batch[place]];
  }
  for (const auto& place : counts) EXPECT_TRUE(follows_distribution(place, q));
}
INSTANTIATE_TEST_SUITE_P(All, SubsetDistribution, testing::Values(0.0, 0.25));

TEST(SubsetBatches, hold_at_most_k_different_examples) {
  AdaptiveSampler sampler(
      100,
      {.alpha = 0.05, .gamma = 0.0, .marginals = Marginals::exact, .batches = Batches::subset});
  Rng rng(7);
  std::vector<Index> batch(64);
  for (int t = 0; t < 50; ++t) {
    sampler.draw(rng, batch);
    std::ranges::sort(batch);
    EXPECT_LE(std::ranges::unique(batch).begin() - batch.begin(), 5);
    batch.resize(64);
  }
}

// The check itself must be able to fail: a distribution off by a tenth in half of the items.
TEST(DistributionCheck, notices_a_wrong_distribution) {
  AdaptiveSampler sampler(100);
  Rng rng(8);
  std::vector<std::uint64_t> counts(100, 0);
  std::vector<Index> batch(50'000);
  sampler.draw(rng, batch);
  for (const Index i : batch) ++counts[i];
  std::vector<double> wrong(100);
  for (std::size_t i = 0; i < 100; ++i) wrong[i] = i % 2 == 0 ? 0.0105 : 0.0095;
  EXPECT_TRUE(follows_distribution(counts, std::vector<double>(100, 0.01)));
  EXPECT_FALSE(follows_distribution(counts, wrong));
}

}  // namespace
}  // namespace adacvar
