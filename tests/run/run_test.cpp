#include <adacvar/adacvar.hpp>

#include "data/prepare_data.hpp"
#include "data/read_table.hpp"

#include "base/number_text.hpp"
#include "learner/resolve_defaults.hpp"
#include "learner/tuning_grid.hpp"
#include "run/score.hpp"
#include "run/trained_model.hpp"

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

RunOptions synthetic(std::uint64_t rows = 300, std::uint64_t epochs = 4) {
  RunOptions options;
  options.data.data = "pareto";
  options.data.source.make_rows = rows;
  options.train.epochs = epochs;
  options.train.batch = 32;
  options.train.seed = 3;
  return options;
}

// Two classes that overlap.
std::string classes_csv(int rows) {
  Rng rng(5);
  std::string text = "x,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const bool yes = rng.uniform() < 0.4;
    text += std::to_string(rng.uniform() + (yes ? 0.4 : 0)) + "," + std::to_string(rng.uniform()) +
            (yes ? ",yes\n" : ",no\n");
  }
  return text;
}

std::string numbers_csv(int rows, int factor) {
  Rng rng(6);
  std::string text = "x,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const auto x = static_cast<int>(rng.below(100));
    const auto z = static_cast<int>(rng.below(100));
    const int y = 3 * x - z + static_cast<int>(rng.below(50));
    text += std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(factor * y) + "\n";
  }
  return text;
}

std::vector<double> parameters_of(const RunResult& result) {
  const auto parameters = result.model.parts().model.parameters();
  return {parameters.begin(), parameters.end()};
}

void expect_same(const RunResult& a, const RunResult& b) {
  EXPECT_EQ(parameters_of(a), parameters_of(b));
  EXPECT_EQ(a.train->risk, b.train->risk);
  EXPECT_EQ(a.valid->risk, b.valid->risk);
  EXPECT_EQ(a.test->risk, b.test->risk);
  EXPECT_EQ(a.epochs, b.epochs);
  EXPECT_EQ(a.trials, b.trials);
  EXPECT_EQ(a.model.parts().options.learning_rate, b.model.parts().options.learning_rate);
  EXPECT_EQ(a.model.parts().options.optimizer.kind, b.model.parts().options.optimizer.kind);
}

TEST(Score, regression_losses_are_in_the_units_of_the_target) {
  LinearModel model(1, 1);
  model.parameters()[0] = 1;
  Dataset data;
  data.rows = 4;
  data.features = 1;
  data.dense = {0, 1, 2, 3};
  data.targets = {0, 0, 1, 5};  // 10, 10, 12, 20 in the user's units
  const TargetScale scale{10, 2};
  // Predictions 10, 12, 14, 16: off by 0, 2, 2, 4.
  const ScoredRows squared = score(model, Loss(LossKind::squared), 0.5, data, scale);
  EXPECT_EQ(squared.risk.rows, 4U);
  EXPECT_EQ(squared.risk.risk, (TailRisk{6, 4, 10}));
  EXPECT_EQ(squared.losses, (std::vector<double>{0, 4, 4, 16}));
  EXPECT_EQ(squared.predictions.values, (std::vector<double>{10, 12, 14, 16}));
  EXPECT_EQ(score(model, Loss(LossKind::absolute), 0.5, data, scale).risk.risk,
            (TailRisk{2, 2, 3}));
  EXPECT_FALSE(squared.risk.accuracy);
  EXPECT_FALSE(squared.risk.min_class_precision);
}

TEST(Score, classes_have_accuracy_and_least_precision) {
  LinearModel model(1, 1);
  model.parameters()[0] = 1;
  Dataset data;
  data.rows = 5;
  data.features = 1;
  data.task = Task::binary;
  data.class_names = {"no", "yes"};
  data.dense = {2, -1, 0.5, -3, 1};
  data.targets = {1, 1, 0, 0, 1};
  // Margins 2, -1, -0.5, 3, 1: losses 0, 2, 1.5, 0, 0. Predicted 1, 0, 1, 0, 1: class 0 is right
  // in one of two, class 1 in two of three.
  const PartRisk found = score(model, Loss(LossKind::hinge), 0.4, data).risk;
  EXPECT_EQ(found.risk, (TailRisk{0.7, 0, 1.75}));
  EXPECT_EQ(found.accuracy, 0.6);
  EXPECT_EQ(found.min_class_precision, 0.5);
}

