#include <adacvar/trees/xgboost_trees.hpp>
#include <adacvar/run/fit.hpp>

#include "learner/predict.hpp"
#include "learner/tree_model.hpp"
#include "learner/tree_model_json.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace adacvar {
namespace {

// y = x0 + 2 [x1 is level 2] + noise whose scale grows with x2; some values are missing.
Dataset made_rows(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Dataset data;
  data.rows = count;
  data.features = 3;
  data.levels = {0, 4, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const double x0 = 2 * rng.uniform() - 1;
    const auto x1 = std::floor(4 * rng.uniform());
    const double x2 = rng.uniform();
    const double noise = rng.uniform() + rng.uniform() - 1;
    const bool is_missing = rng.uniform() < 0.1;
    data.dense.push_back(is_missing ? std::numeric_limits<float>::quiet_NaN()
                                    : static_cast<float>(x0));
    data.dense.push_back(static_cast<float>(x1));
    data.dense.push_back(static_cast<float>(x2));
    data.targets.push_back(x0 + (x1 == 2 ? 2 : 0) + x2 * noise);
  }
  return data;
}

Dataset made_classes(std::size_t count, std::uint64_t seed, std::size_t classes) {
  Dataset data = made_rows(count, seed);
  data.task = classes == 2 ? Task::binary : Task::multiclass;
  for (std::size_t c = 0; c < classes; ++c) data.class_names.push_back(std::to_string(c));
  for (double& target : data.targets) {
    target = target < 0 ? 0.0 : target < 1.5 || classes == 2 ? 1.0 : 2.0;
  }
  return data;
}

TrainOptions tree_options(Algorithm algorithm) {
  TrainOptions options;
  options.algorithm = algorithm;
  options.gamma = algorithm == Algorithm::mean ? 0 : 0.1;
  options.trees = {.trees = true, .rounds = 60, .depth = 3, .tree_patience = 10};
  return options;
}

struct Trained {
  TreeResult result;
  const TreeModel& model;

