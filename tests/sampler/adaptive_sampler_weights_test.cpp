#include <adacvar/sampler/adaptive_sampler.hpp>

#include "support/dense_sampler.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

// The adaptive sampler with row weights.
namespace adacvar {
namespace {

using Options = AdaptiveSamplerOptions;
using Batch = std::vector<Index>;
using Values = std::vector<double>;

Options random_options(Rng& rng, std::size_t size) {
  Options o;
  o.alpha = rng.below(6) == 0 ? 1.0 : std::max(0.01, rng.uniform());
  o.gamma = rng.below(3) == 0 ? 0.0 : 0.5 * rng.uniform();
  o.estimator = static_cast<Estimator>(rng.below(3));
  o.schedule = static_cast<EtaSchedule>(rng.below(3));
  o.scale = static_cast<LossScale>(rng.below(3));
  if (rng.below(4) != 0) o.eta = std::exp(-8 + 9 * rng.uniform()) / static_cast<double>(size);
  o.epsilon = rng.below(2) == 0 ? 0.0 : rng.uniform();
  return o;
}

// Exposures, survey weights, integers, equal weights, one row with nearly all the weight.
Values random_weights(Rng& rng, std::size_t size) {
  const auto kind = rng.below(5);
  const double spread = std::exp(3 * rng.uniform());
  Values weights(size);
  for (double& w : weights) {
    if (kind == 0) w = (1.0 + rng.below(365)) / 365;
    if (kind == 1) w = std::exp(spread * (rng.uniform() - 0.5));
    if (kind == 2) w = 1 + rng.below(9);
    if (kind >= 3) w = 0.7;
  }
  if (kind == 4) weights[rng.below(static_cast<std::uint32_t>(size))] = 1e6;
  return weights;
}

double sum_of(const Values& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class WeightedHistories : public testing::TestWithParam<int> {};

// 8 shards of 75 histories of up to 24 batches: the sampler against a dense reference that replays
// every batch.
TEST_P(WeightedHistories, distribution_equals_the_dense_twin_after_every_batch) {
  Rng meta(300 + static_cast<std::uint64_t>(GetParam()));
  for (int history = 0; history < 75; ++history) {
    const std::size_t size = 2 + meta.below(meta.below(5) == 0 ? 150 : 40);
    const Options options = random_options(meta, size);
    const Values weights = random_weights(meta, size);
    AdaptiveSampler sampler(size, options, weights);
    twin::DenseSampler dense(size, options, weights);
    Rng rng(static_cast<std::uint64_t>(history));
    Values loss(size);
    for (double& value : loss) value = meta.below(3) == 0 ? meta.below(2) : meta.uniform();
    Batch batch(1 + meta.below(20));
    Values seen(batch.size());
    const std::size_t batches = 1 + meta.below(24);
    for (std::size_t t = 0; t < batches; ++t) {
      sampler.draw(rng, batch);
      for (std::size_t j = 0; j < batch.size(); ++j) seen[j] = loss[batch[j]];
      sampler.observe(batch, seen);
      dense.observe(batch, seen);
      const auto q = sampler.probabilities();
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_NEAR(q[i], dense.probabilities()[i], 1e-9)
            << "history " << history << ", batch " << t << ", row " << i;
        ASSERT_EQ(q[i], sampler.probability(static_cast<Index>(i)));
      }
      ASSERT_NEAR(sum_of(q), 1.0, 1e-9);
      ASSERT_NEAR(sampler.baseline(), dense.baseline(), 1e-9) << history << ' ' << t;
      ASSERT_NEAR(sampler.scale(), dense.scale(), 1e-9);
    }
  }
}

TEST_P(WeightedHistories, discounted_distribution_equals_the_dense_twin) {
  Rng meta(400 + static_cast<std::uint64_t>(GetParam()));
  for (int history = 0; history < 6; ++history) {
    const std::size_t size = 2 + meta.below(60);
    const Options options = random_options(meta, size);
    const Values weights = random_weights(meta, size);
    AdaptiveSampler sampler(size, options, weights);
    twin::DenseSampler dense(size, options, weights);
    Rng rng(static_cast<std::uint64_t>(history));
    Batch batch(1 + meta.below(20));
    Values seen(batch.size());
    for (int t = 0; t < 150; ++t) {
      sampler.draw(rng, batch);
      for (double& value : seen) value = meta.uniform();
      sampler.observe(batch, seen);
      dense.observe(batch, seen);
      if (t % 5 == 4) {
        const double factor = meta.below(8) == 0 ? 0.0 : meta.uniform();
        sampler.discount(factor);
        dense.discount(factor);
      }
      const auto q = sampler.probabilities();
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_NEAR(q[i], dense.probabilities()[i], 1e-9)
            << "history " << history << ", batch " << t << ", row " << i;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, WeightedHistories, testing::Range(0, 8));

// Row i of weight w_i, and w_i copies of it in a sampler without weights: 40 rows, alpha W an
// integer.
TEST(AdaptiveSamplerWeights, integer_weights_are_repeated_rows) {
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    Values weights(40);
    Values x(40);
    for (double& w : weights) w = 1 + rng.below(trial % 2 == 0 ? 3 : 50);
    const double spread = std::exp(5 * rng.uniform());
    for (double& value : x) value = spread * (rng.uniform() - 0.5);
    Values repeated;
    for (std::size_t i = 0; i < 40; ++i) {
      repeated.insert(repeated.end(), static_cast<std::size_t>(weights[i]), x[i]);
    }
    const double total = sum_of(weights);
    const double tail = 1 + rng.below(static_cast<std::uint32_t>(total) - 1);
    const Options options{.alpha = tail / total, .gamma = 0.3 * rng.uniform()};
    AdaptiveSampler weighted(40, options, weights);
    AdaptiveSampler copies(repeated.size(), options);
    weighted.set_log_weights(x);
    copies.set_log_weights(repeated);
    ASSERT_EQ(static_cast<double>(copies.tail_size()), tail);
    Index copy = 0;
    for (Index i = 0; i < 40; ++i) {
      double sum = 0;
      for (int c = 0; c < static_cast<int>(weights[i]); ++c) sum += copies.probability(copy++);
      ASSERT_NEAR(weighted.probability(i), sum, 1e-9) << "trial " << trial << ", row " << i;
    }
  }
}

// By hand: weights 3 and 1, alpha 1/2, eta 0.1, gain, no mixing. q = 3/4 and 1/4. A loss of 1 on
// row 1 moves x_1 by 0.1 / (1/4) = 0.4, with epsilon 2 by 0.1 / (1/4 + 2/4).
TEST(AdaptiveSamplerWeights, one_update_by_hand) {
  const Values weights{3, 1};
  for (const double epsilon : {0.0, 2.0}) {
    AdaptiveSampler sampler(
        2, {.alpha = 0.5, .estimator = Estimator::gain, .eta = 0.1, .gamma = 0, .epsilon = epsilon},
        weights);
    EXPECT_NEAR(sampler.probability(0), 0.75, 1e-12);
    EXPECT_NEAR(sampler.probability(1), 0.25, 1e-12);
    sampler.observe(Batch{1}, Values{1.0});
    const double step = 0.1 / (0.25 + epsilon * 0.25);
    EXPECT_NEAR(sampler.log_weight(1), step, 1e-12);
    // 3 sigma(nu) + sigma(x + nu) = 2, found by bisection.
    double low = -1;
    double high = 1;
    const auto sigma = [](double z) { return 1 / (1 + std::exp(-z)); };
    for (int i = 0; i < 60; ++i) {
      const double nu = (low + high) / 2;
      (3 * sigma(nu) + sigma(step + nu) < 2 ? low : high) = nu;
    }
    EXPECT_NEAR(sampler.probability(1), sigma(step + low) / 2, 1e-12);
  }
}

TEST(AdaptiveSamplerWeights, the_scale_of_the_weights_does_not_matter) {
  Values weights(50);
  Rng rng(2);
  for (double& w : weights) w = 0.1 + rng.uniform();
  const AdaptiveSampler one(50, {.alpha = 0.2}, weights);
  for (const double scale : {1e-300, 0.25, 3.0, 1e300}) {
    Values scaled = weights;
    for (double& w : scaled) w *= scale;
    const AdaptiveSampler other(50, {.alpha = 0.2}, scaled);
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(other.probability(i), one.probability(i), 1e-13) << scale;
    }
  }
}

// k = alpha N is an integer, so nothing is rounded down, and weights of 1 change nothing.
TEST(AdaptiveSamplerWeights, weights_of_one_are_no_weights) {
  AdaptiveSampler plain(100, {.alpha = 0.1, .eta = 0.002});
  AdaptiveSampler weighted(100, {.alpha = 0.1, .eta = 0.002}, Values(100, 1.0));
  Rng rng(3);
  Batch batch(16);
  Values losses(16);
  for (int t = 0; t < 300; ++t) {
    plain.draw(rng, batch);
    for (std::size_t j = 0; j < 16; ++j) losses[j] = static_cast<double>(batch[j]) / 100;
    plain.observe(batch, losses);
    weighted.observe(batch, losses);
  }
  for (Index i = 0; i < 100; ++i) {
    EXPECT_NEAR(plain.probability(i), weighted.probability(i), 1e-12);
    EXPECT_NEAR(plain.log_weight(i), weighted.log_weight(i), 1e-9);
  }
}

TEST(AdaptiveSamplerWeights, alpha_of_one_always_draws_by_weight) {
  const Values weights{1, 2, 5};
  AdaptiveSampler sampler(3, {.alpha = 1, .eta = 10, .gamma = 0.3}, weights);
  sampler.observe(Batch{0, 1}, Values{3, 1});
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(sampler.probability(i), weights[i] / 8);
}

TEST(AdaptiveSamplerWeights, tail_that_is_not_whole_is_not_rounded_down) {
  // Three rows of weight 1, alpha W = 1.5: row 0 is certain, row 1 has half of its cap.
  AdaptiveSampler sampler(3, {.alpha = 0.5, .gamma = 0}, Values{1, 1, 1});
  sampler.set_log_weights(Values{2000, 1000, 0});
  EXPECT_NEAR(sampler.probability(0), 1 / 1.5, 1e-10);
  EXPECT_NEAR(sampler.probability(1), 0.5 / 1.5, 1e-10);
  EXPECT_NEAR(sampler.probability(2), 0.0, 1e-10);
}

// Weights from 1e-12 to 1e12 through steps that drive log-weights to both ends.
TEST(AdaptiveSamplerWeights, extreme_weights_keep_the_distribution) {
  Rng meta(4);
  for (int history = 0; history < 60; ++history) {
    const std::size_t size = 2 + meta.below(100);
    Values weights(size);
    for (double& w : weights) w = std::pow(10.0, 24 * meta.uniform() - 12);
    const double alpha = 0.02 + 0.9 * meta.uniform();
    AdaptiveSampler sampler(size, {.alpha = alpha, .eta = 0.1 / static_cast<double>(size)},
                            weights);
    Rng rng(static_cast<std::uint64_t>(history));
    Batch batch(32);
    Values losses(32);
    for (int t = 0; t < 40; ++t) {
      sampler.draw(rng, batch);
      if (t % 2 == 1) {
        for (Index& i : batch) i = meta.below(static_cast<std::uint32_t>(size));
      }
      for (double& loss : losses) loss = meta.uniform();
      sampler.observe(batch, losses);
    }
    Values x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = sampler.log_weight(static_cast<Index>(i));
    const auto p = twin::weighted_marginals(x, weights, alpha);
    const double total = sum_of(weights);
    for (std::size_t i = 0; i < size; ++i) {
      const double expected = weights[i] / total * (0.99 * p[i] / alpha + 0.01);
      ASSERT_NEAR(sampler.probability(static_cast<Index>(i)), expected, 1e-9) << history;
    }
  }
}

TEST(AdaptiveSamplerWeights, a_million_updates_leave_no_drift) {
  constexpr std::size_t kSize = 1000;
  Rng rng(5);
  Values weights(kSize);
  for (double& w : weights) w = std::pow(10.0, 6 * rng.uniform());
  AdaptiveSampler sampler(kSize, {.alpha = 0.1, .eta = 0.05 / kSize}, weights);
  Batch batch(64);
  Values losses(64);
  for (int t = 0; t < 15'625; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 64; ++j) {
      losses[j] = static_cast<double>(batch[j]) / kSize * (0.5 + rng.uniform());
    }
    sampler.observe(batch, losses);
  }
  Values x(kSize);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = sampler.log_weight(static_cast<Index>(i));
  const auto p = twin::weighted_marginals(x, weights, 0.1);
  const double total = sum_of(weights);
  for (std::size_t i = 0; i < kSize; ++i) {
    ASSERT_NEAR(sampler.probability(static_cast<Index>(i)),
                weights[i] / total * (0.99 * p[i] / 0.1 + 0.01), 1e-9);
  }
}

// Losses i/N, weights 1 below and 3 above the middle: the tail of 0.1 W begins where rows of
// weight 3 hold a tenth of all, at 1 - 2/30 of the rows.
TEST(AdaptiveSamplerWeights, baseline_finds_the_weighted_var) {
  constexpr std::size_t kSize = 3000;
  Values weights(kSize, 1.0);
  for (std::size_t i = kSize / 2; i < kSize; ++i) weights[i] = 3;
  AdaptiveSampler sampler(kSize, {.alpha = 0.1, .eta = 1.0 / kSize, .gamma = 0.05}, weights);
  Rng rng(6);
  Batch batch(64);
  Values losses(64);
  for (int t = 0; t < 6000; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 64; ++j) losses[j] = static_cast<double>(batch[j]) / kSize;
    sampler.observe(batch, losses);
  }
  EXPECT_NEAR(sampler.baseline(), 1 - 2.0 / 30, 0.02);
  double tail = 0;
  for (Index i = 2800; i < kSize; ++i) tail += sampler.probability(i);
  EXPECT_GT(tail, 0.85);
}

