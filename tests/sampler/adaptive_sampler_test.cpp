#include <adacvar/sampler/adaptive_sampler.hpp>

#include "support/dense_sampler.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace adacvar {
namespace {

using Options = AdaptiveSamplerOptions;

// Random options of every kind; steps from tiny ones to ones that drive weights to both ends.
Options random_options(Rng& rng, std::size_t size, Marginals marginals) {
  Options o;
  o.alpha = rng.below(4) == 0 ? 1.0 / static_cast<double>(size) : std::max(0.001, rng.uniform());
  o.gamma = rng.below(3) == 0 ? 0.0 : 0.5 * rng.uniform();
  o.estimator = static_cast<Estimator>(rng.below(3));
  o.schedule = static_cast<EtaSchedule>(rng.below(3));
  o.scale = static_cast<LossScale>(rng.below(3));
  o.loss_scale = 0.25 + rng.uniform();
  if (rng.below(4) != 0) o.eta = std::exp(-8 + 10 * rng.uniform()) / static_cast<double>(size);
  o.eta_scale = 3 * rng.uniform();
  o.horizon = rng.below(2) == 0 ? 0 : 1000;
  o.epsilon = rng.below(2) == 0 ? 0.0 : rng.uniform();
  o.marginals = marginals;
  return o;
}

std::vector<double> weights_of(const AdaptiveSampler& sampler) {
  std::vector<double> x(sampler.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = sampler.log_weight(static_cast<Index>(i));
  return x;
}

std::vector<double> dense_distribution(const AdaptiveSampler& sampler) {
  const auto x = weights_of(sampler);
  const std::size_t k = sampler.tail_size();
  std::vector<double> p(x.size(), 1.0);
  if (k < x.size()) {
    p = sampler.options().marginals == Marginals::exact ? twin::exact_marginals(x, k)
                                                        : twin::matched_marginals(x, k);
  }
  const double gamma = sampler.options().gamma;
  for (double& value : p) {
    value = (1 - gamma) * value / static_cast<double>(k) + gamma / static_cast<double>(x.size());
  }
  return p;
}

void expect_distribution(const AdaptiveSampler& sampler, std::span<const double> expected,
                         const std::string& where) {
  const auto q = sampler.probabilities();
  const double gamma = sampler.options().gamma;
  const double most = (1 - gamma) / static_cast<double>(sampler.tail_size()) +
                      gamma / static_cast<double>(sampler.size());
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    ASSERT_NEAR(q[i], expected[i], 1e-9) << where << ", item " << i;
    ASSERT_GE(q[i], 0.0) << where;
    ASSERT_LE(q[i], most * (1 + 1e-12)) << where;
    ASSERT_EQ(q[i], sampler.probability(static_cast<Index>(i))) << where;
    sum += q[i];
  }
  ASSERT_NEAR(sum, 1.0, 1e-9) << where;
}

class Histories : public testing::TestWithParam<std::tuple<int, Marginals>> {};

// 16 shards of 75 histories each: the sampler against a dense reference that replays every batch.
TEST_P(Histories, distribution_equals_the_dense_twin_after_every_batch) {
  const auto [shard, marginals] = GetParam();
  Rng meta(100 + static_cast<std::uint64_t>(shard));
  for (int history = 0; history < 75; ++history) {
    const std::size_t size = 2 + meta.below(meta.below(5) == 0 ? 150 : 40);
    const Options options = random_options(meta, size, marginals);
    AdaptiveSampler sampler(size, options);
    twin::DenseSampler dense(size, options);
    Rng rng(static_cast<std::uint64_t>(history));
    std::vector<double> loss(size);
    for (double& value : loss) value = meta.below(3) == 0 ? meta.below(2) : meta.uniform();
    std::vector<Index> batch(1 + meta.below(20));
    std::vector<double> seen(batch.size());
    const std::size_t batches = 1 + meta.below(24);
    for (std::size_t t = 0; t < batches; ++t) {
      sampler.draw(rng, batch);
      for (std::size_t j = 0; j < batch.size(); ++j) seen[j] = loss[batch[j]];
      sampler.observe(batch, seen);
      dense.observe(batch, seen);
      const std::string where = "shard " + std::to_string(shard) + ", history " +
                                std::to_string(history) + ", batch " + std::to_string(t);
      expect_distribution(sampler, dense.probabilities(), where);
      ASSERT_NEAR(sampler.baseline(), dense.baseline(), 1e-9) << where;
      ASSERT_NEAR(sampler.scale(), dense.scale(), 1e-9) << where;
      if (HasFatalFailure()) return;
    }
  }
}

// Long histories of "epochs", each ended by a discount: mostly by a random factor, now and then by
// 0 or 1.
TEST_P(Histories, discounted_distribution_equals_the_dense_twin) {
  const auto [shard, marginals] = GetParam();
  Rng meta(200 + static_cast<std::uint64_t>(shard));
  for (int history = 0; history < 6; ++history) {
    const std::size_t size = 2 + meta.below(60);
    const Options options = random_options(meta, size, marginals);
    AdaptiveSampler sampler(size, options);
    twin::DenseSampler dense(size, options);
    Rng rng(static_cast<std::uint64_t>(history));
    std::vector<double> loss(size);
    std::vector<Index> batch(1 + meta.below(20));
    std::vector<double> seen(batch.size());
    for (int t = 0; t < 150; ++t) {
      if (t % 10 == 0) {
        for (double& value : loss) value = meta.uniform();
      }
      sampler.draw(rng, batch);
      for (std::size_t j = 0; j < batch.size(); ++j) seen[j] = loss[batch[j]];
      sampler.observe(batch, seen);
      dense.observe(batch, seen);
      if (t % 5 == 4) {
        const auto kind = meta.below(8);
        const double factor = kind == 0 ? 0.0 : kind == 1 ? 1.0 : meta.uniform();
        sampler.discount(factor);
        dense.discount(factor);
      }
      expect_distribution(sampler, dense.probabilities(),
                          "history " + std::to_string(history) + ", batch " + std::to_string(t));
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Histories,
                         testing::Combine(testing::Range(0, 8),
                                          testing::Values(Marginals::matched, Marginals::exact)));

// Any examples may be observed, any number of times, with steps that change log-weights by
// thousands. The distribution is then checked against the sampler's own weights.
TEST(AdaptiveSampler, distribution_is_exact_at_both_ends_of_the_weights) {
  Rng meta(7);
  for (int history = 0; history < 200; ++history) {
    const std::size_t size = 2 + meta.below(60);
    Options options = random_options(meta, size, static_cast<Marginals>(meta.below(2)));
    options.eta = std::exp(-4 + 12 * meta.uniform()) / static_cast<double>(size);
    AdaptiveSampler sampler(size, options);
    Rng rng(static_cast<std::uint64_t>(history));
    std::vector<Index> batch(1 + meta.below(64));
    std::vector<double> seen(batch.size());
    for (int t = 0; t < 60; ++t) {
      if (meta.below(2) == 0) {
        sampler.draw(rng, batch);
      } else {
        for (Index& i : batch) i = meta.below(static_cast<std::uint32_t>(size));
      }
      for (double& value : seen) value = 2 * meta.uniform();
      sampler.observe(batch, seen);
      if (t % 10 == 9) {
        expect_distribution(sampler, dense_distribution(sampler),
                            "history " + std::to_string(history));
        if (HasFatalFailure()) return;
      }
    }
  }
}

class Endurance : public testing::TestWithParam<Estimator> {};

TEST_P(Endurance, a_million_updates_leave_no_drift) {
  constexpr std::size_t kSize = 1000;
  AdaptiveSampler sampler(kSize, {.alpha = 0.1, .estimator = GetParam(), .eta = 0.05 / kSize});
  Rng rng(11);
  std::vector<Index> batch(64);
  std::vector<double> seen(64);
  for (int t = 0; t < 15'625; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 64; ++j) {
      seen[j] = static_cast<double>(batch[j]) / kSize * (0.5 + rng.uniform());
    }
    sampler.observe(batch, seen);
  }
  expect_distribution(sampler, dense_distribution(sampler), "after 1e6 updates");
}
INSTANTIATE_TEST_SUITE_P(All, Endurance,
                         testing::Values(Estimator::gain, Estimator::loss, Estimator::centred));

TEST(AdaptiveSampler, exact_distribution_holds_at_sizes_where_sums_are_interpolated) {
  Rng meta(5);
  for (const std::size_t size : {300U, 1000U, 2000U}) {
    AdaptiveSampler sampler(size, {.alpha = 0.1,
                                   .estimator = Estimator::gain,
                                   .eta = 0.5 / static_cast<double>(size),
                                   .marginals = Marginals::exact});
    Rng rng(1);
    std::vector<Index> batch(64);
    std::vector<double> seen(64);
    for (int t = 0; t < 400; ++t) {
      sampler.draw(rng, batch);
      for (double& value : seen) value = meta.uniform();
      sampler.observe(batch, seen);
    }
    expect_distribution(sampler, dense_distribution(sampler), "size " + std::to_string(size));
  }
}

TEST(AdaptiveSampler, starts_uniform) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    const AdaptiveSampler sampler(37, {.alpha = 0.2, .marginals = marginals});
    EXPECT_EQ(sampler.tail_size(), 7U);
    for (Index i = 0; i < 37; ++i) EXPECT_NEAR(sampler.probability(i), 1.0 / 37, 1e-14);
  }
}

