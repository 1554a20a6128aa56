// Training with row weights: a row of weight w counts as w rows.

#include <adacvar/base/error.hpp>
#include <adacvar/learner/train.hpp>
#include "learner/objective.hpp"

#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;

// Two lines through 0, y = x for x > 0 and y = -x for x < 0; the right one has the weight.
Dataset two_lines() {
  Rng rng(1);
  Dataset data;
  data.rows = 300;
  data.features = 1;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double x = support::normal(rng);
    data.dense.push_back(static_cast<float>(x));
    data.targets.push_back((x > 0 ? x : -x) + 0.3 * support::normal(rng));
    data.weights.push_back(x > 0 ? 4.0 + rng.below(4) : 1.0);
  }
  return data;
}

Dataset repeated(const Dataset& data) {
  Dataset result;
  result.features = data.features;
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (int copy = 0; copy < static_cast<int>(data.weights[i]); ++copy) {
      result.dense.push_back(data.dense[i]);
      result.targets.push_back(data.targets[i]);
      ++result.rows;
    }
  }
  return result;
}

struct Case {
  Algorithm algorithm;
  double alpha;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << kAlgorithmNames.of(c.algorithm) << " at " << c.alpha;
}

class TrainWeights : public testing::TestWithParam<Case> {};

// Each algorithm minimises its risk on the weighted rows. Draws are random: the optimum is reached
// within a fiftieth, while training without the weights misses it by more.
TEST_P(TrainWeights, whole_weights_reach_the_optimum_of_repeated_rows) {
  const Case c = GetParam();
  const Dataset data = two_lines();
  Dataset unweighted = data;
  unweighted.weights.clear();
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.algorithm = c.algorithm;
  options.alpha = c.alpha;
  options.epochs = 200;
  options.decay = 0.1;
  const double alpha = c.algorithm == Algorithm::mean ? 1.0 : c.alpha;
  const auto risk_of = [&](const Dataset& training) {
    const TrainResult result = train(training, nullptr, loss, options);
    return cvar(losses_of(result.model, data, loss), data.weights, alpha);
  };
  const double of_repeated = risk_of(repeated(data));
  EXPECT_NEAR(risk_of(data), of_repeated, 0.02 * of_repeated);
  EXPECT_GT(risk_of(unweighted), 1.02 * of_repeated);
}

INSTANTIATE_TEST_SUITE_P(All, TrainWeights,
                         testing::Values(Case{Algorithm::mean, 0.3}, Case{Algorithm::adacvar, 0.3},
                                         Case{Algorithm::trunc, 0.3}, Case{Algorithm::soft, 0.3}),
                         [](const auto& c) {
                           return std::string(kAlgorithmNames.of(c.param.algorithm));
                         });

// Losses 1, 2, 3, 10 of weights 1, 1, 2, 1: the worst fifth of the weight is the row of 10, the
// worst 3/5 also the row of 3, the worst 2/5 half of it.
TEST(ObjectiveWeights, trunc_levels_hold_the_share_of_the_weight) {
  const std::vector<Index> batch{0, 1, 2, 3};
  const Values losses{1, 2, 3, 10};
  const Values row_weights{1, 1, 2, 1};
  Values weights(4);
  TruncObjective fifth(4, {0.2}, 100, row_weights);
  fifth.weight(batch, losses, weights);
  EXPECT_EQ(fifth.level(), 3.0);
  EXPECT_EQ(weights, (Values{0, 0, 0, 5}));
  TruncObjective most(4, {0.6}, 100, row_weights);
  most.weight(batch, losses, weights);
  EXPECT_EQ(most.level(), 2.0);
  // The border row is in the tail in every second fit.
  TruncObjective half(4, {0.4}, 100, row_weights);
  double in_tail = 0;
  constexpr int kFits = 1000;
  for (int fit = 0; fit < kFits; ++fit) {
    half.weight(batch, losses, weights);
    in_tail += half.level() < 3.0 ? 1 : 0;
  }
  EXPECT_NEAR(in_tail / kFits, 0.5, 0.01);
}

