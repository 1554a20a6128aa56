#include <adacvar/learner/train.hpp>

#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/run_program.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace adacvar {
namespace {

using support::content_of;
using support::message_of;
using support::TemporaryFolder;

struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

TrainHooks killed_in(std::uint64_t epoch, const std::filesystem::path& checkpoint) {
  TrainHooks hooks;
  hooks.checkpoint = checkpoint;
  hooks.run_identity = "run";
  hooks.watch = [epoch](const EpochView& view) -> bool {
    if (view.record.epoch == epoch) throw Killed{};
    return true;
  };
  return hooks;
}

Dataset data_of(Task task) {
  Rng rng(1);
  return support::random_data(task, {.rows = 300, .features = 3}, rng);
}

TEST(Checkpoint, killed_runs_end_in_the_same_model) {
  const Dataset data = data_of(Task::binary);
  const Dataset valid = data_of(Task::binary);
  const Loss loss(LossKind::logistic);
  for (const Algorithm algorithm :
       {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft, Algorithm::mean}) {
    for (const Iterate iterate :
         {Iterate::last, Iterate::average, Iterate::random, Iterate::best}) {
      for (const OptimizerKind kind :
           {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::newton}) {
        TrainOptions options;
        options.algorithm = algorithm;
        options.iterate = iterate;
        options.optimizer.kind = kind;
        options.epochs = 7;
        options.memory = 0.6;
        const TrainResult whole = train(data, &valid, loss, options);
        const TemporaryFolder folder;
        const auto path = folder.path() / "state";
        for (const std::uint64_t epoch : {1U, 2U, 6U}) {
          EXPECT_THROW((void)train(data, &valid, loss, options, killed_in(epoch, path)), Killed);
        }
        TrainHooks hooks;
        hooks.checkpoint = path;
        hooks.run_identity = "run";
        const TrainResult resumed = train(data, &valid, loss, options, hooks);
        EXPECT_TRUE(std::ranges::equal(resumed.model.parameters(), whole.model.parameters()));
        ASSERT_EQ(resumed.history.size(), whole.history.size());
        for (std::size_t i = 0; i < whole.history.size(); ++i) {
          EXPECT_EQ(resumed.history[i].training_loss, whole.history[i].training_loss);
          EXPECT_EQ(resumed.history[i].validation, whole.history[i].validation);
        }
      }
    }
  }
}

TEST(Checkpoint, a_limit_is_followed_the_same_way_after_a_kill) {
  const Dataset data = data_of(Task::binary);
  const Loss loss(LossKind::logistic);
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft}) {
    TrainOptions options{.algorithm = algorithm, .epochs = 8};
    options.limit = {RiskLimit::Of::mean, 0.5};
    const TrainResult whole = train(data, nullptr, loss, options);
    EXPECT_GT(whole.gamma, 0);
    const TemporaryFolder folder;
    const auto path = folder.path() / "state";
    for (const std::uint64_t epoch : {2U, 6U}) {
      EXPECT_THROW((void)train(data, nullptr, loss, options, killed_in(epoch, path)), Killed);
    }
    TrainHooks hooks;
    hooks.checkpoint = path;
    hooks.run_identity = "run";
    TrainOptions other = options;
    other.limit->most = 0.6;
    support::expect_words<DataError>([&] { (void)train(data, nullptr, loss, other, hooks); },
                                     "other data or options");
    const TrainResult resumed = train(data, nullptr, loss, options, hooks);
    EXPECT_TRUE(std::ranges::equal(resumed.model.parameters(), whole.model.parameters()));
    EXPECT_EQ(resumed.gamma, whole.gamma);
  }
}

TEST(Checkpoint, a_write_error_does_not_end_training) {
  const Dataset data = data_of(Task::regression);
  const Loss loss(LossKind::squared);
  const TrainOptions options{.epochs = 6};
  const TemporaryFolder folder;
  const auto place = folder.path() / "place";
  const auto elsewhere = folder.path() / "elsewhere";
  std::filesystem::create_directory(place);
  TrainHooks hooks;
  hooks.checkpoint = place / "state";
  hooks.run_identity = "run";
  hooks.progress = [&](const EpochRecord& record) {
    if (record.epoch == 3) std::filesystem::rename(place, elsewhere);
    return true;
  };
  const TrainResult whole = train(data, nullptr, loss, options, hooks);
  EXPECT_NE(whole.checkpoint_error.find("cannot write"), std::string::npos);
  EXPECT_EQ(whole.epochs, 6U);
  const TrainResult plain = train(data, nullptr, loss, options);
  EXPECT_TRUE(plain.checkpoint_error.empty());
  EXPECT_TRUE(std::ranges::equal(whole.model.parameters(), plain.model.parameters()));
  // The last good checkpoint is kept, and a run resumed from it gives the same result.
  hooks.checkpoint = elsewhere / "state";
  std::uint64_t first = 0;
  hooks.progress = [&](const EpochRecord& record) {
    if (first == 0) first = record.epoch;
    return true;
  };
  const TrainResult resumed = train(data, nullptr, loss, options, hooks);
  EXPECT_EQ(first, 3U);
  EXPECT_TRUE(std::ranges::equal(resumed.model.parameters(), plain.model.parameters()));
}

TEST(Checkpoint, a_damaged_one_or_one_of_another_run_is_refused) {
  const Dataset data = data_of(Task::regression);
  const Loss loss(LossKind::squared);
  const TrainOptions options{.epochs = 4};
  const TemporaryFolder folder;
  const auto path = folder.path() / "state";
  EXPECT_THROW((void)train(data, nullptr, loss, options, killed_in(3, path)), Killed);
  const std::string bytes = content_of(path);
  TrainHooks hooks;
  hooks.checkpoint = path;
  hooks.run_identity = "another";
  const auto message = [&] {
    return message_of<DataError>([&] { (void)train(data, nullptr, loss, options, hooks); });
  };
  EXPECT_TRUE(support::has_words(message(), path.string() + " ... other data or options"))
      << message();
  hooks.run_identity = "run";
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_NE(message().find("checkpoint to resume from"), std::string::npos) << length;
  }
  for (std::size_t at = 10; at < bytes.size(); at += bytes.size() / 40) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_NE(message().find("checkpoint to resume from"), std::string::npos) << at;
  }
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(train(data, nullptr, loss, options, hooks).epochs, 4U);
}

}  // namespace
}  // namespace adacvar