std::vector<Index> run(AdaptiveSampler& sampler, Rng& rng, int batches) {
  std::vector<Index> all;
  Batch batch(7);
  Values losses(7);
  for (int t = 0; t < batches; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 7; ++j) {
      losses[j] = std::fmod(0.37 * static_cast<double>(batch[j]) + 0.01 * t, 1.0);
    }
    sampler.observe(batch, losses);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

Values survey_weights(std::size_t size) {
  Values weights(size);
  for (std::size_t i = 0; i < size; ++i) weights[i] = 0.1 + static_cast<double>(i % 97);
  return weights;
}

TEST(AdaptiveSamplerWeights, a_resumed_run_draws_the_same_indices) {
  for (const double alpha : {0.1, 1.0}) {
    AdaptiveSampler sampler(150, {.alpha = alpha, .eta = 0.05}, survey_weights(150));
    Rng rng(5);
    run(sampler, rng, 40);
    std::stringstream stream;
    sampler.save(stream);
    rng.save(stream);
    AdaptiveSampler resumed = AdaptiveSampler::load(stream);
    Rng resumed_rng = Rng::load(stream);
    EXPECT_EQ(resumed.probabilities(), sampler.probabilities());
    EXPECT_EQ(run(resumed, resumed_rng, 200), run(sampler, rng, 200));
    EXPECT_EQ(resumed.probabilities(), sampler.probabilities());
    std::stringstream one;
    std::stringstream two;
    sampler.save(one);
    resumed.save(two);
    EXPECT_EQ(one.str(), two.str());
  }
}

TEST(AdaptiveSamplerWeights, a_copy_is_independent) {
  AdaptiveSampler sampler(60, {.eta = 0.01}, survey_weights(60));
  Rng rng(9);
  run(sampler, rng, 20);
  AdaptiveSampler copy = sampler;
  const auto before = copy.probabilities();
  Rng other = rng;
  const auto drawn = run(sampler, rng, 30);
  EXPECT_EQ(copy.probabilities(), before);
  EXPECT_EQ(run(copy, other, 30), drawn);
}

TEST(AdaptiveSamplerWeights, damaged_states_and_other_versions_are_refused) {
  AdaptiveSampler sampler(12, {.eta = 0.02}, survey_weights(12));
  Rng rng(3);
  run(sampler, rng, 10);
  std::ostringstream out;
  sampler.save(out);
  const std::string bytes = out.str();
  const auto refused = [](const std::string& altered) {
    std::istringstream in(altered);
    try {
      (void)AdaptiveSampler::load(in);
    } catch (const DataError&) {
      return true;
    }
    return false;
  };
  ASSERT_FALSE(refused(bytes));
  for (std::size_t length = 0; length < bytes.size(); length += 3) {
    EXPECT_TRUE(refused(bytes.substr(0, length))) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ (1 << (at % 8)));
    EXPECT_TRUE(refused(altered)) << at;
  }
  std::string newer = bytes;
  newer[8] = 3;
  std::istringstream in(newer);
  try {
    (void)AdaptiveSampler::load(in);
    ADD_FAILURE() << "version 3 was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("version is 3"), std::string::npos) << error.what();
  }
}