TEST(AdaptiveSampler, tail_size_is_floor_of_alpha_n_and_at_least_one) {
  EXPECT_EQ(AdaptiveSampler(100, {.alpha = 0.29}).tail_size(), 29U);  // 28.999999999999996
  EXPECT_EQ(AdaptiveSampler(10, {.alpha = 0.19}).tail_size(), 1U);
  EXPECT_EQ(AdaptiveSampler(10, {.alpha = 1e-9}).tail_size(), 1U);
  EXPECT_EQ(AdaptiveSampler(10, {.alpha = 1}).tail_size(), 10U);
}

TEST(AdaptiveSampler, alpha_one_stays_uniform) {
  AdaptiveSampler sampler(20, {.alpha = 1, .eta = 10});
  Rng rng(3);
  std::vector<Index> batch(8);
  std::vector<double> seen(8);
  for (int t = 0; t < 200; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 8; ++j) seen[j] = batch[j];
    sampler.observe(batch, seen);
  }
  for (Index i = 0; i < 20; ++i) EXPECT_EQ(sampler.probability(i), 1.0 / 20);
}

// [A02]: weights times exp(eta L / q) for the drawn arm, mixed with gamma.
TEST(AdaptiveSampler, one_of_n_with_gains_is_exp3_step_by_step) {
  constexpr std::size_t kSize = 12;
  constexpr double kEta = 0.02;
  constexpr double kGamma = 0.1;
  AdaptiveSampler sampler(kSize, {.alpha = 1.0 / kSize,
                                  .estimator = Estimator::gain,
                                  .eta = kEta,
                                  .gamma = kGamma,
                                  .marginals = Marginals::exact});
  ASSERT_EQ(sampler.tail_size(), 1U);
  std::vector<double> w(kSize, 1.0);
  Rng rng(17);
  for (int t = 0; t < 300; ++t) {
    const double total = std::accumulate(w.begin(), w.end(), 0.0);
    for (std::size_t i = 0; i < kSize; ++i) {
      ASSERT_NEAR(sampler.probability(static_cast<Index>(i)),
                  (1 - kGamma) * w[i] / total + kGamma / kSize, 1e-9)
          << "step " << t;
    }
    Index drawn = 0;
    sampler.draw(rng, std::span(&drawn, 1));
    const double loss = static_cast<double>(drawn) / kSize;
    w[drawn] *= std::exp(kEta * loss / ((1 - kGamma) * w[drawn] / total + kGamma / kSize));
    sampler.observe(std::span(&drawn, 1), std::span(&loss, 1));
  }
}

