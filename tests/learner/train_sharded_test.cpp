#include "learner/train_sharded.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include "base/thread_communicator.hpp"
#include "support/deal_rows.hpp"
#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

struct Case {
  std::string name;
  Algorithm algorithm = Algorithm::adacvar;
  LossKind loss = LossKind::squared;
  bool sparse = false;
  bool weighted = false;
  bool limited = false;
  Iterate iterate = Iterate::automatic;
  double memory = 1;
};

constexpr std::size_t kRows = 600;
constexpr std::size_t kFeatures = 7;

// Rows whose targets are a linear function with heavy tails; classes by its sign or thirds.
Dataset make_rows(const Case& c, std::uint64_t seed, std::size_t rows = kRows) {
  Dataset data;
  data.rows = rows;
  data.features = kFeatures;
  Rng rng(seed);
  if (c.sparse) data.start = {0};
  const std::size_t classes =
      c.loss == LossKind::softmax ? 3 : (c.loss == LossKind::squared ? 0 : 2);
  for (std::size_t i = 0; i < classes; ++i) data.class_names.push_back(std::to_string(i));
  data.task = classes == 0 ? Task::regression : (classes == 2 ? Task::binary : Task::multiclass);
  for (std::size_t i = 0; i < rows; ++i) {
    double score = 0.3;
    for (std::size_t f = 0; f < kFeatures; ++f) {
      const double value = c.sparse && rng.below(2) == 0 ? 0.0 : 2 * rng.uniform() - 1;
      score += value * (static_cast<double>(f) - 2) / 4;
      if (!c.sparse) data.dense.push_back(static_cast<float>(value));
      if (!c.sparse || value == 0) continue;
      data.column.push_back(static_cast<std::uint32_t>(f));
      data.value.push_back(static_cast<float>(value));
    }
    if (c.sparse) data.start.push_back(data.column.size());
    const double noise = rng.uniform() - 0.5;
    const double noisy = score + 4 * noise * noise * noise;
    data.targets.push_back(classes == 0   ? noisy
                           : classes == 2 ? (noisy > 0.3 ? 1 : 0)
                                          : (noisy < 0 ? 0 : (noisy < 0.6 ? 1 : 2)));
    if (c.weighted) data.weights.push_back(std::exp2(4 * rng.uniform()));
  }
  return data;
}

TrainOptions options_of(const Case& c) {
  TrainOptions options;
  options.algorithm = c.algorithm;
  options.alpha = 0.2;
  options.epochs = 8;
  options.seed = 3;
  options.iterate = c.iterate;
  options.memory = c.memory;
  if (c.limited) options.limit = RiskLimit{.of = RiskLimit::Of::mean, .most = 0.5};
  return options;
}

TrainResult train_on(std::size_t count, const Dataset& training, const Dataset* validation,
                     LossKind loss, const TrainOptions& options) {
  std::vector<TrainResult> results(count, {.model = LinearModel(kFeatures, 1), .history = {}});
  run_on_threads(count, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(training, ranks);
    const ShardedRows held_out =
        validation != nullptr ? support::deal_rows(*validation, ranks) : ShardedRows{};
    results[ranks.rank()] = train_sharded(ranks, rows, validation != nullptr ? &held_out : nullptr,
                                          Loss(loss), options);
  });
  for (const TrainResult& result : results) {
    EXPECT_TRUE(std::ranges::equal(result.model.parameters(), results[0].model.parameters()));
    EXPECT_EQ(result.stop_reason, results[0].stop_reason);
  }
  return std::move(results[0]);
}

void expect_same(const TrainResult& one, const TrainResult& other) {
  EXPECT_TRUE(std::ranges::equal(one.model.parameters(), other.model.parameters()));
  EXPECT_EQ(one.stop_reason, other.stop_reason);
  EXPECT_EQ(one.gamma, other.gamma);
  ASSERT_EQ(one.history.size(), other.history.size());
  for (std::size_t e = 0; e < one.history.size(); ++e) {
    EXPECT_EQ(one.history[e].training_loss, other.history[e].training_loss);
    EXPECT_EQ(one.history[e].validation, other.history[e].validation);
  }
}

class ShardedTraining : public testing::TestWithParam<Case> {};

TEST_P(ShardedTraining, gives_the_same_bits_on_1_2_and_4_ranks) {
  const Case& c = GetParam();
  const Dataset training = make_rows(c, 1);
  const Dataset validation = make_rows(c, 2, 100);
  const TrainResult alone = train_on(1, training, &validation, c.loss, options_of(c));
  EXPECT_EQ(alone.stop_reason, StopReason::epochs);
  for (const std::size_t ranks : {2, 4}) {
    expect_same(train_on(ranks, training, &validation, c.loss, options_of(c)), alone);
  }
}

