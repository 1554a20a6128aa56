#include "learner/objective.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include "base/state_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <vector>

namespace adacvar {
namespace {

using Rows = std::vector<Index>;
using Values = std::vector<double>;

const Rows kFour{0, 1, 2, 3};

template <class O>
Values weights_of(O& objective, const Rows& batch, const Values& losses) {
  Values weights(losses.size());
  objective.weight(batch, losses, weights);
  return weights;
}

TEST(Objective, mean_counts_every_example_once) {
  MeanObjective mean;
  EXPECT_EQ(weights_of(mean, {0, 1, 2}, {1, 2, 3}), (Values{1, 1, 1}));
}

TEST(Objective, trunc_counts_examples_above_the_level) {
  TruncObjective trunc(4, {0.25}, 100);
  // A quarter of four losses: the largest is the tail, the level the largest of the others.
  EXPECT_EQ(weights_of(trunc, kFour, {1, 2, 3, 10}), (Values{0, 0, 0, 4}));
  EXPECT_EQ(trunc.level(), 3.0);
  // The level is that of the batches before.
  EXPECT_EQ(weights_of(trunc, kFour, {5, 2, 2.5, 4}), (Values{4, 0, 0, 4}));
  weights_of(trunc, kFour, {0, 0, 0, 0});
  EXPECT_EQ(trunc.level(), 4.0);  // the second largest of 5, 2, 2.5, 4
}

TEST(Objective, gamma_mixes_in_the_mean) {
  TruncObjective trunc(4, {.alpha = 0.25, .gamma = 0.5}, 100);
  EXPECT_EQ(weights_of(trunc, kFour, {1, 2, 3, 10}), (Values{0.5, 0.5, 0.5, 2.5}));
  SoftObjective mean(4, {.alpha = 0.25, .gamma = 1}, 100, 0.1);
  EXPECT_EQ(weights_of(mean, kFour, {1, 2, 3, 10}), (Values{1, 1, 1, 1}));
}

TEST(Objective, equal_losses_count_alike) {
  // As before the first step of a classifier from 0: all losses are log 2.
  for (const double alpha : {0.25, 0.5, 1.0}) {
    TruncObjective trunc(4, {alpha}, 100);
    SoftObjective soft(4, {alpha}, 100, 0.1);
    for (const double weight : weights_of(trunc, kFour, Values(4, 0.7))) EXPECT_EQ(weight, 1.0);
    for (const double weight : weights_of(soft, kFour, Values(4, 0.7))) {
      EXPECT_NEAR(weight, 1.0, 1e-9);
    }
  }
}

TEST(Objective, soft_weights_are_sigmoids_about_the_level) {
  SoftObjective soft(4, {0.5}, 100, 0.4);
  const Values losses{0, 1, 2, 3};
  const Values weights = weights_of(soft, kFour, losses);
  EXPECT_DOUBLE_EQ(soft.width(), 0.4 * 2.5);  // the CVaR at 1/2 is (2 + 3)/2
  EXPECT_NEAR(soft.level(), 1.5, 1e-9);       // by symmetry
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_NEAR(weights[b], 2 / (1 + std::exp(1.5 - losses[b])), 1e-9);
  }
}

TEST(Objective, soft_tends_to_trunc_as_it_cools) {
  TruncObjective trunc(4, {0.5}, 100);
  SoftObjective cold(4, {0.5}, 100, 1e-4);
  const Values losses{0, 1, 2, 3};
  const Values hard = weights_of(trunc, kFour, losses);
  const Values soft = weights_of(cold, kFour, losses);
  for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(soft[b], hard[b], 1e-9);
}

TEST(Objective, soft_has_no_unit) {
  SoftObjective small(4, {0.25}, 100, 0.1);
  SoftObjective large(4, {0.25}, 100, 0.1);
  EXPECT_EQ(weights_of(small, kFour, {1, 2, 3, 10}),
            weights_of(large, kFour, {1024, 2048, 3072, 10240}));
}

TEST(Objective, no_loss_or_temperature_overflows) {
  for (const double temperature : {1e-9, 1.0, 1e9}) {
    SoftObjective soft(3, {0.4}, 100, temperature);
    for (int t = 0; t < 10; ++t) {
      for (const double weight : weights_of(soft, {0, 1, 2}, {0, 1e300, 1.7e308})) {
        EXPECT_TRUE(std::isfinite(weight)) << temperature;
      }
    }
    for (const double weight : weights_of(soft, {0, 1, 2}, {0, 0, 0})) {
      EXPECT_TRUE(std::isfinite(weight));
    }
  }
  EXPECT_THROW(SoftObjective(3, {0.1}, 100, 0.0), OptionError);
  EXPECT_THROW(TruncObjective(3, {0.0}, 100), OptionError);
  EXPECT_THROW(TruncObjective(3, {0.1}, 0.5), OptionError);
}

// Mean weight of losses drawn at random from `rows` rows with heavy tails, after a start.
template <class O>
double mean_weight(O objective, std::size_t rows, std::size_t batch_size) {
  Rng rng(5);
  Values loss_of_row(rows);
  for (double& loss : loss_of_row) loss = std::pow(rng.uniform(), -0.5);
  Rows batch(batch_size);
  Values losses(batch_size);
  const std::size_t batches = 600'000 / batch_size;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t t = 0; t < batches; ++t) {
    for (std::size_t b = 0; b < batch_size; ++b) {
      batch[b] = static_cast<Index>(rng() % rows);
      losses[b] = loss_of_row[batch[b]];
    }
    const Values weights = weights_of(objective, batch, losses);
    if (3 * t < batches) continue;
    sum += std::accumulate(weights.begin(), weights.end(), 0.0);
    count += batch_size;
  }
  return sum / static_cast<double>(count);
}