TEST(ObjectiveWeights, equal_losses_and_all_of_the_weight_count_alike) {
  const std::vector<Index> batch{0, 1, 2, 3};
  const Values row_weights{1, 5, 2, 0.5};
  for (const double alpha : {0.25, 0.5, 1.0}) {
    TruncObjective trunc(4, {alpha}, 100, row_weights);
    SoftObjective soft(4, {alpha}, 100, 0.1, row_weights);
    Values weights(4);
    Values soft_weights(4);
    double mean = 0;
    double total = 0;
    constexpr int kFits = 1000;
    for (int fit = 0; fit < kFits; ++fit) {
      trunc.weight(batch, Values(4, 0.7), weights);
      for (std::size_t i = 0; i < 4; ++i) {
        mean += row_weights[i] * weights[i] / kFits;
        total += row_weights[i] / kFits;
      }
    }
    EXPECT_NEAR(mean / total, 1.0, 0.02) << alpha;  // over the fits
    soft.weight(batch, Values(4, 0.7), soft_weights);
    for (const double weight : soft_weights) EXPECT_NEAR(weight, 1.0, 1e-9);
  }
}

TEST(ObjectiveWeights, soft_weights_have_mean_one_under_the_row_weights) {
  Rng rng(2);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t rows = 2 + rng.below(50);
    const double alpha = 0.02 + 0.96 * rng.uniform();
    Values row_weights(rows);
    Values losses(rows);
    std::vector<Index> batch(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      row_weights[i] = std::exp(4 * rng.uniform());
      losses[i] = std::exp(6 * rng.uniform());
      batch[i] = static_cast<Index>(i);
    }
    SoftObjective soft(rows, {alpha}, 1e6, 0.001 + rng.uniform(), row_weights);
    Values weights(rows);
    soft.weight(batch, losses, weights);
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      sum += row_weights[i] * weights[i];
      total += row_weights[i];
    }
    EXPECT_NEAR(sum / total, 1.0, 1e-9) << trial;
  }
}

TEST(TrainRowWeights, validation_risk_is_weighted) {
  const Dataset data = two_lines();
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.epochs = 1;
  options.iterate = Iterate::last;
  const TrainResult result = train(data, &data, loss, options);
  const auto losses = losses_of(result.model, data, loss);
  ASSERT_TRUE(result.history.back().validation);
  EXPECT_EQ(*result.history.back().validation, tail_risk(losses, data.weights, options.alpha));
}

TEST(TrainRowWeights, a_checkpoint_of_other_weights_is_refused) {
  const support::TemporaryFolder folder;
  const Dataset data = two_lines();
  const Loss loss(LossKind::squared);
  for (const auto algorithm : {Algorithm::adacvar, Algorithm::trunc}) {
    TrainOptions options;
    options.algorithm = algorithm;
    options.epochs = 6;
    const TrainResult whole = train(data, nullptr, loss, options);
    TrainHooks hooks;
    hooks.checkpoint = folder.path() / kAlgorithmNames.of(algorithm);
    hooks.progress = [](const EpochRecord& record) { return record.epoch < 4; };
    (void)train(data, nullptr, loss, options, hooks);  // stops after epoch 4
    hooks.progress = {};
    Dataset other = data;
    other.weights[7] += 1;
    EXPECT_THROW((void)train(other, nullptr, loss, options, hooks), DataError);
    other.weights.clear();
    EXPECT_THROW((void)train(other, nullptr, loss, options, hooks), DataError);
    const TrainResult resumed = train(data, nullptr, loss, options, hooks);
    EXPECT_TRUE(std::ranges::equal(resumed.model.parameters(), whole.model.parameters()));
  }
}

TEST(TrainRowWeights, bad_weights_are_refused) {
  const Loss loss(LossKind::squared);
  for (const auto algorithm : {Algorithm::adacvar, Algorithm::mean}) {
    TrainOptions options;
    options.algorithm = algorithm;
    options.epochs = 1;
    Dataset data = two_lines();
    data.weights.pop_back();
    EXPECT_THROW((void)train(data, nullptr, loss, options), DataError);
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      data = two_lines();
      data.weights[3] = bad;
      EXPECT_THROW((void)train(data, nullptr, loss, options), DataError) << bad;
    }
  }
}

}  // namespace
}  // namespace adacvar