TEST(Run, risks_are_in_the_units_of_the_target) {
  const TemporaryFolder folder;
  const auto run_on = [&](int factor, LossChoice loss, Algorithm algorithm) {
    RunOptions options;
    options.data.data = folder.write("t.csv", numbers_csv(120, factor)).string();
    options.data.target = "y";
    options.loss.loss = loss;
    options.train.algorithm = algorithm;
    options.train.epochs = 5;
    return run(options).results.at(0);
  };
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::mean}) {
    for (const auto& [loss, power] :
         {std::pair(LossChoice::squared, 2), std::pair(LossChoice::huber, 2),
          std::pair(LossChoice::absolute, 1), std::pair(LossChoice::pinball, 1)}) {
      const RunResult one = run_on(1, loss, algorithm);
      // By 8 nothing is rounded, by 10 little.
      for (const auto& [factor, tolerance] : {std::pair(8, 0.0), std::pair(10, 1e-9)}) {
        const RunResult many = run_on(factor, loss, algorithm);
        const double unit = std::pow(factor, power);
        for (const auto part : {&RunResult::train, &RunResult::valid, &RunResult::test}) {
          const TailRisk& a = (one.*part)->risk;
          const TailRisk& b = (many.*part)->risk;
          EXPECT_NEAR(b.mean, unit * a.mean, tolerance * b.mean);
          EXPECT_NEAR(b.var, unit * a.var, tolerance * b.var);
          EXPECT_NEAR(b.cvar, unit * a.cvar, tolerance * b.cvar);
        }
        ASSERT_EQ(many.history.size(), 5U);
        EXPECT_NEAR(many.history[4].training_loss, unit * one.history[4].training_loss,
                    tolerance * many.history[4].training_loss);
        EXPECT_NEAR(many.history[4].validation->cvar, unit * one.history[4].validation->cvar,
                    tolerance * many.history[4].validation->cvar);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(parameters_of(many)[i], parameters_of(one)[i], tolerance);
        }
      }
    }
  }
}

TEST(Run, is_prepare_train_and_score) {
  const RunOptions options = synthetic();
  const RunResult found = run(options).results.at(0);
  const PreparedData data = prepare_data(options.data, options.train.seed);
  const Loss loss(LossKind::squared);
  const TrainResult trained = train(data.train, &data.valid, loss, options.train);
  const auto parameters = trained.model.parameters();
  EXPECT_EQ(parameters_of(found), std::vector<double>(parameters.begin(), parameters.end()));
  const TargetScale scale = data.preprocessor.target_scale();
  EXPECT_EQ(found.train->risk, score(trained.model, loss, 0.1, data.train, scale).risk.risk);
  EXPECT_EQ(found.valid->risk, score(trained.model, loss, 0.1, data.valid, scale).risk.risk);
  EXPECT_EQ(found.test->risk, score(trained.model, loss, 0.1, data.test, scale).risk.risk);
  EXPECT_EQ(found.model.parts().preprocessor, data.preprocessor);
  EXPECT_EQ(found.model.parts().fingerprint, data.fingerprint);
  EXPECT_EQ(found.model.parts().source, "pareto");
  EXPECT_EQ(found.epochs, 4U);
  EXPECT_EQ(found.trials, 1U);
}

