#include "solver/be_the_leader.hpp"

#include "support/expect_words.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/exact_cvar.hpp>
#include "data/prepare_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

Dataset made(const char* name, std::uint64_t rows) {
  DataOptions options;
  options.data = name;
  options.split = {1, 0, 0};
  options.source.make_rows = rows;
  return prepare_data(options, 0).train;
}

const Loss kSquared(LossKind::squared);

double gap_of(const LinearModel& model, const Dataset& data, double alpha) {
  const double least =
      solve_exact(data, kSquared, {.risk = {.alpha = alpha}, .tolerance = 1e-9}).certificate.lower;
  return cvar(losses_of(model, data, kSquared), alpha) / least - 1;
}

TEST(BeTheLeader, against_the_uniform_law_it_is_least_squares_at_once) {
  const Dataset data = made("normal", 300);
  const LinearModel exact =
      solve_exact(data, kSquared, {.risk = {.alpha = 1}, .tolerance = 1e-12}).model;
  for (const Information information : {Information::bandit, Information::full}) {
    const TrainResult found = be_the_leader(
        data, nullptr, kSquared,
        {.alpha = 1, .learner = Learner::btl, .information = information, .epochs = 1});
    for (std::size_t i = 0; i < exact.parameters().size(); ++i) {
      EXPECT_NEAR(found.model.parameters()[i], exact.parameters()[i], 1e-9);
    }
  }
}

TEST(BeTheLeader, with_full_information_more_rounds_come_nearer) {
  const Dataset data = made("pareto", 500);
  double last = 1e9;
  for (const std::uint64_t epochs : {10U, 50U, 250U}) {
    const TrainResult found = be_the_leader(data, nullptr, kSquared,
                                            {.exploration = 0,
                                             .learner = Learner::btl,
                                             .information = Information::full,
                                             .epochs = epochs});
    const double gap = gap_of(found.model, data, 0.1);
    EXPECT_LT(gap, last) << epochs;
    EXPECT_GE(gap, -1e-8);
    last = gap;
  }
  EXPECT_LT(last, 0.01);
}

TEST(BeTheLeader, full_information_leaves_nothing_to_chance) {
  const Dataset data = made("pareto", 200);
  TrainOptions options{.learner = Learner::btl, .information = Information::full, .epochs = 3};
  const TrainResult one = be_the_leader(data, nullptr, kSquared, options);
  options.seed = 99;
  const TrainResult other = be_the_leader(data, nullptr, kSquared, options);
  EXPECT_TRUE(std::ranges::equal(one.model.parameters(), other.model.parameters()));
}

TEST(BeTheLeader, learns_the_tail_from_the_losses_drawn) {
  const Dataset data = made("pareto", 1000);
  const TrainResult found =
      be_the_leader(data, &data, kSquared, {.learner = Learner::btl, .epochs = 50});
  EXPECT_EQ(found.stop_reason, StopReason::epochs);
  EXPECT_EQ(found.history.size(), 50U);
  EXPECT_LT(gap_of(found.model, data, 0.1), 0.05);
  const TrainResult mean =
      train(data, nullptr, kSquared, {.algorithm = Algorithm::mean, .epochs = 50});
  EXPECT_GT(gap_of(mean.model, data, 0.1), 0.1);
}

TEST(BeTheLeader, hooks_stop_it) {
  const Dataset data = made("normal", 200);
  for (const Information information : {Information::bandit, Information::full}) {
    const TrainResult found = be_the_leader(
        data, nullptr, kSquared, {.learner = Learner::btl, .information = information},
        {.progress = [](const EpochRecord& record) { return record.epoch < 3; }});
    EXPECT_EQ(found.stop_reason, StopReason::interrupted);
    EXPECT_EQ(found.epochs, 3U);
    EXPECT_TRUE(found.model.is_finite());
  }
}

TEST(BeTheLeader, refuses_what_it_cannot_play) {
  const Dataset data = made("normal", 50);
  expect_words<OptionError>(
      [&] {
        (void)be_the_leader(data, nullptr, Loss(LossKind::absolute), {.learner = Learner::btl});
      },
      "learner = btl needs a smooth loss: squared, huber, logistic or softmax");
  expect_words<OptionError>(
      [&] {
        (void)be_the_leader(data, nullptr, kSquared,
                            {.algorithm = Algorithm::soft, .learner = Learner::btl});
      },
      "learner = btl plays against the sampler of adacvar, not soft");
}

}  // namespace
}  // namespace adacvar