// An unbiased level has a share alpha of the draws above it, so weights of mean 1, whatever batch
// and alpha. With 4e5 draws that mean has a standard error of sqrt(1/(4e5 alpha)), 0.016 at alpha
// 0.01, and the window adds sqrt(1/(100 * windows)), below 0.02: 0.08 is beyond 3 of both, a false
// alarm of 1 in 300 for another seed.
TEST(Objective, level_is_unbiased_for_every_batch_and_alpha) {
  for (const std::size_t rows : {500, 100'000}) {
    for (const double alpha : {0.1, 0.01}) {
      for (const std::size_t batch : {8, 64, 512}) {
        EXPECT_NEAR(mean_weight(TruncObjective(rows, {alpha}, 100), rows, batch), 1.0, 0.08)
            << rows << ", alpha " << alpha << ", batch " << batch;
        EXPECT_NEAR(mean_weight(SoftObjective(rows, {alpha}, 100, 0.1), rows, batch), 1.0, 0.08)
            << rows << ", alpha " << alpha << ", batch " << batch;
      }
    }
  }
}

TEST(Objective, tails_of_a_fraction_of_a_row_are_right_on_average) {
  // 0.001 of 500 rows is half a row: the largest loss counts in every second fit.
  EXPECT_NEAR(mean_weight(TruncObjective(500, {0.001}, 100), 500, 8), 1.0, 0.15);
}

TEST(LossWindow, holds_the_latest_loss_of_every_row_while_they_fit) {
  LossWindow window(3, 0.5, 100);
  EXPECT_TRUE(window.is_empty());
  EXPECT_FALSE(window.is_due());
  window.add(Rows{0, 2, 0}, Values{1, 2, 3});
  EXPECT_TRUE(window.is_due());
  const auto losses = window.losses();
  EXPECT_EQ(Values(losses.begin(), losses.end()), (Values{3, 2}));
  EXPECT_FALSE(window.is_due());
}

TEST(LossWindow, holds_the_last_draws_where_there_are_more_rows) {
  LossWindow window(1000, 0.5, 2);  // 2 / 0.5 = 4 draws
  window.add(Rows{7, 8, 9}, Values{1, 2, 3});
  window.add(Rows{7, 8, 9}, Values{4, 5, 6});
  auto losses = window.losses();
  Values sorted(losses.begin(), losses.end());
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (Values{3, 4, 5, 6}));
}

TEST(LossWindow, tail_sizes_are_exact_on_average) {
  LossWindow window(9, 0.3, 100);  // 2.7 rows
  window.add(Rows{0, 1, 2, 3, 4, 5, 6, 7, 8}, Values(9, 1.0));
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto size = static_cast<double>(window.next_tail_size());
    EXPECT_TRUE(size == 2 || size == 3);
    sum += size;
  }
  EXPECT_NEAR(sum / 1000, 2.7, 0.002);
}

template <class O>
void expect_to_resume(O original, O loaded) {
  weights_of(original, kFour, {1, 2, 3, 10});
  weights_of(original, kFour, {4, 1, 9, 2});
  StateWriter writer("ACVRTEST", 1);
  original.save(writer);
  std::stringstream stream;
  writer.write_to(stream);
  StateReader reader(stream, "ACVRTEST", 1);
  loaded.load(reader);
  reader.finish();
  for (int t = 0; t < 5; ++t) {
    EXPECT_EQ(weights_of(original, kFour, {2, 5, 3, 8}), weights_of(loaded, kFour, {2, 5, 3, 8}));
  }
}

TEST(Objective, resumes_from_its_saved_state) {
  expect_to_resume(TruncObjective(6, {0.3}, 100), TruncObjective(6, {0.3}, 100));
  expect_to_resume(SoftObjective(6, {0.3}, 100, 0.1), SoftObjective(6, {0.3}, 100, 0.1));
}

}  // namespace
}  // namespace adacvar