// The expected selection: trains every candidate in turn and keeps the first of the best.
template <class Better>
TrainOptions best_of_grid(const RunOptions& options, const Loss& loss, const Better& better) {
  const PreparedData data = prepare_data(options.data, options.train.seed);
  TrainOptions best;
  std::optional<PartRisk> least;
  for (const TrainOptions& trial : tuning_grid(resolve_defaults(options.train, data.train, loss))) {
    const TrainResult trained = train(data.train, &data.valid, loss, trial);
    if (trained.stop_reason == StopReason::diverged) continue;
    const PartRisk risk = score(trained.model, loss, trial.alpha, data.valid).risk;
    if (!least || better(risk, *least)) {
      least = risk;
      best = trial;
    }
  }
  return best;
}

void expect_picked(const RunOptions& options, const TrainOptions& expected) {
  const RunResult found = run(options).results.at(0);
  EXPECT_EQ(found.trials, 30U);
  RunOptions alone = options;
  alone.tune.tune = false;
  alone.train = expected;
  RunResult again = run(alone).results.at(0);
  again.trials = 30;
  expect_same(found, again);
}

TEST(Run, tuning_picks_the_least_cvar_on_the_validation_rows) {
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::soft, Algorithm::mean}) {
    RunOptions options = synthetic();
    options.train.algorithm = algorithm;
    options.tune.tune = true;
    expect_picked(options, best_of_grid(options, Loss(LossKind::squared),
                                        [](const PartRisk& a, const PartRisk& b) {
                                          return a.risk.cvar < b.risk.cvar;
                                        }));
  }
}

TEST(Run, tuning_by_accuracy_goes_to_the_smaller_cvar_among_equals) {
  const TemporaryFolder folder;
  RunOptions options;
  options.data.data = folder.write("c.csv", classes_csv(160)).string();
  options.data.target = "y";
  options.train.epochs = 3;
  options.train.alpha = 0.3;
  options.tune = {.tune = true, .select = Selection::accuracy};
  expect_picked(
      options,
      best_of_grid(options, Loss(LossKind::logistic), [](const PartRisk& a, const PartRisk& b) {
        return a.accuracy != b.accuracy ? a.accuracy > b.accuracy : a.risk.cvar < b.risk.cvar;
      }));
}

TEST(Run, threads_do_not_change_the_result) {
  RunOptions options = synthetic();
  options.tune.tune = true;
  options.tune.threads = 1;
  const RunReport one = compare(options);
  options.tune.threads = 4;
  const RunReport four = compare(options);
  ASSERT_EQ(one.results.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) expect_same(one.results[i], four.results[i]);
  EXPECT_EQ(one.notes, four.notes);
}

TEST(Compare, is_a_run_of_every_algorithm_on_the_same_rows) {
  RunOptions options = synthetic();
  const RunReport report = compare(options);
  ASSERT_EQ(report.results.size(), 6U);  // and one with a mean budget, and exact
  for (std::size_t i = 0; i < 4; ++i) {
    options.train.algorithm = static_cast<Algorithm>(i);
    EXPECT_EQ(report.results[i].model.parts().options.algorithm, options.train.algorithm);
    expect_same(report.results[i], run(options).results.at(0));
  }
}

TEST(Compare, marks_those_not_significantly_above_the_least_cvar) {
  const RunReport report = compare(synthetic());
  for (const auto part : {&RunResult::train, &RunResult::valid, &RunResult::test}) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 5; ++i) {
      least = std::min(least, (report.results[i].*part)->risk.cvar);
    }
    for (const RunResult& result : report.results) {
      const PartRisk& risk = *(result.*part);
      ASSERT_TRUE(risk.above_least.has_value());
      EXPECT_NEAR(risk.above_least->value, risk.risk.cvar - least, 1e-12);
      const bool exact = result.model.parts().options.algorithm == Algorithm::exact;
      EXPECT_EQ(risk.best, !exact && risk.above_least->interval.low <= 0);
      EXPECT_TRUE(risk.best || exact || risk.risk.cvar > least);
    }
  }
  EXPECT_FALSE(run(synthetic()).results[0].test->above_least.has_value());
}

