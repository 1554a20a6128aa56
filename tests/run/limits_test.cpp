#include <adacvar/adacvar.hpp>

#include "run/trained_model.hpp"

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

// Regression whose noise grows with a feature, so that mean and tail disagree.
std::string uneven_csv(int rows) {
  Rng rng(7);
  std::string text = "x,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = rng.uniform();
    const double noise = (rng.uniform() - 0.3) * 4 * x * x / (0.05 + rng.uniform());
    text += std::to_string(x) + "," + std::to_string(rng.uniform()) + "," +
            std::to_string(x + noise) + "\n";
  }
  return text;
}

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

class LimitedRun : public testing::Test {
 protected:
  RunOptions options(const std::string& csv, Algorithm algorithm) const {
    RunOptions options;
    options.data.data = folder_.write("table.csv", csv).string();
    options.data.target = "y";
    options.train.algorithm = algorithm;
    options.train.epochs = 5;
    return options;
  }

  TemporaryFolder folder_;
};

TEST_F(LimitedRun, exact_keeps_the_budget_and_is_certified) {
  RunOptions options = this->options(uneven_csv(400), Algorithm::exact);
  options.train.gamma = 1;
  const TailRisk plain = run(options).results[0].train->risk;
  options.train.gamma = 0;
  const TailRisk pure = run(options).results[0].train->risk;
  options.budget.mean_budget = 0.05;
  const RunResult found = run(options).results[0];
  const TailRisk risk = found.train->risk;
  EXPECT_LE(risk.mean, 1.05 * plain.mean * (1 + 1e-5));
  EXPECT_GE(risk.mean, 1.04 * plain.mean);
  EXPECT_LT(risk.cvar, plain.cvar);
  EXPECT_GT(risk.cvar, pure.cvar);
  EXPECT_EQ(found.label(), "exact +5%");
  ASSERT_TRUE(found.budget);
  EXPECT_NEAR(found.budget->least, plain.mean, 1e-5 * plain.mean);
  EXPECT_EQ(found.budget->attained, risk.mean);
  EXPECT_LE(found.certificate->relative_gap(), 1e-5);
  EXPECT_NEAR(found.certificate->upper, risk.cvar, 1e-9 * risk.cvar);
  // The model remembers the weight of the mean that its limit stands for.
  EXPECT_GT(found.model.parts().options.gamma, 0);
}

TEST_F(LimitedRun, a_generous_budget_changes_nothing) {
  RunOptions options = this->options(uneven_csv(300), Algorithm::exact);
  const TailRisk pure = run(options).results[0].train->risk;
  options.budget.mean_budget = 10;
  EXPECT_NEAR(run(options).results[0].train->risk.cvar, pure.cvar, 1e-5 * pure.cvar);
}

TEST_F(LimitedRun, no_budget_at_all_is_plain_training) {
  RunOptions options = this->options(uneven_csv(300), Algorithm::exact);
  options.train.gamma = 1;
  const TailRisk plain = run(options).results[0].train->risk;
  options.train.gamma = 0;
  options.budget.mean_budget = 0;
  const TailRisk found = run(options).results[0].train->risk;
  EXPECT_NEAR(found.mean, plain.mean, 1e-5 * plain.mean);
  EXPECT_NEAR(found.cvar, plain.cvar, 0.01 * plain.cvar);
}

TEST_F(LimitedRun, cvar_limits_are_kept_or_refused_with_the_least) {
  RunOptions options = this->options(uneven_csv(300), Algorithm::exact);
  const TailRisk pure = run(options).results[0].train->risk;
  options.budget.cvar_limit = 1.1 * pure.cvar;
  const RunResult found = run(options).results[0];
  EXPECT_LE(found.train->risk.cvar, 1.1 * pure.cvar * (1 + 1e-9));
  EXPECT_LT(found.train->risk.mean, pure.mean);
  EXPECT_NEAR(found.certificate->upper, found.train->risk.mean, 1e-9 * pure.mean);
  options.budget.cvar_limit = 0.5 * pure.cvar;
  expect_words<OptionError>([&] { (void)run(options); }, "cvar-limit ... at least ... certified");
}

