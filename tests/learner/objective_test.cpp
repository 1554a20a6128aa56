#include <adacvar/learner/objective.hpp>

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

TEST(Objective, mean_counts_every_example_once) {
  std::vector<double> weights(3);
  MeanObjective{}.weigh(std::vector<double>{1, 2, 3}, weights);
  EXPECT_EQ(weights, (std::vector<double>{1, 1, 1}));
}

TEST(Objective, trunc_counts_examples_above_the_level) {
  TruncObjective trunc{.alpha = 0.25, .rate = 0.1};
  std::vector<double> weights(4);
  // The first batch puts the level at its mean, 4.
  trunc.weigh(std::vector<double>{1, 2, 3, 10}, weights);
  EXPECT_EQ(weights, (std::vector<double>{0, 0, 0, 4}));
  // One of four above it is just alpha: the level stays.
  EXPECT_EQ(trunc.level, 4.0);
  trunc.weigh(std::vector<double>{1, 2, 3, 3.5}, weights);
  EXPECT_EQ(weights, (std::vector<double>{0, 0, 0, 0}));
  // None above it: down by rate times the running mean, 4 + (2.375 - 4) / 100.
  EXPECT_NEAR(trunc.level, 4.0 - 0.1 * (4.0 - 0.01625), 1e-12);
}

TEST(Objective, soft_tends_to_trunc_as_it_cools) {
  const std::vector<double> losses{0, 1, 2, 3};
  std::vector<double> hard(4);
  std::vector<double> soft(4);
  TruncObjective trunc{.alpha = 0.5};
  SoftObjective cold{.alpha = 0.5, .temperature = 1e-3};
  trunc.weigh(losses, hard);
  cold.weigh(losses, soft);
  for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(soft[b], hard[b], 1e-12);
  SoftObjective warm{.alpha = 0.5, .temperature = 1.0};
  warm.weigh(losses, soft);
  EXPECT_NEAR(soft[3], 2 / (1 + std::exp(-1.5)), 1e-14);
}

TEST(Objective, no_loss_or_temperature_overflows) {
  for (const double temperature : {1e-300, 1.0, 1e300}) {
    SoftObjective soft{.alpha = 0.01, .temperature = temperature};
    std::vector<double> weights(3);
    for (int t = 0; t < 10; ++t) soft.weigh(std::vector<double>{0, 1e300, 1.7e308}, weights);
    for (const double weight : weights) EXPECT_TRUE(std::isfinite(weight));
    EXPECT_TRUE(std::isfinite(soft.level));
  }
}

TEST(Objective, level_settles_at_the_var) {
  TruncObjective trunc{.alpha = 0.1, .rate = 0.02};
  Rng rng(3);
  std::vector<double> losses(64);
  std::vector<double> weights(64);
  double mean_level = 0;
  for (int t = 0; t < 4000; ++t) {
    for (double& loss : losses) loss = rng.uniform();
    trunc.weigh(losses, weights);
    if (t >= 2000) mean_level += trunc.level / 2000;
  }
  EXPECT_NEAR(mean_level, 0.9, 0.01);
}

}  // namespace
}  // namespace adacvar