TEST(CompareRepeated, is_a_comparison_for_every_seed) {
  RunOptions options = synthetic();
  options.repeat.repeats = 3;
  std::vector<std::size_t> repeats_done;
  const std::vector<RunReport> reports =
      compare_repeated(options, {.progress =
                                     [&](const RunProgress& progress) {
                                       EXPECT_EQ(progress.repeats, 3U);
                                       if (progress.runs_done == progress.runs) {
                                         repeats_done.push_back(progress.repeats_done);
                                       }
                                     },
                                 .detail = Detail::losses});
  EXPECT_EQ(repeats_done, (std::vector<std::size_t>{0, 1, 2}));
  ASSERT_EQ(reports.size(), 3U);
  const std::uint64_t seed = options.train.seed;
  for (std::size_t r = 0; r < 3; ++r) {
    options.train.seed = seed + r;
    const RunReport alone = compare(options);
    ASSERT_EQ(reports[r].results.size(), alone.results.size());
    for (std::size_t i = 0; i < alone.results.size(); ++i) {
      expect_same(reports[r].results[i], alone.results[i]);
    }
    EXPECT_EQ(reports[r].results[0].detail.has_value(), r == 0);
  }
}

TEST(CompareRepeated, when_stopped_keeps_the_repeats_that_ended) {
  RunOptions options = synthetic();
  options.repeat.repeats = 5;
  std::atomic<bool> stop = false;
  const auto reports = compare_repeated(options, {.progress =
                                                      [&](const RunProgress& progress) {
                                                        if (progress.repeats_done == 2) stop = true;
                                                      },
                                                  .stop = &stop});
  EXPECT_EQ(reports.size(), 2U);
  EXPECT_EQ(compare_repeated(options, {.stop = &stop}).size(), 1U);
  options.repeat.repeats = 0;
  expect_words<OptionError>([&] { (void)compare_repeated(options); },
                            "repeats = 0 is outside [1, 1000]");
}

TEST(Run, another_seed_gives_other_rows_and_another_model) {
  RunOptions options = synthetic();
  const RunResult three = run(options).results.at(0);
  expect_same(run(options).results.at(0), three);
  options.train.seed = 4;
  EXPECT_NE(parameters_of(run(options).results.at(0)), parameters_of(three));
}

TEST(Run, a_run_that_is_stopped_before_it_starts_still_gives_a_result) {
  const std::atomic<bool> stop = true;
  RunOptions options = synthetic();
  for (const bool tune : {false, true}) {
    options.tune.tune = tune;
    for (const RunReport& report :
         {run(options, {.stop = &stop}), compare(options, {.stop = &stop})}) {
      for (const RunResult& result : report.results) {
        EXPECT_EQ(result.model.parts().stop_reason, StopReason::interrupted);
        EXPECT_EQ(result.epochs, 0U);
        EXPECT_EQ(result.trials, 1U);
        EXPECT_TRUE(std::isfinite(result.test->risk.cvar));
        EXPECT_EQ(parameters_of(result), std::vector<double>(6, 0.0));
      }
    }
  }
}

TEST(Run, a_stop_on_the_way_keeps_the_epochs_done) {
  std::atomic<bool> stop = false;
  const RunHooks hooks{.progress =
                           [&](const RunProgress& progress) {
                             if (progress.epoch != nullptr && progress.epoch->epoch == 2) {
                               stop = true;
                             }
                           },
                       .stop = &stop};
  // 64 steps per epoch: the flag is checked before each.
  RunOptions options = synthetic(256, 50);
  options.data.split = {0.5, 0.3, 0.2};
  options.train.batch = 2;
  const RunResult result = run(options, hooks).results.at(0);
  EXPECT_EQ(result.model.parts().stop_reason, StopReason::interrupted);
  EXPECT_EQ(result.epochs, 2U);
  EXPECT_EQ(result.history.size(), 2U);
}

