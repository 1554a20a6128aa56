#include "experiment/trial.hpp"

#include "support/experiment_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

TrainOptions mean_options() {
  TrainOptions options;
  options.algorithm = Algorithm::mean;
  options.epochs = 5;
  options.learning_rate = 0.01;
  options.iterate = Iterate::last;
  return options;
}

TEST(Score, regression_by_hand) {
  Dataset data;
  data.rows = 4;
  data.features = 1;
  data.dense = {0, 1, 2, 3};
  data.targets = {1, 0, 0, 4};
  LinearModel model(1, 1);
  model.parameters()[0] = 1;  // scores 0, 1, 2, 3: squared losses 1, 1, 4, 1
  const PartScore result = read_score(model, Loss(LossKind::squared), data, 0.5);
  EXPECT_FLOAT_EQ(result.mean, 7.0F / 4);
  EXPECT_FLOAT_EQ(result.cvar, 2.5F);
}

TEST(Score, classes_by_hand) {
  Dataset data;
  data.rows = 4;
  data.features = 1;
  data.task = Task::binary;
  data.class_names = {"0", "1"};
  data.dense = {-1, 1, 2, 0};
  data.targets = {0, 1, 0, 1};  // scores -1, 1, 2, 0: right, right, wrong, a tie goes to class 0
  LinearModel model(1, 1);
  model.parameters()[0] = 1;
  const PartScore result = read_score(model, Loss(LossKind::logistic), data, 0.25);
  EXPECT_FLOAT_EQ(result.accuracy, 0.5F);
  EXPECT_FLOAT_EQ(result.precision, 0.5F);  // one of two predictions is right, for both classes
  EXPECT_FLOAT_EQ(result.cvar, static_cast<float>(std::log1p(std::exp(2.0))));
}

TEST(IsSelectedBefore, looks_at_the_accuracy_of_classes_first) {
  const PartScore accurate{.cvar = 5, .accuracy = 0.9F};
  const PartScore safe{.cvar = 1, .accuracy = 0.8F};
  EXPECT_TRUE(is_selected_before(accurate, safe, Task::binary));
  EXPECT_FALSE(is_selected_before(safe, accurate, Task::binary));
  EXPECT_TRUE(is_selected_before(safe, accurate, Task::regression));
  const PartScore also_accurate{.cvar = 4, .accuracy = 0.9F};
  EXPECT_TRUE(is_selected_before(also_accurate, accurate, Task::binary));
  EXPECT_FALSE(is_selected_before(accurate, accurate, Task::binary));
}

// The slow twin: trains each number of epochs separately, while the learning rate is constant.
TEST(RunTrial, reads_the_best_epoch_on_validation_rows) {
  for (const bool classes : {false, true}) {
    const PreparedData data = support::made_case(600, classes);
    TrainOptions options = mean_options();
    options.rate_schedule = RateSchedule::constant;
    options.learning_rate = 0.05;
    const auto result = run_trial(data, options, 0.1);
    ASSERT_TRUE(result);
    const Loss loss = Loss::of_task(data.train.task);
    std::uint64_t best = 0;
    PartScore best_score;
    for (std::uint64_t epochs = 1; epochs <= 5; ++epochs) {
      TrainOptions shorter = options;
      shorter.epochs = epochs;
      const LinearModel model = train(data.train, nullptr, loss, shorter).model;
      const PartScore valid = read_score(model, loss, data.valid, 0.1);
      if (best == 0 || is_selected_before(valid, best_score, data.train.task)) {
        best = epochs;
        best_score = valid;
      }
      if (epochs == 5) {
        EXPECT_EQ(result->last.valid, valid);
        EXPECT_EQ(result->last.test, read_score(model, loss, data.test, 0.1));
      }
    }
    EXPECT_EQ(result->early.epoch, best);
    EXPECT_EQ(result->early.valid, best_score);
    EXPECT_EQ(result->last.epoch, 5U);
  }
}

TEST(RunTrial, nothing_has_a_smaller_training_cvar_than_the_bound) {
  const PreparedData data = support::made_case(400, false);
  TrainOptions options = mean_options();
  options.alpha = 0.1;
  const auto mean = run_trial(data, options, 0.1);
  options.algorithm = Algorithm::exact;
  const auto exact = run_trial(data, options, 0.1);
  ASSERT_TRUE(mean && exact && exact->bound);
  EXPECT_LE(*exact->bound, mean->last.train.cvar);
  EXPECT_NEAR(exact->last.train.cvar, *exact->bound, 1e-6F * *exact->bound);
}

TEST(RunTrial, a_diverged_run_is_a_result) {
  const PreparedData data = support::made_case(400, false);
  TrainOptions options = mean_options();
  options.optimizer.kind = OptimizerKind::adam;
  options.learning_rate = 1e200;
  const auto result = run_trial(data, options, 0.1);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->diverged);
}

TEST(RunTrial, gives_nothing_when_stopped) {
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(run_trial(support::made_case(100, false), mean_options(), 0.1, &stop));
}

}  // namespace
}  // namespace adacvar
