#include <adacvar/solver/game.hpp>

#include "support/expect_words.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/exact_cvar.hpp>
#include "data/prepare_data.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace adacvar {
namespace {

Dataset made(std::uint64_t rows) {
  DataOptions options;
  options.data = "pareto";
  options.split = {1, 0, 0};
  options.source.make_rows = rows;
  return prepare_data(options, 0).train;
}

TEST(Game, bounds_hold_at_every_epoch_and_come_together) {
  const Dataset data = made(1000);
  const Loss loss(LossKind::squared);
  const double least = solve_exact(data, loss, {.tolerance = 1e-9}).certificate.upper;
  GameTracker game(data, loss, {.risk = {.alpha = 0.1}});
  std::vector<GameRecord> records;
  const TrainResult result =
      train(data, nullptr, loss, {.epochs = 64}, {.watch = [&](const EpochView& view) {
              records.push_back(game.add(view));
              return true;
            }});
  ASSERT_EQ(records.size(), 64U);
  for (const GameRecord& record : records) {
    EXPECT_LE(record.certificate.lower, least);
    EXPECT_GE(record.certificate.upper, least * (1 - 1e-8));
    // No law gains less than the one played, no model loses more than the bound.
    EXPECT_GE(record.learner_regret, 0);
    // Both regrets together: what the worst law makes of the mean losses, less the bound.
    EXPECT_GE(record.sampler_regret + record.learner_regret, 0);
    EXPECT_GE(record.distribution.effective_rows,
              99.0);  // a law within its cap plays on alpha N rows or more
    EXPECT_LE(record.distribution.effective_rows, 1000.0);
  }
  EXPECT_LT(records.back().certificate.relative_gap(), records[1].certificate.relative_gap());
  EXPECT_GT(records.back().distribution.tail_share, records.front().distribution.tail_share);
  EXPECT_TRUE(result.model.is_finite());
}

TEST(Game, first_epoch_by_hand) {
  const Dataset data = made(200);
  const Loss loss(LossKind::squared);
  GameTracker game(data, loss, {.risk = {.alpha = 0.1}});
  (void)train(data, nullptr, loss, {.epochs = 1}, {.watch = [&](const EpochView& view) {
                const GameRecord record = game.add(view);
                const auto law = view.sampler->probabilities();
                const auto losses = losses_of(view.model, data, loss);
                const double value =
                    std::inner_product(law.begin(), law.end(), losses.begin(), 0.0);
                EXPECT_NEAR(record.value, value, 1e-12);
                EXPECT_NEAR(record.sampler_regret, cvar(losses, 0.1) - value, 1e-12);
                EXPECT_NEAR(record.certificate.upper,
                            cvar(losses_of(*view.recent, data, loss), 0.1), 1e-12);
                return true;
              }});
}

TEST(Game, a_watcher_that_is_content_ends_the_run_with_the_mean_model) {
  const Dataset data = made(200);
  const Loss loss(LossKind::squared);
  std::vector<double> mean;
  const TrainResult result =
      train(data, nullptr, loss, {.epochs = 20}, {.watch = [&](const EpochView& view) {
              mean.assign(view.recent->parameters().begin(), view.recent->parameters().end());
              return view.record.epoch < 6;
            }});
  EXPECT_EQ(result.stop_reason, StopReason::gap);
  EXPECT_EQ(result.epochs, 6U);
  EXPECT_TRUE(std::ranges::equal(result.model.parameters(), mean));
}

TEST(Game, needs_the_adaptive_sampler) {
  const Dataset data = made(100);
  const Loss loss(LossKind::squared);
  GameTracker game(data, loss, {.risk = {.alpha = 0.1}});
  support::expect_words<OptionError>(
      [&] {
        (void)train(data, nullptr, loss, {.algorithm = Algorithm::mean, .epochs = 1},
                    {.watch = [&](const EpochView& view) { return game.add(view).epoch == 1; }});
      },
      "the game has a sampler only in adacvar, and bounds only for linear models");
}

}  // namespace
}  // namespace adacvar