// By hand: N = 2, k = 1, eta = 0.1, gain. q = 1/2, so x_0 moves by 0.1 * 1 / 0.5 = 0.2. Matched
// distribution: sigma(0.2 + nu) + sigma(nu) = 1 gives nu = -0.1 and q_0 = sigma(0.1); exact
// distribution: e^0.2 / (e^0.2 + 1).
TEST(AdaptiveSampler, one_update_by_hand) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    AdaptiveSampler sampler(2, {.alpha = 0.5,
                                .estimator = Estimator::gain,
                                .eta = 0.1,
                                .gamma = 0,
                                .marginals = marginals});
    sampler.observe(std::vector<Index>{0}, std::vector<double>{1.0});
    EXPECT_NEAR(sampler.log_weight(0) - sampler.log_weight(1), 0.2, 1e-12);
    const double expected =
        marginals == Marginals::exact ? 1 / (1 + std::exp(-0.2)) : 1 / (1 + std::exp(-0.1));
    EXPECT_NEAR(sampler.probability(0), expected, 1e-12);
  }
}

// As above, then halved: x_0 = 0.1, nu = -0.05; forgotten: 1/2 each.
TEST(AdaptiveSampler, a_discount_by_hand) {
  AdaptiveSampler sampler(2, {.alpha = 0.5, .estimator = Estimator::gain, .eta = 0.1, .gamma = 0});
  sampler.observe(std::vector<Index>{0}, std::vector<double>{1.0});
  sampler.discount(0.5);
  EXPECT_NEAR(sampler.log_weight(0) - sampler.log_weight(1), 0.1, 1e-12);
  EXPECT_NEAR(sampler.probability(0), 1 / (1 + std::exp(-0.05)), 1e-12);
  sampler.discount(1);
  EXPECT_NEAR(sampler.probability(0), 1 / (1 + std::exp(-0.05)), 1e-12);
  sampler.discount(0);
  EXPECT_EQ(sampler.log_weight(0), sampler.log_weight(1));
  EXPECT_NEAR(sampler.probability(0), 0.5, 1e-12);
}