  explicit Trained(TreeResult found)
      : result(std::move(found)), model(dynamic_cast<const TreeModel&>(*result.model)) {}
};

Trained trained(const Dataset& training, const Dataset* valid, const TrainOptions& options,
                const TrainHooks& hooks = {}, unsigned threads = 1) {
  return Trained(xgboost_tree_maker()->train(training, valid, Loss::of_task(training.task), options,
                                             threads, hooks));
}

std::string bytes_of(const Trained& one) { return to_xgboost_json(one.model, LossKind::squared); }

TEST(TrainTrees, one_stump_by_hand) {
  // Splits between 1 and 2: leaves -G / (H + 1) * rate = 3 / 3 and -3 / 3, times 0.5.
  Dataset data;
  data.rows = 4;
  data.features = 1;
  data.dense = {0, 1, 2, 3};
  data.targets = {1.5, 1.5, -1.5, -1.5};
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees = {.trees = true, .rounds = 1, .depth = 1, .tree_rate = 0.5, .tree_patience = 0};
  const Trained one = trained(data, nullptr, options);
  EXPECT_EQ(all_scores(one.model, data), (std::vector<double>{0.5, 0.5, -0.5, -0.5}));
  EXPECT_EQ(one.result.stop_reason, StopReason::epochs);
  EXPECT_DOUBLE_EQ(one.result.history.at(0).training_loss, 2.25);
}

TEST(TrainTrees, validation_rows_choose_the_rounds) {
  const Dataset training = made_rows(400, 1);
  const Dataset valid = made_rows(400, 2);
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees.rounds = 500;
  options.trees.tree_rate = 0.3;
  const Trained one = trained(training, &valid, options);
  EXPECT_EQ(one.result.stop_reason, StopReason::patience);
  std::size_t best = 0;
  for (std::size_t i = 0; i < one.result.history.size(); ++i) {
    const auto mean_of = [&](std::size_t k) { return one.result.history[k].validation->mean; };
    if (mean_of(i) < mean_of(best)) best = i;
  }
  EXPECT_EQ(one.model.rounds(), best + 1);
  EXPECT_EQ(one.result.epochs, best + 1 + options.trees.tree_patience);
  // The recorded risk is that of our own scores.
  std::vector<double> scores = all_scores(one.model, valid);
  std::vector<double> losses(valid.rows);
  Loss(LossKind::squared).evaluate(scores, valid.targets, losses, scores);
  EXPECT_NEAR(tail_risk(losses, options.alpha).cvar, one.result.history[best].validation->cvar,
              1e-5);
}

TEST(TrainTrees, patience_0_keeps_all_rounds) {
  const Dataset training = made_rows(100, 1);
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees.tree_patience = 0;
  EXPECT_EQ(trained(training, &training, options).model.rounds(), 60U);
  EXPECT_EQ(trained(training, nullptr, options).model.rounds(), 60U);
}

TEST(TrainTrees, tail_has_a_lower_training_cvar) {
  const Dataset training = made_rows(2000, 3);
  const auto cvar_of = [&](Algorithm algorithm) {
    TrainOptions options = tree_options(algorithm);
    options.trees.rounds = 400;
    options.trees.tree_patience = 0;
    const Trained one = trained(training, nullptr, options);
    std::vector<double> scores = all_scores(one.model, training);
    std::vector<double> losses(training.rows);
    Loss(LossKind::squared).evaluate(scores, training.targets, losses, scores);
    return cvar(losses, 0.1);
  };
  EXPECT_LT(cvar_of(Algorithm::adacvar), 0.95 * cvar_of(Algorithm::mean));
}

TEST(TrainTrees, same_on_any_number_of_threads) {
  for (const std::size_t classes : {0, 2, 3}) {
    const Dataset training = classes == 0 ? made_rows(20'000, 4) : made_classes(20'000, 4, classes);
    const Dataset valid = classes == 0 ? made_rows(500, 5) : made_classes(500, 5, classes);
    TrainOptions options = tree_options(Algorithm::adacvar);
    options.trees.rounds = 10;
    options.trees.subsample = 0.8;
    EXPECT_TRUE(bytes_of(trained(training, &valid, options, {}, 1)) ==
                bytes_of(trained(training, &valid, options, {}, 3)))
        << classes;
  }
}

TEST(TrainTrees, seed_draws_rows) {
  const Dataset training = made_rows(500, 4);
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees.tree_patience = 0;
  options.trees.subsample = 0.5;
  const std::string first = bytes_of(trained(training, nullptr, options));
  EXPECT_TRUE(bytes_of(trained(training, nullptr, options)) == first);
  options.seed = 1;
  EXPECT_FALSE(bytes_of(trained(training, nullptr, options)) == first);
}

TEST(TrainTrees, resumes_bit_by_bit) {
  const support::TemporaryFolder folder;
  const Dataset training = made_classes(1000, 6, 3);
  const Dataset valid = made_classes(300, 7, 3);
  TrainOptions options = tree_options(Algorithm::adacvar);
  options.trees.subsample = 0.7;
  const Trained whole = trained(training, &valid, options);

  std::atomic<bool> stop = false;
  TrainHooks hooks{
      .stop = &stop, .checkpoint = folder.path() / "trees.checkpoint", .run_identity = "test"};
  hooks.progress = [&](const EpochRecord& record) {
    stop = record.epoch == 13;
    return true;
  };
  EXPECT_EQ(trained(training, &valid, options, hooks).result.stop_reason, StopReason::interrupted);
  hooks.progress = {};
  stop = false;
  const Trained resumed = trained(training, &valid, options, hooks);
  EXPECT_TRUE(bytes_of(resumed) == bytes_of(whole));
  EXPECT_EQ(resumed.result.epochs, whole.result.epochs);
  EXPECT_EQ(resumed.result.history.back().validation, whole.result.history.back().validation);

  hooks.run_identity = "another";
  support::expect_words<DataError>([&] { (void)trained(training, &valid, options, hooks); },
                                   "other data or options");
}

TEST(TrainTrees, damaged_checkpoint_is_refused) {
  const support::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "c";
  const Dataset training = made_rows(50, 6);
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees.tree_patience = 0;
  const TrainHooks hooks{.checkpoint = path, .run_identity = "test"};
  (void)trained(training, nullptr, options, hooks);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-20, std::ios::end);
  file.put('\x7f');
  file.close();
  support::expect_words<DataError>([&] { (void)trained(training, nullptr, options, hooks); },
                                   "checkpoint");
}

TEST(TrainTrees, integer_weights_are_repetition) {
  Dataset data = made_rows(300, 8);
  Dataset repeated = data;
  for (std::size_t i = 0; i < data.rows; ++i) {
    data.weights.push_back(i % 2 == 0 ? 1 : 2);
    if (i % 2 == 0) continue;
    ++repeated.rows;
    repeated.targets.push_back(data.targets[i]);
    for (std::size_t f = 0; f < 3; ++f) repeated.dense.push_back(data.dense[3 * i + f]);
  }
  for (const Algorithm algorithm : {Algorithm::mean, Algorithm::adacvar}) {
    TrainOptions options = tree_options(algorithm);
    options.trees = {.trees = true, .rounds = 5, .depth = 2, .bins = 1024, .tree_patience = 0};
    const auto one = all_scores(trained(data, nullptr, options).model, data);
    const auto other = all_scores(trained(repeated, nullptr, options).model, data);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-5);
  }
}