TEST(AdaptiveSamplerWeights, memory_is_at_most_38_bytes_a_row) {
  constexpr std::size_t kSize = 1'000'000;
  Rng rng(1);
  Values weights(kSize);
  for (double& w : weights) w = (1.0 + rng.below(365)) / 365;
  AdaptiveSampler sampler(kSize, {.eta = 0.5 / kSize}, weights);
  Values x(kSize);
  for (double& value : x) value = 300 * (rng.uniform() - 0.5);
  sampler.set_log_weights(x);
  Batch batch(4096);
  const Values seen(4096, 1.0);
  for (int t = 0; t < 100; ++t) {
    sampler.draw(rng, batch);
    sampler.observe(batch, seen);
  }
  EXPECT_LE(sampler.memory_bytes(), 38 * kSize);
}

// Draws are part of the interface: a change here is a CHANGELOG entry.
TEST(AdaptiveSamplerWeights, draws_of_a_seed_are_pinned) {
  AdaptiveSampler sampler(1000, {.eta = 0.001}, survey_weights(1000));
  Rng rng(2026);
  run(sampler, rng, 50);
  Batch batch(8);
  sampler.draw(rng, batch);
  EXPECT_EQ(batch, (Batch{658, 365, 621, 403, 727, 427, 718, 718}));
}

TEST(AdaptiveSamplerWeights, bad_weights_and_options_are_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto make = [](const Values& weights, const Options& options = {}) {
    return [=] { std::ignore = AdaptiveSampler(3, options, weights); };
  };
  EXPECT_THROW(make({1, 2})(), OptionError);
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(make({1, 2, bad})(), DataError) << bad;
  }
  EXPECT_THROW(make({1, 1e-200, 1e200})(), DataError);
  for (const Options& options :
       {Options{.marginals = Marginals::exact},
        Options{.marginals = Marginals::exact, .batches = Batches::subset}}) {
    try {
      make({1, 2, 3}, options)();
      ADD_FAILURE();
    } catch (const OptionError& error) {
      const std::string words = error.what();
      EXPECT_NE(words.find("not supported with row weights"), std::string::npos) << words;
      EXPECT_NE(words.find("marginals = exact"), std::string::npos) << words;
      EXPECT_NE(words.find("batches = subset"), std::string::npos) << words;
    }
  }
}

}  // namespace
}  // namespace adacvar
