// Training under a limit, against the certified optimum under it.

#include <adacvar/learner/train.hpp>
#include <adacvar/solver/frontier.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {
namespace {

using support::expect_words;

constexpr double kAlpha = 0.1;

// Noise that grows with a feature, so that mean and tail want different models.
Dataset uneven(std::size_t rows, std::uint64_t seed = 1) {
  Rng rng(seed);
  Dataset data;
  data.rows = rows;
  data.features = 2;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = rng.uniform();
    data.dense.push_back(static_cast<float>(x));
    data.dense.push_back(static_cast<float>(support::normal(rng)));
    const double noise = std::abs(support::normal(rng)) * x * x * 3;
    data.targets.push_back(x + noise);
  }
  return data;
}

TailRisk risk_of(const TrainResult& result, const Dataset& data) {
  return tail_risk(losses_of(result.model, data, Loss(LossKind::squared)), data.weights, kAlpha);
}

TEST(TrainLimit, mean_limits_are_met_near_the_certified_optimum) {
  const Dataset data = uneven(2000);
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = kAlpha}});
  const RiskLimit limit{RiskLimit::Of::mean, 1.05 * frontier.at(1).risk.mean};
  const LimitedResult best = frontier.within(limit);
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft}) {
    TrainOptions options{.algorithm = algorithm, .alpha = kAlpha};
    options.limit = limit;
    const TrainResult result = train(data, nullptr, loss, options);
    const TailRisk risk = risk_of(result, data);
    EXPECT_NEAR(risk.mean / limit.most, 1, 0.01);
    EXPECT_LT(risk.cvar / best.risk.cvar, 1.02);
    EXPECT_GT(result.gamma, 0.1);  // the optimum's is 0.26
    EXPECT_LT(result.gamma, 0.6);
  }
}

TEST(TrainLimit, cvar_limits_are_met_with_little_more_than_the_least_mean) {
  const Dataset data = uneven(2000);
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = kAlpha}});
  const double most = std::midpoint(frontier.at(0).risk.cvar, frontier.at(1).risk.cvar);
  const LimitedResult best = frontier.within({RiskLimit::Of::cvar, most});
  TrainOptions options{.alpha = kAlpha};
  options.limit = {RiskLimit::Of::cvar, most};
  const TailRisk risk = risk_of(train(data, nullptr, loss, options), data);
  EXPECT_NEAR(risk.cvar / most, 1, 0.02);
  EXPECT_LT(risk.mean / best.risk.mean, 1.02);
}

TEST(TrainLimit, a_limit_that_does_not_bind_leaves_the_cvar_least) {
  const Dataset data = uneven(1000);
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = kAlpha}});
  TrainOptions options{.alpha = kAlpha};
  options.limit = {RiskLimit::Of::mean, 3 * frontier.at(0).risk.mean};
  const TrainResult result = train(data, nullptr, loss, options);
  EXPECT_LT(result.gamma, 0.02);
  EXPECT_LT(risk_of(result, data).cvar / frontier.at(0).risk.cvar, 1.02);
}

TEST(TrainLimit, row_weights_count_in_the_limit) {
  Dataset data = uneven(2000);
  Rng rng(3);
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.2 + 3 * rng.uniform());
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = kAlpha}});
  TrainOptions options{.alpha = kAlpha};
  options.limit = {RiskLimit::Of::mean, 1.05 * frontier.at(1).risk.mean};
  const LimitedResult best = frontier.within(*options.limit);
  const TailRisk risk = risk_of(train(data, nullptr, loss, options), data);
  EXPECT_NEAR(risk.mean / options.limit->most, 1, 0.01);
  EXPECT_LT(risk.cvar / best.risk.cvar, 1.02);
}

TEST(TrainLimit, may_be_one_on_the_validation_rows) {
  const Dataset data = uneven(2000);
  const Dataset held_out = uneven(1000, 2);
  const Loss loss(LossKind::squared);
  Frontier frontier(data, loss, {.risk = {.alpha = kAlpha}});
  const double plain = tail_risk(losses_of(frontier.at(1).model, held_out, loss), kAlpha).mean;
  TrainOptions options{.alpha = kAlpha};
  options.limit = {RiskLimit::Of::mean, 1.05 * plain};
  options.limit_on_validation = true;
  const TrainResult average = train(data, &held_out, loss, options);
  EXPECT_NEAR(risk_of(average, held_out).mean / options.limit->most, 1, 0.01);
  options.iterate = Iterate::best;
  const TrainResult best = train(data, &held_out, loss, options);
  EXPECT_LE(risk_of(best, held_out).mean / options.limit->most, 1.01 + 1e-9);
}

TEST(TrainLimit, the_best_epoch_has_the_least_risk_that_is_trained) {
  const Dataset data = uneven(300);
  const Dataset held_out = uneven(300, 2);
  const Loss loss(LossKind::squared);
  TrainOptions options{.alpha = kAlpha, .gamma = 0.9, .epochs = 12};
  options.iterate = Iterate::best;
  const TrainResult result = train(data, &held_out, loss, options);
  double least = 1e300;
  for (const EpochRecord& record : result.history) {
    least = std::min(least, options.risk().of(*record.validation));
  }
  EXPECT_DOUBLE_EQ(options.risk().of(risk_of(result, held_out)), least);
  EXPECT_EQ(result.gamma, 0.9);
}

TEST(TrainLimit, bad_limits_are_named) {
  const Dataset data = uneven(50);
  const Loss loss(LossKind::squared);
  const auto with = [&](TrainOptions options) {
    return [&, options] { (void)train(data, nullptr, loss, options); };
  };
  TrainOptions options;
  options.limit = {RiskLimit::Of::mean, 0.0};
  expect_words<OptionError>(with(options), "limit = 0 is outside (0, inf)");
  options.limit->most = 1;
  options.limit_on_validation = true;
  expect_words<OptionError>(with(options), "needs validation data");
  options.limit_on_validation = false;
  options.algorithm = Algorithm::mean;
  expect_words<OptionError>(with(options), "algorithm = mean has no gamma");
  options.algorithm = Algorithm::adacvar;
  options.learner = Learner::btl;
  expect_words<OptionError>(with(options), "learner = btl has a fixed gamma");
}

}  // namespace
}  // namespace adacvar
