#include <adacvar/report/run_text.hpp>

#include "run/trained_model.hpp"

#include "report/text_table.hpp"
#include "support/made_report.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace adacvar {
namespace {

using support::change_model;
using support::made_part;
using support::made_result;

TEST(RunText, one_algorithm_is_shown_part_by_part) {
  const RunReport report{{made_result(Algorithm::adacvar, false, made_part(1500, 0.5),
                                      made_part(900, 1), made_part(600, 1.5))},
                         {}};
  EXPECT_EQ(run_text(report),
            "t.csv: regression of 'y' by the squared loss; alpha 0.05, seed 7\n"
            "rows: 1,500 training, 900 validation, 600 test\n"
            "\n"
            "training    mean  VaR  CVaR  seconds\n"
            "  adacvar    0.5    1   1.5     1.25\n"
            "validation  mean  VaR  CVaR  seconds\n"
            "  adacvar      1    2     3     1.25\n"
            "test        mean  VaR  CVaR  seconds\n"
            "  adacvar    1.5    3   4.5     1.25\n");
}

TEST(RunText, parts_without_rows_are_left_out) {
  const RunReport only_training{{made_result(Algorithm::mean, false, made_part(10, 0.5), {}, {})},
                                {}};
  EXPECT_EQ(run_text(only_training),
            "t.csv: regression of 'y' by the squared loss; alpha 0.05, seed 7\n"
            "rows: 10 training\n"
            "\n"
            "training  mean  VaR  CVaR  seconds\n"
            "  mean     0.5    1   1.5     1.25\n");
  const RunReport without_validation{
      {made_result(Algorithm::mean, false, made_part(10, 0.5), {}, made_part(4, 1))}, {}};
  const std::string text = run_text(without_validation);
  EXPECT_NE(text.find("rows: 10 training, 4 test\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("validation"), std::string::npos) << text;
}

TEST(RunText, stars_mark_the_least_cvar_and_those_not_significantly_different) {
  RunReport report{{made_result(Algorithm::adacvar, false, made_part(10, 2), {}, made_part(5, 1)),
                    made_result(Algorithm::soft, false, made_part(10, 1), {}, made_part(5, 1.1)),
                    made_result(Algorithm::mean, false, made_part(10, 3), {}, made_part(5, 4))},
                   {}};
  report.results[1].train->best = true;
  report.results[0].test->best = true;
  report.results[1].test->best = true;
  const std::string text = run_text(report);
  EXPECT_TRUE(
      text.ends_with("training   mean  VaR  CVaR  seconds\n"
                     "  adacvar     2    4    6      1.25\n"
                     "  soft        1    2    3*     1.25\n"
                     "  mean        3    6    9      1.25\n"
                     "test       mean  VaR  CVaR  seconds\n"
                     "  adacvar     1    2    3*     1.25\n"
                     "  soft      1.1  2.2  3.3*     1.25\n"
                     "  mean        4    8   12      1.25\n"
                     "\n"
                     "* least CVaR, or not significantly different (paired bootstrap)\n"))
      << text;
}

TEST(RunText, the_widest_numbers_fit_80_columns) {
  const auto of = [](Algorithm algorithm) {
    RunResult result =
        made_result(algorithm, true, made_part(49'999'999, 1.2345678e-5, 0.98765),
                    made_part(29'999'999, 4.115e-5, 0.5), made_part(19'999'999, 1.23456e-4, 1));
    result.trials = 18;
    result.seconds = 12'345.678;
    change_model(result, [&](TrainedModel& m) { m.options.learning_rate = 0.0333333333; });
    change_model(result, [&](TrainedModel& m) { m.options.sampler.eta = 1.0 / 3e7; });
    return result;
  };
  const RunReport report{
      {of(Algorithm::adacvar), of(Algorithm::trunc), of(Algorithm::soft), of(Algorithm::mean)}, {}};
  const std::string text = run_text(report);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(text_width(line), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_NE(text.find("accuracy  min prec."), std::string::npos) << text;
  EXPECT_NE(text.find("0.988      0.494"), std::string::npos) << text;
}

TEST(RunText, a_long_certificate_is_wrapped) {
  RunResult result = made_result(Algorithm::exact, false, made_part(10, 2), {}, {});
  change_model(result, [](TrainedModel& m) { m.options.gamma = 0.123456; });
  result.certificate = Certificate{.lower = 1.2345678901234, .upper = 1.2345678901235};
  std::istringstream lines(run_text({{result}, {}}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80U) << line;
}

TEST(RunText, a_least_mean_that_was_not_reached_is_not_called_so) {
  RunResult result = made_result(Algorithm::exact, false, made_part(10, 2), {}, {});
  result.budget = BudgetOutcome{.mean_budget = 0.05, .least = 1.9, .attained = 2};
  EXPECT_EQ(run_text({{result}, {}}).find("interrupted"), std::string::npos);
  result.budget->least_interrupted = true;
  EXPECT_NE(run_text({{result}, {}}).find("interrupted"), std::string::npos);
}

TEST(RunText, tuning_names_the_selected_options) {
  RunResult adacvar = made_result(Algorithm::adacvar, false, made_part(10, 2), {}, {});
  adacvar.trials = 18;
  change_model(adacvar, [&](TrainedModel& m) { m.options.learning_rate = 0.001; });
  change_model(adacvar, [&](TrainedModel& m) { m.options.sampler.eta_scale = 3; });
  RunResult with_eta = adacvar;
  change_model(with_eta, [&](TrainedModel& m) { m.options.sampler.eta = 0.25; });
  RunResult trunc = made_result(Algorithm::trunc, false, made_part(10, 2), {}, {});
  trunc.trials = 18;
  change_model(trunc, [&](TrainedModel& m) { m.options.optimizer.kind = OptimizerKind::adam; });
  RunResult soft = made_result(Algorithm::soft, false, made_part(10, 2), {}, {});
  soft.trials = 17;  // the run was stopped
  RunResult mean = made_result(Algorithm::mean, false, made_part(10, 2), {}, {});
  mean.trials = 18;
  const std::string text = run_text({{adacvar, with_eta, trunc, soft, mean}, {}});
  EXPECT_TRUE(
      text.ends_with("\nadacvar: selected from 18 runs: auto, learning rate 0.001, eta-scale 3\n"
                     "adacvar: selected from 18 runs: auto, learning rate 0.001, eta 0.25\n"
                     "trunc: selected from 18 runs: adam, learning rate 0\n"
                     "soft: selected from 17 runs: auto, learning rate 0, temperature 0.1\n"
                     "mean: selected from 18 runs: auto, learning rate 0\n"))
      << text;
}

}  // namespace
}  // namespace adacvar