TEST(AdaptiveSampler, a_discount_of_one_changes_no_draw) {
  AdaptiveSampler sampler(100, {.eta = 0.01});
  AdaptiveSampler other(100, {.eta = 0.01});
  Rng rng(4);
  Rng other_rng(4);
  std::vector<Index> batch(16);
  std::vector<Index> other_batch(16);
  const std::vector<double> losses{1, 0, 3, 0, 0, 2, 0, 1, 0, 5, 0, 0, 1, 0, 0, 2};
  for (int t = 0; t < 50; ++t) {
    sampler.draw(rng, batch);
    other.draw(other_rng, other_batch);
    ASSERT_EQ(batch, other_batch);
    sampler.observe(batch, losses);
    other.observe(batch, losses);
    other.discount(1);
  }
}

TEST(AdaptiveSampler, a_discount_outside_0_to_1_is_refused) {
  AdaptiveSampler sampler(10);
  for (const double factor : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    support::expect_words<OptionError>([&] { sampler.discount(factor); }, "factor = ... [0, 1]");
  }
  AdaptiveSampler uniform(10, {.alpha = 1});
  uniform.discount(0.5);
  EXPECT_EQ(uniform.probability(3), 0.1);
  EXPECT_THROW(uniform.discount(2), OptionError);
}

TEST(AdaptiveSampler, repeats_in_a_batch_add_up) {
  AdaptiveSampler sampler(10, {.alpha = 0.3, .estimator = Estimator::gain, .eta = 0.01});
  sampler.observe(std::vector<Index>{4, 4, 4}, std::vector<double>{0.5, 0.5, 1.0});
  EXPECT_NEAR(sampler.log_weight(4), 0.01 * 2.0 / 0.1, 1e-12);
}

TEST(AdaptiveSampler, a_stale_batch_uses_the_probability_it_was_drawn_with) {
  AdaptiveSampler sampler(10, {.alpha = 0.3, .estimator = Estimator::gain, .eta = 0.01});
  const std::vector<Index> first{1};
  const std::vector<Index> second{2};
  const std::vector<double> loss{1.0};
  const std::vector<double> drawn_with{sampler.probability(2)};
  sampler.observe(first, loss);
  sampler.observe(second, loss, drawn_with);
  EXPECT_NEAR(sampler.log_weight(2), 0.01 / drawn_with[0], 1e-12);
}