TEST_F(LimitedRun, validation_rows_may_judge) {
  RunOptions options = this->options(uneven_csv(600), Algorithm::exact);
  options.budget = {.mean_budget = 0.1, .budget_on = BudgetRows::validation};
  const RunResult found = run(options).results[0];
  ASSERT_TRUE(found.budget->on_validation);
  EXPECT_LE(found.valid->risk.mean, 1.1 * found.budget->least * (1 + 1e-9));
  options.data.split = {1, 0, 0};
  expect_words<OptionError>([&] { (void)run(options); }, "budget-on ... validation rows");
}

TEST_F(LimitedRun, validation_rows_use_the_budget_up) {
  RunOptions options = this->options(uneven_csv(6000), Algorithm::exact);
  options.budget = {.mean_budget = 0.05, .budget_on = BudgetRows::validation};
  const RunResult found = run(options).results[0];
  EXPECT_GT(found.valid->risk.mean, 1.049 * found.budget->least);
  EXPECT_LE(found.valid->risk.mean, 1.05 * found.budget->least * (1 + 1e-9));
}

TEST_F(LimitedRun, names_no_least_mean_that_an_interrupt_left_open) {
  RunOptions options = this->options(uneven_csv(400), Algorithm::exact);
  options.budget.mean_budget = 0.05;
  EXPECT_FALSE(run(options).results[0].budget->least_interrupted);
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(run(options, {.stop = &stop}).results[0].budget->least_interrupted);
}

TEST_F(LimitedRun, tuning_decides_by_the_budget) {
  RunOptions options = this->options(uneven_csv(400), Algorithm::adacvar);
  options.tune.tune = true;
  options.budget.mean_budget = 0.2;
  const RunResult found = run(options).results[0];
  EXPECT_EQ(found.trials, 30U);
  EXPECT_TRUE(found.budget->on_validation);
  EXPECT_LE(found.valid->risk.mean, 1.2 * found.budget->least);
}

TEST_F(LimitedRun, compare_has_a_row_with_a_budget) {
  RunOptions options = this->options(classes_csv(600), Algorithm::adacvar);
  options.train.epochs = 10;
  const RunReport report = compare(options);
  const auto row = std::ranges::find(report.results, "adacvar +5%", &RunResult::label);
  ASSERT_NE(row, report.results.end());
  EXPECT_EQ(row->budget->mean_budget, 0.05);
  options.train.alpha = 1;
  for (const RunResult& result : compare(options).results) EXPECT_FALSE(result.budget);
}

TEST_F(LimitedRun, calibration_is_of_classes_with_validation_rows) {
  RunOptions options = this->options(classes_csv(900), Algorithm::mean);
  const RunResult found = run(options).results[0];
  ASSERT_TRUE(found.calibration);
  EXPECT_LE(found.valid->risk.mean, found.calibration->before.mean);
  options.calibrate.calibrate = CalibrateChoice::no;
  const RunResult plain = run(options).results[0];
  EXPECT_FALSE(plain.calibration);
  EXPECT_EQ(plain.valid->risk.mean, found.calibration->before.mean);
  EXPECT_EQ(plain.valid->accuracy, found.valid->accuracy);
  options.calibrate.calibrate = CalibrateChoice::yes;
  options.data.split = {1, 0, 0};
  expect_words<OptionError>([&] { (void)run(options); }, "calibrate ... validation rows");
  RunOptions numbers = this->options(uneven_csv(100), Algorithm::mean);
  EXPECT_FALSE(run(numbers).results[0].calibration);
  numbers.calibrate.calibrate = CalibrateChoice::yes;
  expect_words<OptionError>([&] { (void)run(numbers); }, "calibrate ... probabilities ... squared");
}

}  // namespace
}  // namespace adacvar