TEST(Run, progress_reports_every_epoch_then_the_end) {
  std::vector<double> losses;
  std::vector<std::size_t> done;
  const RunHooks hooks{.progress = [&](const RunProgress& progress) {
    EXPECT_EQ(progress.runs, 1U);
    if (progress.epochs_done) return;  // within an epoch
    if (progress.epoch == nullptr) {
      done.push_back(progress.runs_done);
      return;
    }
    EXPECT_TRUE(done.empty());
    EXPECT_EQ(progress.runs_done, 0U);
    losses.push_back(progress.epoch->training_loss);
    EXPECT_EQ(progress.epoch->epoch, losses.size());
  }};
  const RunResult result = run(synthetic(), hooks).results.at(0);
  EXPECT_EQ(done, std::vector<std::size_t>{1});
  ASSERT_EQ(result.history.size(), 4U);
  ASSERT_EQ(losses.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(losses[i], result.history[i].training_loss);
}

TEST(Run, progress_counts_runs_where_there_are_several) {
  RunOptions options = synthetic();
  options.tune.threads = 4;
  std::vector<std::size_t> done;
  const RunReport report = compare(options, {.progress = [&](const RunProgress& progress) {
                                     EXPECT_EQ(progress.runs, 6U);
                                     EXPECT_EQ(progress.epoch, nullptr);
                                     done.push_back(progress.runs_done);
                                   }});
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Run, exception_of_a_hook_propagates) {
  RunOptions options = synthetic();
  options.tune.threads = 4;
  const RunHooks hooks{.progress = [](const RunProgress&) { throw std::domain_error("enough"); }};
  expect_words<std::domain_error>([&] { (void)compare(options, hooks); }, "enough");
}

TEST(Run, small_tails_and_divergence_are_noted) {
  RunOptions options = synthetic(20);
  options.train.alpha = 0.2;
  options.train.algorithm = Algorithm::mean;
  const std::vector<std::string> notes = run(options).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_PRED2(support::has_words, notes[0], "alpha = 0.2 ... 4 test rows ... 0.8 rows");
  options = synthetic();
  options.train.optimizer.kind = OptimizerKind::adam;
  options.train.learning_rate = 1e200;
  const RunReport report = run(options);
  EXPECT_EQ(report.results[0].model.parts().stop_reason, StopReason::diverged);
  EXPECT_TRUE(std::isfinite(report.results[0].test->risk.cvar));
  EXPECT_PRED2(support::has_words, report.notes.at(0),
               "adacvar diverged after 0 epochs ... smaller learning rate ... No certificate");
  EXPECT_EQ(report.results[0].no_certificate, "training diverged");
}

// Shares of a whole: the third follows from the others, but for rounding.
std::string shares_csv(int rows) {
  Rng rng(8);
  std::string text = "rent,food,rest,y\n";
  for (int i = 0; i < rows; ++i) {
    const auto rent = static_cast<int>(rng.below(500));
    const auto food = static_cast<int>(rng.below(500));
    text += fmt::format("{}.{},{}.{},{}.{},{}\n", rent / 10, rent % 10, food / 10, food % 10,
                        (1000 - rent - food) / 10, (1000 - rent - food) % 10,
                        rent + static_cast<int>(rng.below(200)));
  }
  return text;
}

// Shares of 100 %: one feature is a linear combination of the others up to rounding.
TEST(Run, collinear_features_are_certified_within_the_radius) {
  const TemporaryFolder folder;
  RunOptions options;
  options.data.data = folder.write("shares.csv", shares_csv(400)).string();
  options.data.target = "y";
  options.train.algorithm = Algorithm::exact;
  const RunReport report = run(options);
  const Certificate& certificate = *report.results[0].certificate;
  EXPECT_LE(certificate.relative_gap(), 1e-3);
  EXPECT_GE(certificate.radius, 100);
  options.solve.certificate_radius = 7;
  const RunReport within = run(options);
  EXPECT_GE(within.results[0].certificate->radius, 7);
  EXPECT_LT(within.results[0].certificate->radius, 100);
  EXPECT_GE(within.results[0].certificate->lower, certificate.lower * (1 - 1e-6));
}

// Classes that cannot be predicted.
std::string coins_csv(int rows) {
  Rng rng(9);
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("{},{}\n", rng.below(1000), rng.below(2) == 0 ? "heads" : "tails");
  }
  return text;
}

