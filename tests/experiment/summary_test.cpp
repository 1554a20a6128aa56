#include "experiment/summary.hpp"

#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"
#include "support/experiment_data.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace adacvar {
namespace {

using support::made_reading;
using support::TemporaryFolder;

Study one_set(const std::string& set, std::size_t configs) {
  Study study;
  study.sets = {set};
  study.seeds = 2;
  study.contestants = {{"mean", std::vector<TrainOptions>(configs)}};
  return study;
}

/// Both seeds of a configuration end with these readings.
void add_config(ResultLog& log, const std::string& set, std::uint64_t config, const Reading& last,
                const Reading& early) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    log.add({set, seed, "mean", config}, {.last = last, .early = early, .seconds = 1});
  }
}

TEST(Summarise, regression_selects_the_least_validation_cvar) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  add_config(log, "normal", 0, made_reading(50, 3, 0, 10), made_reading(5, 2, 0, 20));
  add_config(log, "normal", 1, made_reading(50, 1.5F, 0, 30), made_reading(9, 1.5F, 0, 40));
  const Summary summary = summarise(one_set("normal", 2), log);
  const Selected& selected = summary.of(0, 0);
  EXPECT_EQ(selected.config, 1U);
  EXPECT_FALSE(selected.early);  // ties go to the one without early stopping
  EXPECT_EQ(selected.test(Metric::cvar), (std::vector<double>{30, 30}));
  EXPECT_EQ(selected.runs, 4U);
  EXPECT_EQ(selected.seconds, 4.0);
}

TEST(Summarise, classes_select_the_best_accuracy_then_the_cvar) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  add_config(log, "adult", 0, made_reading(50, 1, 0.5F, 10), made_reading(5, 9, 0.75F, 20));
  add_config(log, "adult", 1, made_reading(50, 8, 0.75F, 30), made_reading(9, 1, 0.5F, 40));
  const Summary summary = summarise(one_set("adult", 2), log);
  EXPECT_EQ(summary.of(0, 0).config, 1U);
  EXPECT_EQ(summary.of(0, 0).test(Metric::accuracy), (std::vector<double>{0.75, 0.75}));
}

TEST(Summarise, studies_without_early_stopping_are_read_at_the_end) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  add_config(log, "normal", 0, made_reading(50, 3, 0, 10), made_reading(5, 2, 0, 20));
  Study study = one_set("normal", 1);
  EXPECT_TRUE(summarise(study, log).of(0, 0).early);
  study.early_stopping = false;
  EXPECT_FALSE(summarise(study, log).of(0, 0).early);
}

TEST(Summarise, selects_by_the_mean_over_the_seeds) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  const auto add = [&](std::uint64_t config, std::uint64_t seed, float valid) {
    const Reading reading = made_reading(50, valid, 0, valid);
    log.add({"normal", seed, "mean", config}, {.last = reading, .early = reading});
  };
  add(0, 0, 1);
  add(0, 1, 9);  // mean 5
  add(1, 0, 4);
  add(1, 1, 4);  // mean 4
  EXPECT_EQ(summarise(one_set("normal", 2), log).of(0, 0).config, 1U);
}

TEST(Summarise, a_configuration_that_diverged_once_is_out_and_counted) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  add_config(log, "normal", 0, made_reading(50, 1, 0, 1), made_reading(5, 1, 0, 1));
  add_config(log, "normal", 1, made_reading(50, 2, 0, 2), made_reading(5, 2, 0, 2));
  log.add({"normal", 1, "mean", 0}, {.diverged = true});
  const Summary summary = summarise(one_set("normal", 2), log);
  EXPECT_EQ(summary.of(0, 0).config, 1U);
  EXPECT_EQ(summary.of(0, 0).diverged, 1U);
  log.add({"normal", 0, "mean", 1}, {.diverged = true});
  EXPECT_TRUE(summarise(one_set("normal", 2), log).of(0, 0).readings.empty());
}

TEST(Summarise, may_be_held_to_some_configurations) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  add_config(log, "normal", 0, made_reading(50, 1, 0, 1), made_reading(5, 1, 0, 1));
  add_config(log, "normal", 1, made_reading(50, 2, 0, 2), made_reading(5, 2, 0, 2));
  const Summary summary = summarise(
      one_set("normal", 2), log, [](const Contestant&, std::size_t config) { return config == 1; });
  EXPECT_EQ(summary.of(0, 0).config, 1U);
  EXPECT_EQ(summary.of(0, 0).runs, 2U);
}

TEST(Summarise, names_a_run_that_is_missing) {
  const TemporaryFolder folder;
  const ResultLog log(folder.path() / "log", "s");
  support::expect_words<OptionError>([&] { (void)summarise(one_set("normal", 1), log); },
                                     "normal/0/mean/0");
}

}  // namespace
}  // namespace adacvar