// Other draws of the same distribution: the risk that is minimised differs by their noise only,
// which single iterates have more of than averages.
TEST_P(ShardedTraining, is_as_good_as_that_of_one_process) {
  const Case& c = GetParam();
  const Dataset training = make_rows(c, 1);
  const Dataset validation = make_rows(c, 2, 100);
  const Loss loss(c.loss);
  TrainOptions options = options_of(c);
  options.epochs = 40;
  const TrainResult sharded = train_on(2, training, &validation, c.loss, options);
  const TrainResult local = train(training, &validation, loss, options);
  const Risk risk = c.algorithm == Algorithm::mean ? Risk{.alpha = 1} : options.risk();
  const auto value = [&](const LinearModel& model) {
    return risk.of(tail_risk(losses_of(model, training, loss), training.weights, risk.alpha));
  };
  EXPECT_NEAR(value(sharded.model) / value(local.model), 1,
              c.iterate == Iterate::automatic ? 0.02 : 0.06);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShardedTraining,
    testing::Values(
        Case{"adacvar"}, Case{"trunc", Algorithm::trunc}, Case{"soft", Algorithm::soft},
        Case{"mean", Algorithm::mean}, Case{"logistic", Algorithm::adacvar, LossKind::logistic},
        Case{"softmax", Algorithm::adacvar, LossKind::softmax},
        Case{"mean_logistic", Algorithm::mean, LossKind::logistic},
        Case{"sparse", Algorithm::adacvar, LossKind::squared, true},
        Case{"sparse_trunc", Algorithm::trunc, LossKind::logistic, true},
        Case{"weights", Algorithm::adacvar, LossKind::squared, false, true},
        Case{"weights_trunc", Algorithm::trunc, LossKind::squared, false, true},
        Case{"weights_soft", Algorithm::soft, LossKind::squared, true, true},
        Case{"weights_mean", Algorithm::mean, LossKind::squared, false, true},
        Case{"limit", Algorithm::adacvar, LossKind::squared, false, false, true},
        Case{"limit_trunc", Algorithm::trunc, LossKind::squared, false, true, true},
        Case{"best", Algorithm::adacvar, LossKind::squared, false, false, false, Iterate::best},
        Case{"random", Algorithm::adacvar, LossKind::squared, false, false, false, Iterate::random},
        Case{"forgets", Algorithm::adacvar, LossKind::squared, false, false, false,
             Iterate::automatic, 0.5}),
    [](const auto& c) { return c.param.name; });

// With batches of all rows the order of the draws does not matter, so that one process takes the
// same steps.
TEST(ShardedTraining, takes_the_steps_of_one_process_if_batches_have_all_rows) {
  for (const Algorithm algorithm : {Algorithm::mean, Algorithm::trunc, Algorithm::soft}) {
    for (const bool sparse : {false, true}) {
      const Case c{"", algorithm, LossKind::squared, sparse};
      const Dataset training = make_rows(c, 1, 90);
      TrainOptions options = options_of(c);
      options.batch = 90;
      options.learning_rate = 0.05;
      options.epochs = 60;
      const TrainResult sharded = train_on(3, training, nullptr, c.loss, options);
      const TrainResult local = train(training, nullptr, Loss(c.loss), options);
      for (std::size_t p = 0; p < local.model.parameters().size(); ++p) {
        EXPECT_NEAR(sharded.model.parameters()[p], local.model.parameters()[p], 1e-9)
            << static_cast<int>(algorithm) << sparse << p;
      }
    }
  }
}

TEST(ShardedTraining, works_with_fewer_rows_than_ranks) {
  const Case c{"", Algorithm::adacvar};
  const Dataset training = make_rows(c, 1, 2);
  const TrainResult alone = train_on(1, training, nullptr, c.loss, options_of(c));
  expect_same(train_on(4, training, nullptr, c.loss, options_of(c)), alone);
}

TEST(ShardedTraining, stops_all_ranks_if_one_is_stopped) {
  const Dataset training = make_rows({}, 1);
  run_on_threads(2, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(training, ranks);
    const bool stops = ranks.rank() == 1;
    TrainHooks hooks;
    hooks.progress = [&](const EpochRecord& record) { return !stops || record.epoch < 3; };
    const TrainResult result =
        train_sharded(ranks, rows, nullptr, Loss(LossKind::squared), {}, hooks);
    EXPECT_EQ(result.stop_reason, StopReason::interrupted);
    EXPECT_EQ(result.epochs, 3U);
    const std::atomic<bool> stop = true;
    hooks = {};
    if (stops) hooks.stop = &stop;
    EXPECT_EQ(train_sharded(ranks, rows, nullptr, Loss(LossKind::squared), {}, hooks).stop_reason,
              StopReason::interrupted);
  });
}