TEST(TrainTrees, sparse_rows) {
  Dataset data;
  data.rows = 4;
  data.features = 2;
  data.start = {0, 1, 1, 2, 2};
  data.column = {1, 1};
  data.targets = {1, -1, 1, -1};
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees = {
      .trees = true, .rounds = 1, .depth = 1, .min_leaf_weight = 0, .tree_patience = 0};
  // XGBoost needs two values to split; a one and a missing value are enough.
  const auto scores = all_scores(trained(data, nullptr, options).model, data);
  EXPECT_EQ(scores[0], scores[2]);
  EXPECT_EQ(scores[1], scores[3]);
}

TEST(TrainTrees, losses_without_curvature) {
  const Dataset training = made_rows(500, 9);
  for (const Loss& loss :
       {Loss(LossKind::absolute), Loss(LossKind::huber, 0.5), Loss(LossKind::pinball, 1.0, 0.8)}) {
    TrainOptions options = tree_options(Algorithm::adacvar);
    options.trees.tree_patience = 0;
    const TreeResult found = xgboost_tree_maker()->train(training, nullptr, loss, options, 1, {});
    EXPECT_LT(found.history.back().training_loss, 0.5 * found.history[0].training_loss);
  }
}

TEST(TrainTrees, bad_input) {
  const Dataset training = made_rows(10, 1);
  TrainOptions options = tree_options(Algorithm::mean);
  options.trees.rounds = 0;
  support::expect_words<OptionError>([&] { (void)trained(training, nullptr, options); },
                                     "rounds = 0");
  options = tree_options(Algorithm::mean);
  support::expect_words<DataError>([&] { (void)trained(Dataset(), nullptr, options); }, "no ");
  support::expect_words<OptionError>(
      [&] {
        (void)xgboost_tree_maker()->train(training, nullptr, Loss(LossKind::softmax), options, 1,
                                          {});
      },
      "loss");
}

// Rows of a matrix: x decides, a second column is missing in every third row.
struct MatrixRows {
  std::vector<double> x;
  std::vector<double> y;

  explicit MatrixRows(std::size_t rows) {
    Rng rng(1);
    for (std::size_t i = 0; i < rows; ++i) {
      const double a = rng.uniform();
      x.insert(x.end(), {a, i % 3 == 0 ? std::nan("") : rng.uniform()});
      y.push_back((a > 0.5 ? 1 : -1) + 0.1 * rng.uniform());
    }
  }
  [[nodiscard]] MatrixView view() const { return {x, y.size(), 2}; }
};

TEST(FitTrees, matrix_with_missing_values) {
  const MatrixRows rows(1500);
  const auto maker = xgboost_tree_maker();
  FitOptions options{.trees = maker.get(), .validation = 0.2};
  options.steps.trees.rounds = 40;
  const FitReport report = fit_report(rows.view(), rows.y, options);
  EXPECT_EQ(report.model.kind(), Model::Kind::trees);
  EXPECT_LT(report.risk.cvar, 0.05);
  ASSERT_TRUE(report.valid);
  EXPECT_LT(report.valid->cvar, 0.05);
  EXPECT_GE(report.tail_share.value(), 0);
  const std::vector<double> predictions = report.model.predict(rows.view());
  EXPECT_EQ(Model::from_text(report.model.to_text()).predict(rows.view()), predictions);
  // A linear model refuses it.
  support::expect_words<DataError>([&] { (void)fit(rows.view(), rows.y); }, "column 'x2' is NaN");
}

TEST(FitTrees, bad_input) {
  const MatrixRows rows(30);
  const auto maker = xgboost_tree_maker();
  const auto expect = [&](FitOptions options, const char* words) {
    options.trees = maker.get();
    support::expect_words<OptionError>([&] { (void)fit(rows.view(), rows.y, options); }, words);
  };
  expect({}, "validation rows");
  expect({.validation = 1}, "validation = 1");
  expect({.validation = -0.1}, "validation = -0.1");
  expect({.algorithm = FitAlgorithm::exact, .validation = 0.2}, "exact ... trees");
}

TEST(RequireTrees, says_what_to_install) {
  support::expect_words<OptionError>([] { (void)require_trees(nullptr); }, "libxgboost-dev");
}

}  // namespace
}  // namespace adacvar