TEST(Run, notes_of_a_path_name_the_tail_shares) {
  const TemporaryFolder folder;
  RunOptions options;
  options.data.data = folder.write("coins.csv", coins_csv(4000)).string();
  options.data.target = "y";
  options.train.algorithm = Algorithm::exact;
  options.solve.alphas = {0.1, 1, 0.02};
  const RunReport report = run(options);
  ASSERT_EQ(report.headlines.size(), 1U);
  EXPECT_NE(report.headlines[0].find("0.02, 0.1"), std::string::npos) << report.headlines[0];
}

// A category's features add up to 1.
TEST(Run, categories_are_certified) {
  const TemporaryFolder folder;
  Rng rng(10);
  std::string text = "colour,y\n";
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t colour = rng.below(3);
    text += fmt::format("{},{}\n", std::array{"red", "green", "blue"}.at(colour),
                        static_cast<double>(colour) + rng.uniform());
  }
  RunOptions options;
  options.data.data = folder.write("colours.csv", text).string();
  options.data.target = "y";
  options.train.algorithm = Algorithm::exact;
  const RunReport report = run(options);
  EXPECT_EQ(report.results[0].model.parts().stop_reason, StopReason::optimal);
  EXPECT_LE(report.results[0].certificate->relative_gap(), 1e-6);
}

// Coins: the mean loss is log 2 but for chance, and there is no larger alpha to advise.
TEST(Run, uniform_optimum_is_noted_for_tails_only) {
  const TemporaryFolder folder;
  RunOptions options;
  options.data.data = folder.write("coins.csv", coins_csv(4000)).string();
  options.data.target = "y";
  options.train.algorithm = Algorithm::exact;
  options.train.alpha = 0.1;
  EXPECT_EQ(run(options).headlines.size(), 1U);
  options.train.alpha = 1;
  EXPECT_EQ(run(options).headlines.size(), 0U);
}

TEST(Run, a_part_without_rows_has_no_risk) {
  RunOptions options = synthetic();
  options.data.split = {1, 0, 0};
  const RunResult result = run(options).results.at(0);
  EXPECT_EQ(result.train->rows, 300U);
  EXPECT_FALSE(result.valid);
  EXPECT_FALSE(result.test);
  EXPECT_FALSE(result.history.at(0).validation);
}

TEST(Run, details_are_computed_only_on_request_and_change_nothing) {
  const RunOptions options = synthetic();
  const RunReport plain = run(options);
  EXPECT_FALSE(plain.results[0].detail);
  EXPECT_TRUE(plain.results[0].epoch_details.empty());
  const RunReport losses = run(options, {.detail = Detail::losses});
  EXPECT_EQ(losses.results[0].detail->losses.size(), losses.results[0].test->rows);
  EXPECT_TRUE(losses.results[0].detail->worst.empty());
  EXPECT_TRUE(losses.results[0].epoch_details.empty());
  const RunReport all = run(options, {.detail = Detail::all});
  expect_same(plain.results[0], all.results[0]);
  expect_same(plain.results[0], losses.results[0]);
}

TEST(Compare, details_cover_every_epoch_of_every_algorithm) {
  const RunReport report = compare(synthetic(), {.detail = Detail::all});
  for (const RunResult& result : report.results) {
    const bool exact = result.model.parts().options.algorithm == Algorithm::exact;
    ASSERT_EQ(result.epoch_details.size(), exact ? 0U : 4U);
    EXPECT_EQ(result.detail->part, "test");
    EXPECT_EQ(tail_risk(result.detail->losses, 0.1), result.test->risk);
    for (const EpochDetail& epoch : result.epoch_details) {
      EXPECT_GE(epoch.training_cvar, result.certificate->lower);
      EXPECT_EQ(epoch.distribution.has_value(),
                result.model.parts().options.algorithm == Algorithm::adacvar);
      if (!epoch.distribution) continue;
      EXPECT_GE(epoch.distribution->effective_rows, 14.9);  // the cap: a tenth of 150
      EXPECT_LE(epoch.distribution->effective_rows, 150.1);
      EXPECT_LE(epoch.distribution->entropy, std::log(150.0) + 1e-9);
      EXPECT_LE(epoch.distribution->tail_share, 1.0);
    }
  }
}

