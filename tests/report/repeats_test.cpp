#include "report/repeats.hpp"

#include <adacvar/report/run_json.hpp>
#include "run/trained_model.hpp"

#include "report/text_table.hpp"
#include "report/verdict.hpp"
#include "support/made_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::change_model;
using support::made_part;
using support::made_result;

/// A report whose algorithms have these CVaRs on half of the rows, the test rows.
RunReport report_of(std::uint64_t seed, double ada, double trunc, double mean) {
  RunReport report;
  for (const auto& [algorithm, cvar] :
       {std::pair{Algorithm::adacvar, ada}, {Algorithm::trunc, trunc}, {Algorithm::mean, mean}}) {
    report.results.push_back(
        made_result(algorithm, false, made_part(10, 1), {}, made_part(10, cvar / 3)));
    report.results.back().test->risk.cvar = cvar;
    change_model(report.results.back(), [&](TrainedModel& m) { m.options.seed = seed; });
    change_model(report.results.back(),
                 [&](TrainedModel& m) { m.shares = {.train = 0.5, .valid = 0, .test = 0.5}; });
  }
  return report;
}

// Differences to Ada-CVaR: 1, -1, 0.5 and 10, 12, 11.
std::vector<RunReport> three_reports() {
  return {report_of(7, 2, 3, 12), report_of(8, 4, 3, 16), report_of(9, 3, 3.5, 14)};
}

TEST(Repeats, means_deviations_and_paired_differences_by_hand) {
  const std::vector<RepeatedResult> found = summarise_repeats(three_reports());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].algorithm, Algorithm::adacvar);
  const RepeatedPart& ada = found[0].test.value();
  EXPECT_DOUBLE_EQ(ada.cvar.mean, 3);
  EXPECT_DOUBLE_EQ(ada.cvar.sd, 1);
  EXPECT_DOUBLE_EQ(ada.mean.mean, 1);
  EXPECT_EQ(ada.above_least.mean, 0);
  EXPECT_TRUE(ada.best);
  const RepeatedPart& trunc = found[1].test.value();
  EXPECT_NEAR(trunc.above_least.mean, 0.5 / 3, 1e-12);
  EXPECT_TRUE(trunc.best);
  const RepeatedPart& mean = found[2].test.value();
  EXPECT_DOUBLE_EQ(mean.above_least.mean, 11);
  EXPECT_DOUBLE_EQ(mean.above_least.sd, 1);
  // Half of the rows: half of them are shared by two splits, s / (1 - s) = 1.
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt(1.0 / 3 + 1));
  EXPECT_FALSE(mean.best);
  EXPECT_FALSE(found[0].valid.has_value());
}

TEST(Repeats, rows_that_stay_the_same_have_no_overlap_to_correct) {
  std::vector<RunReport> reports = three_reports();
  for (RunReport& report : reports) {
    for (RunResult& result : report.results) {
      change_model(result, [&](TrainedModel& m) {
        m.shares = {.train = 0.5, .valid = 0.5, .test = 0, .own_test = true};
      });
    }
  }
  EXPECT_DOUBLE_EQ(summarise_repeats(reports)[2].test->error, std::sqrt(1.0 / 3));
}

TEST(Repeats, algorithm_that_diverged_once_is_not_compared) {
  std::vector<RunReport> reports = three_reports();
  change_model(reports[1].results[0],
               [&](TrainedModel& m) { m.stop_reason = StopReason::diverged; });
  const std::vector<RepeatedResult> found = summarise_repeats(reports);
  EXPECT_EQ(found[0].failed_repeats, 1U);
  EXPECT_FALSE(found[0].test->best);
  EXPECT_TRUE(found[1].test->best);
  EXPECT_EQ(found[1].test->above_least.mean, 0);
}

TEST(Repeats, the_table_stars_what_is_not_significantly_different) {
  const std::string text = repeats_text(three_reports());
  EXPECT_NE(text.find("3 seeds and splits, 7 to 9"), std::string::npos) << text;
  const std::string test = text.substr(text.find("\ntest"));
  EXPECT_NE(test.find("3 ± 1*"), std::string::npos) << text;
  EXPECT_NE(test.find("3.167 ± 0.29*"), std::string::npos) << text;
  EXPECT_NE(test.find("14 ± 2 "), std::string::npos) << text;
  EXPECT_NE(test.find("11 ± 1.2"), std::string::npos) << text;
}

TEST(Repeats, the_widest_numbers_fit_80_columns) {
  std::vector<RunReport> reports;
  for (const double size : {1.234567e-7, 2.3456789e-5, 3.456e-6}) {
    RunReport report;
    for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::mean}) {
      const PartRisk part = made_part(49'999'999, size, 0.98765);
      report.results.push_back(made_result(algorithm, true, part, part, part));
    }
    reports.push_back(report);
  }
  const std::string text = repeats_text(reports);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80U) << line;
  EXPECT_NE(text.find("accuracy"), std::string::npos) << text;
}

TEST(Repeats, json_has_every_run_and_the_summary) {
  const json found = json::parse(repeats_json(three_reports(), {"a note"}));
  EXPECT_EQ(found["repeats"]["seeds"], (json{7, 8, 9}));
  EXPECT_EQ(found["runs"].size(), 9U);
  EXPECT_EQ(found["runs"][3]["seed"], 8);
  EXPECT_EQ(found["notes"], json{"a note"});
  const json& mean = found["repeats"]["algorithms"][2];
  EXPECT_EQ(mean["algorithm"], "mean");
  EXPECT_EQ(mean["risk"]["test"]["cvar"], (json{{"mean", 14.0}, {"sd", 2.0}}));
  EXPECT_EQ(mean["risk"]["test"]["best"], false);
  EXPECT_EQ(mean["risk"]["test"]["above_least"]["mean"], 11.0);
  EXPECT_TRUE(mean["risk"]["test"]["above_least"].contains("error"));
}

TEST(Repeats, the_verdict_names_the_least_and_those_not_significantly_different) {
  const std::string text = verdict(summarise_repeats(three_reports()), 3, 0.05);
  for (const char* const words :
       {"Over 3 seeds and splits", "the worst 5 % of the test rows", "3 ± 1", "79 % lower",
        "Ada-CVaR has the least CVaR there", "not significantly different: Trunc-CVaR."}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
  }
}

}  // namespace
}  // namespace adacvar