TEST(AdaptiveSampler, automatic_eta_is_that_of_the_regret_bound) {
  const AdaptiveSampler sampler(1000, {.horizon = 64'000});
  EXPECT_NEAR(sampler.eta(), std::sqrt(std::log(1000.0) / (1000.0 * 64'000.0)), 1e-15);
  EXPECT_EQ(AdaptiveSampler(10, {.eta = 0.25}).eta(), 0.25);
}

TEST(AdaptiveSampler, eta_of_zero_learns_nothing) {
  AdaptiveSampler sampler(10, {.eta = 0.0});
  sampler.observe(std::vector<Index>{1, 2}, std::vector<double>{1.0, 0.0});
  EXPECT_EQ(sampler.log_weight(1), 0.0);
  EXPECT_NEAR(sampler.probability(1), 0.1, 1e-14);
}

TEST(AdaptiveSampler, gamma_of_one_is_uniform_whatever_the_weights) {
  AdaptiveSampler sampler(50, {.gamma = 1.0});
  std::vector<double> x(50, 0.0);
  x[3] = 40;
  sampler.set_log_weights(x);
  Rng rng(2);
  std::vector<Index> batch(2000);
  sampler.draw(rng, batch);
  EXPECT_EQ(sampler.probability(3), 1.0 / 50);
  EXPECT_LT(std::ranges::count(batch, 3U), 100);  // 40 expected, s.d. 6.3
}

TEST(AdaptiveSampler, losses_that_are_all_zero_move_nothing) {
  AdaptiveSampler sampler(10, {.estimator = Estimator::centred});
  sampler.observe(std::vector<Index>{1, 2, 3}, std::vector<double>{0.0, 0.0, 0.0});
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(sampler.probability(i), 0.1, 1e-14);
}

TEST(AdaptiveSampler, the_largest_losses_do_not_overflow) {
  for (const auto estimator : {Estimator::gain, Estimator::loss, Estimator::centred}) {
    AdaptiveSampler sampler(100, {.estimator = estimator, .scale = LossScale::running});
    Rng rng(1);
    std::vector<Index> batch(32);
    std::vector<double> seen(32);
    for (int t = 0; t < 50; ++t) {
      sampler.draw(rng, batch);
      for (double& value : seen) value = rng.uniform() * std::numeric_limits<double>::max();
      sampler.observe(batch, seen);
    }
    expect_distribution(sampler, dense_distribution(sampler), "huge losses");
  }
}

TEST(AdaptiveSampler, an_empty_batch_changes_nothing) {
  AdaptiveSampler sampler(10);
  sampler.observe({}, {});
  Rng rng(1);
  const Rng before = rng;
  sampler.draw(rng, {});
  EXPECT_EQ(rng, before);
  EXPECT_NEAR(sampler.probability(0), 0.1, 1e-14);
}

TEST(AdaptiveSampler, an_empty_batch_between_draw_and_observe_changes_nothing) {
  AdaptiveSampler sampler(50, {.eta = 0.01});
  AdaptiveSampler other = sampler;
  Rng rng(4);
  std::vector<Index> batch(8);
  const std::vector<double> losses(8, 0.5);
  sampler.draw(rng, batch);
  sampler.observe({}, {});
  AdaptiveSampler copy = sampler;
  sampler.observe(batch, losses);
  copy.observe(batch, losses);
  other.observe(batch, losses);
  EXPECT_EQ(sampler.probabilities(), other.probabilities());
  EXPECT_EQ(copy.probabilities(), other.probabilities());
}

// Gains only increase log-weights and losses only decrease them: log-weights leave every bound, but
// the distribution must stay exact.
TEST(AdaptiveSampler, distribution_stays_exact_under_drift_of_the_weights) {
  for (const auto estimator : {Estimator::gain, Estimator::loss}) {
    AdaptiveSampler sampler(10, {.alpha = 0.1,
                                 .estimator = estimator,
                                 .eta = 5.0,
                                 .gamma = 0.05,
                                 .marginals = Marginals::exact});
    Rng rng(12);
    double climbed = 0;  // by the log-weight of example 3, had nothing been taken from it
    for (int t = 0; t < 60'000; ++t) {
      Index drawn = 0;
      sampler.draw(rng, std::span(&drawn, 1));
      const double loss = drawn == 3 ? 0.5 : 0.2;
      const double g = estimator == Estimator::gain ? loss : loss - 1;
      if (drawn == 3) climbed += 5.0 * g / sampler.probability(3);
      sampler.observe(std::span(&drawn, 1), std::span(&loss, 1));
      if (t % 1000 == 0)
        expect_distribution(sampler, dense_distribution(sampler), "step " + std::to_string(t));
    }
    EXPECT_GT(std::abs(climbed), 1.2e5);
    EXPECT_GT(sampler.probability(3), 0.9);
  }
}

TEST(AdaptiveSampler, weights_far_from_0_keep_their_differences) {
  std::vector<double> x(10);
  for (std::size_t i = 0; i < 10; ++i) x[i] = static_cast<double>(i);
  for (const double offset : {2e5, -2e5, 1e12}) {
    AdaptiveSampler near_zero(10);
    AdaptiveSampler far(10);
    near_zero.set_log_weights(x);
    std::vector<double> moved = x;
    for (double& value : moved) value += offset;
    far.set_log_weights(moved);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_NEAR(far.probability(i), near_zero.probability(i), 1e-9) << offset;
    }
  }
}

TEST(AdaptiveSampler, baseline_starts_as_the_var_of_the_first_batch) {
  AdaptiveSampler sampler(100, {.alpha = 0.5});
  sampler.observe(std::vector<Index>{1, 2, 3, 4}, std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(sampler.baseline(), 2.0);  // half of the weight lies above it
  EXPECT_EQ(sampler.scale(), 2.5);
}

TEST(AdaptiveSampler, centred_baseline_and_scale_find_var_and_tail_mean) {
  constexpr std::size_t kSize = 2000;
  AdaptiveSampler sampler(kSize, {.alpha = 0.1, .eta = 1.0 / kSize, .gamma = 0.05});
  Rng rng(23);
  std::vector<Index> batch(64);
  std::vector<double> seen(64);
  for (int t = 0; t < 6000; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < 64; ++j) seen[j] = static_cast<double>(batch[j]) / kSize;
    sampler.observe(batch, seen);
  }
  // Losses i/N: VaR 0.9, CVaR 0.95; a share of 0.05 of the draws is uniform (mean 0.5).
  EXPECT_NEAR(sampler.baseline(), 0.9, 0.03);
  EXPECT_NEAR(sampler.scale(), 0.95 * 0.95 + 0.05 * 0.5, 0.03);
  double tail = 0;
  for (Index i = 1800; i < kSize; ++i) tail += sampler.probability(i);
  EXPECT_GT(tail, 0.9);
}

TEST(AdaptiveSampler, memory_is_at_most_24_bytes_an_item) {
  constexpr std::size_t kSize = 1'000'000;
  AdaptiveSampler sampler(kSize, {.eta = 0.5 / kSize});
  EXPECT_LE(sampler.memory_bytes(), 24 * kSize);
  Rng rng(1);
  std::vector<double> x(kSize);
  for (double& value : x) value = 300 * (rng.uniform() - 0.5);
  sampler.set_log_weights(x);
  std::vector<Index> batch(4096);
  const std::vector<double> seen(4096, 1.0);
  for (int t = 0; t < 100; ++t) {
    sampler.draw(rng, batch);
    sampler.observe(batch, seen);
  }
  EXPECT_LE(sampler.memory_bytes(), 24 * kSize);
}

TEST(AdaptiveSampler, given_weights_are_taken_and_shifts_do_not_matter) {
  std::vector<double> x(30);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i);
  AdaptiveSampler one(30);
  AdaptiveSampler other(30);
  one.set_log_weights(x);
  for (double& value : x) value -= 5000;
  other.set_log_weights(x);
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(one.probability(i), other.probability(i), 1e-10);
    EXPECT_EQ(other.log_weight(i), x[i]);
  }
}

// A learner's losses fall by orders of magnitude in its first steps; the tail must still be found.
TEST(AdaptiveSampler, a_baseline_from_before_the_losses_fell_is_soon_forgotten) {
  AdaptiveSampler sampler(1000, {.alpha = 0.1, .eta_scale = 3});
  Rng rng(7);
  std::vector<Index> batch(16);
  std::vector<double> losses(16);
  for (int t = 0; t < 1000; ++t) {  // 16 epochs
    sampler.draw(rng, batch);
    // The last hundred examples have ten times the loss of the others, all times 1000 at first.
    for (std::size_t j = 0; j < 16; ++j) {
      losses[j] = (batch[j] >= 900 ? 0.01 : 0.001) * (t < 5 ? 1000.0 : 1.0);
    }
    sampler.observe(batch, losses);
  }
  double tail = 0;
  for (Index i = 900; i < 1000; ++i) tail += sampler.probability(i);
  EXPECT_GT(tail, 0.5);
}

// Draws are part of the interface: a change here is a CHANGELOG entry.
TEST(AdaptiveSampler, draws_of_a_seed_are_pinned) {
  for (const auto marginals : {Marginals::matched, Marginals::exact}) {
    AdaptiveSampler sampler(1000, {.eta = 0.001, .marginals = marginals});
    Rng rng(2026);
    std::vector<Index> batch(8);
    std::vector<double> seen(8);
    for (int t = 0; t < 50; ++t) {
      sampler.draw(rng, batch);
      for (std::size_t j = 0; j < 8; ++j) seen[j] = static_cast<double>(batch[j] % 97) / 97;
      sampler.observe(batch, seen);
    }
    sampler.draw(rng, batch);
    const std::vector<Index> expected =
        marginals == Marginals::matched ? std::vector<Index>{938, 915, 950, 128, 868, 987, 870, 345}
                                        : std::vector<Index>{367, 390, 545, 471, 32, 407, 414, 720};
    EXPECT_EQ(batch, expected);
  }
}

struct BadInput {
  std::string words;
  std::function<void(AdaptiveSampler&)> act;
};

TEST(AdaptiveSampler, bad_batches_are_refused_and_leave_the_state_as_it_was) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  using I = std::vector<Index>;
  using L = std::vector<double>;
  const std::vector<BadInput> options_errors = {
      {"drawn ... 2 ... losses ... 1",
       [](auto& s) {
         s.observe(I{1, 2}, L{0.5});
       }},
      {"drawn[1] = 10 ... [0, 9]",
       [](auto& s) {
         s.observe(I{1, 10}, L{0.5, 0.5});
       }},
      {"index 10 ... [0, 9]", [](auto& s) { (void)s.probability(10); }},
      {"index 99 ... [0, 9]", [](auto& s) { (void)s.log_weight(99); }},
      {"probabilities ... 1 ... drawn ... 2",
       [](auto& s) {
         s.observe(I{1, 2}, L{0.5, 0.5}, L{0.1});
       }},
      {"probabilities[0] = 0 ... (0, 1]", [](auto& s) { s.observe(I{1}, L{0.5}, L{0}); }},
      {"probabilities[0] = 1.5 ... (0, 1]", [](auto& s) { s.observe(I{1}, L{0.5}, L{1.5}); }},
      {"log_weights ... 2 ... 10",
       [](auto& s) {
         s.set_log_weights(L{1, 2});
       }},
  };
  const std::vector<BadInput> data_errors = {
      {"losses[1] = nan ... [0, inf)",
       [=](auto& s) {
         s.observe(I{1, 2}, L{0.5, nan});
       }},
      {"losses[0] = inf ... [0, inf)", [=](auto& s) { s.observe(I{1}, L{inf}); }},
      {"losses[0] = -0.25 ... [0, inf)", [](auto& s) { s.observe(I{1}, L{-0.25}); }},
      {"log_weights[3] = -inf ... finite",
       [=](auto& s) {
         s.set_log_weights(L{0, 0, 0, -inf, 0, 0, 0, 0, 0, 0});
       }},
  };
  AdaptiveSampler sampler(10, {.alpha = 0.3, .eta = 0.05});
  sampler.observe(I{1, 2, 3}, L{0.5, 0.1, 0.9});
  const auto before = sampler.probabilities();
  const auto check = [&](const BadInput& bad, const auto& error) {
    try {
      bad.act(sampler);
      ADD_FAILURE() << "no error: " << bad.words;
    } catch (const std::remove_cvref_t<decltype(error)>& e) {
      EXPECT_PRED2(support::has_words, e.what(), bad.words);
    }
    EXPECT_EQ(sampler.probabilities(), before) << bad.words;
    EXPECT_EQ(sampler.scale(), 0.5) << bad.words;
  };
  for (const BadInput& bad : options_errors) check(bad, OptionError(""));
  for (const BadInput& bad : data_errors) check(bad, DataError(""));
}

TEST(AdaptiveSampler, bad_options_are_refused_by_name_value_and_range) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto words_of = [](std::size_t size, const Options& options) -> std::string {
    try {
      const AdaptiveSampler sampler(size, options);
    } catch (const OptionError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_PRED2(support::has_words, words_of(0, {}), "size = 0 ... [1, 4294967294]");
  EXPECT_PRED2(support::has_words, words_of(std::size_t{1} << 32U, {}),
               "size = 4294967296 ... [1, 4294967294]");
  EXPECT_PRED2(support::has_words, words_of(9, {.alpha = 0}), "alpha = 0 ... (0, 1]");
  EXPECT_PRED2(support::has_words, words_of(9, {.alpha = 1.5}), "alpha = 1.5 ... (0, 1]");
  EXPECT_PRED2(support::has_words, words_of(9, {.alpha = nan}), "alpha = nan ... (0, 1]");
  EXPECT_PRED2(support::has_words, words_of(9, {.eta = -1}), "eta = -1 ... [0, inf)");
  EXPECT_PRED2(support::has_words, words_of(9, {.eta = nan}), "eta = nan ... [0, inf)");
  EXPECT_PRED2(support::has_words, words_of(9, {.eta_scale = -2}), "eta-scale = -2 ... [0, inf)");
  EXPECT_PRED2(support::has_words, words_of(9, {.gamma = 1.01}), "gamma = 1.01 ... [0, 1]");
  EXPECT_PRED2(support::has_words, words_of(9, {.epsilon = -0.5}), "epsilon = -0.5 ... [0, inf)");
  EXPECT_PRED2(support::has_words, words_of(9, {.loss_scale = 0}), "loss-scale = 0 ... (0, inf)");
  EXPECT_PRED2(support::has_words, words_of(9, {.estimator = static_cast<Estimator>(7)}),
               "estimator = 7 ... 3 values");
  EXPECT_PRED2(support::has_words, words_of(9, {.batches = Batches::subset}),
               "batches = subset ... marginals = exact");
}

TEST(AdaptiveSampler, a_new_gamma_holds_from_the_next_draw_on) {
  AdaptiveSampler sampler(20, {.gamma = 0.1});
  AdaptiveSampler twin(20, {.gamma = 0.7});
  std::vector<double> log_weights(20);
  for (std::size_t i = 0; i < 20; ++i) log_weights[i] = static_cast<double>(i) / 4;
  sampler.set_log_weights(log_weights);
  twin.set_log_weights(log_weights);
  Rng rng(1);
  std::vector<Index> batch(5);
  sampler.draw(rng, batch);
  const std::vector<double> before = sampler.probabilities();
  sampler.set_gamma(0.7);
  EXPECT_EQ(sampler.probabilities(), before);
  std::stringstream state;
  sampler.save(state);
  Rng one(2);
  Rng other(2);
  Rng third(2);
  std::vector<Index> expected(5);
  twin.draw(other, expected);
  sampler.draw(one, batch);
  EXPECT_EQ(batch, expected);
  EXPECT_EQ(sampler.probabilities(), twin.probabilities());
  EXPECT_EQ(sampler.options().gamma, 0.7);
  AdaptiveSampler loaded = AdaptiveSampler::load(state);
  loaded.draw(third, batch);
  EXPECT_EQ(batch, expected);
  support::expect_words<OptionError>([&] { sampler.set_gamma(1.5); },
                                     "gamma = 1.5 is outside [0, 1]");
}

}  // namespace
}  // namespace adacvar