// Stops after `epochs` epochs; 0: never.
TrainResult train_with_checkpoint(std::size_t count, const Case& c,
                                  const std::filesystem::path& checkpoint, std::uint64_t epochs) {
  const Dataset training = make_rows(c, 1);
  std::vector<TrainResult> results(count, {.model = LinearModel(kFeatures, 1), .history = {}});
  run_on_threads(count, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(training, ranks);
    TrainHooks hooks;
    hooks.checkpoint = checkpoint;
    hooks.run_identity = "test";
    hooks.progress = [&](const EpochRecord& record) { return record.epoch != epochs; };
    results[ranks.rank()] = train_sharded(ranks, rows, nullptr, Loss(c.loss), options_of(c), hooks);
  });
  return std::move(results[0]);
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

class ShardedCheckpoints : public testing::TestWithParam<Case> {};

TEST_P(ShardedCheckpoints, resume_on_other_numbers_of_ranks_to_the_same_bits) {
  const Case& c = GetParam();
  const support::TemporaryFolder folder;
  const auto whole = train_with_checkpoint(1, c, {}, 0);
  const auto checkpoint = folder.path() / "run.ckpt";
  EXPECT_EQ(train_with_checkpoint(3, c, checkpoint, 3).epochs, 3U);
  EXPECT_EQ(files_in(folder.path()), 4U);  // of three ranks and the one that names them
  EXPECT_EQ(train_with_checkpoint(2, c, checkpoint, 5).epochs, 5U);
  EXPECT_EQ(files_in(folder.path()), 3U);
  expect_same(train_with_checkpoint(4, c, checkpoint, 0), whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShardedCheckpoints,
    testing::Values(Case{"adacvar"}, Case{"trunc", Algorithm::trunc},
                    Case{"weights", Algorithm::adacvar, LossKind::squared, false, true},
                    Case{"weights_mean", Algorithm::mean, LossKind::squared, false, true},
                    Case{"limit", Algorithm::soft, LossKind::squared, false, false, true}),
    [](const auto& c) { return c.param.name; });

TEST(ShardedCheckpoints, are_refused_if_a_file_is_missing_or_of_another_run) {
  const support::TemporaryFolder folder;
  const auto checkpoint = folder.path() / "run.ckpt";
  const Case c{"", Algorithm::adacvar};
  (void)train_with_checkpoint(2, c, checkpoint, 3);
  const auto part = folder.path() / "run.ckpt.part-2-1";
  const auto resume = [&](const Case& other) {
    return [&checkpoint, other] { (void)train_with_checkpoint(2, other, checkpoint, 0); };
  };
  expect_words<DataError>(resume({"", Algorithm::adacvar, LossKind::squared, false, true}),
                          "other data or options");
  std::filesystem::resize_file(part, std::filesystem::file_size(part) / 2);
  expect_words<DataError>(resume(c), "run.ckpt.part-2-1");
  std::filesystem::remove(part);
  expect_words<DataError>(resume(c), "run.ckpt.part-2-1 ... all ranks must see the files");
}

// A folder that does not exist: training goes on, and all ranks know why there is no checkpoint.
TEST(ShardedCheckpoints, that_cannot_be_written_do_not_end_training) {
  const Dataset training = make_rows({}, 1, 50);
  run_on_threads(2, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(training, ranks);
    TrainHooks hooks;
    hooks.checkpoint = "/no/such/folder/run.ckpt";
    const TrainResult result =
        train_sharded(ranks, rows, nullptr, Loss(LossKind::squared), options_of({}), hooks);
    EXPECT_EQ(result.stop_reason, StopReason::epochs);
    EXPECT_NE(result.checkpoint_error.find("/no/such/folder"), std::string::npos);
  });
}

TEST(ShardedTraining, refuses_what_it_does_not_support) {
  SelfCommunicator self;
  const Dataset all = make_rows({}, 1, 20);
  ShardedRows rows = support::deal_rows(all, self);
  const auto run = [&](const TrainOptions& options, const TrainHooks& hooks = {}) {
    return [&rows, &self, options, hooks] {
      (void)train_sharded(self, rows, nullptr, Loss(LossKind::squared), options, hooks);
    };
  };
  expect_words<OptionError>(run({.learner = Learner::btl}), "learner = btl");
  expect_words<OptionError>(run({.algorithm = Algorithm::exact}), "algorithm = exact");
  expect_words<OptionError>(run({.iterate = Iterate::best}), "validation");
  TrainHooks watching;
  watching.watch = [](const EpochView&) { return true; };
  expect_words<OptionError>(run({}, watching), "certificates");
  rows.data.offsets.assign(20, 1.0);
  expect_words<OptionError>(run({}), "known scores");
  rows.data.offsets.clear();
  rows.data.weights = {1, 2};
  expect_words<DataError>(run({}), "20 rows and 2 row weights");
  rows = support::deal_rows(make_rows({}, 1, 0), self);
  expect_words<DataError>(run({}), "no rows");
}

}  // namespace
}  // namespace adacvar