TEST(Run, worst_rows_are_those_of_the_file_with_their_values) {
  const TemporaryFolder folder;
  const std::string text = numbers_csv(60, 1);
  RunOptions options = synthetic();
  options.data.data = folder.write("t.csv", text).string();
  options.data.target = "y";
  const RunResult result = run(options, {.detail = Detail::all}).results[0];
  EXPECT_EQ(result.detail->columns, (std::vector<std::string>{"x", "z"}));
  const Table table = parse_csv(text, "t.csv");
  ASSERT_EQ(result.detail->worst.size(), 12U);
  for (std::size_t i = 0; i < result.detail->worst.size(); ++i) {
    const WorstRow& row = result.detail->worst[i];
    EXPECT_EQ(row.values[0], number_text(table.columns[0].numbers[row.row - 1]));
    EXPECT_EQ(row.values[1], number_text(table.columns[1].numbers[row.row - 1]));
    EXPECT_EQ(row.target, number_text(table.columns[2].numbers[row.row - 1]));
    EXPECT_LE(row.loss, result.detail->worst[i == 0 ? 0 : i - 1].loss);
  }
}

TEST(Run, details_have_every_class) {
  const TemporaryFolder folder;
  RunOptions options = synthetic();
  options.data.data = folder.write("t.csv", classes_csv(200)).string();
  options.data.target = "y";
  const RunResult result = run(options, {.detail = Detail::all}).results[0];
  ASSERT_EQ(result.detail->classes.size(), 2U);
  EXPECT_EQ(result.detail->classes[0].name, "no");
  EXPECT_EQ(result.detail->classes[0].rows + result.detail->classes[1].rows, result.test->rows);
  EXPECT_EQ(std::min(result.detail->classes[0].precision, result.detail->classes[1].precision),
            *result.test->min_class_precision);
  std::uint64_t rows = 0;
  double correct = 0;
  for (const CalibrationBin& bin : result.detail->calibration) {
    rows += bin.rows;
    correct += bin.accuracy * static_cast<double>(bin.rows);
  }
  EXPECT_EQ(rows, result.test->rows);
  EXPECT_NEAR(correct / static_cast<double>(rows), *result.test->accuracy, 1e-12);
  for (const EpochDetail& epoch : result.epoch_details) EXPECT_TRUE(epoch.accuracy);
}

TEST(Run, a_request_without_effect_is_refused) {
  RunOptions options = synthetic();
  options.train.algorithm = Algorithm::exact;
  options.train.radius = 1;
  expect_words<OptionError>([&] { (void)run(options); },
                            "radius ... no effect ... algorithm = trunc, soft or mean");
  EXPECT_NO_THROW((void)compare(options));
  options = synthetic();
  const RunHooks traced{.trace = [](const TraceRecord&) {}};
  options.train.algorithm = Algorithm::mean;
  expect_words<OptionError>([&] { (void)run(options, traced); },
                            "trace ... no effect ... algorithm = adacvar");
  expect_words<OptionError>([&] { (void)compare(options, traced); }, "not supported ... compare");
}

TEST(Run, tuning_without_validation_rows_or_classes_is_refused) {
  RunOptions options = synthetic();
  options.tune.tune = true;
  options.data.split = {0.8, 0, 0.2};
  expect_words<OptionError>([&] { (void)run(options); }, "tune needs validation rows");
  options.data.split = {};
  options.tune.select = Selection::accuracy;
  expect_words<OptionError>([&] { (void)run(options); }, "select = accuracy needs classes");
}

}  // namespace
}  // namespace adacvar
