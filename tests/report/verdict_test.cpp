#include "report/verdict.hpp"

#include "run/trained_model.hpp"

#include "report/certificate_report.hpp"
#include "support/made_report.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace adacvar {
namespace {

using support::change_model;
using support::made_part;
using support::made_result;

// Test rows with that mean; made_part makes the CVaR three times as large.
RunResult on_test(Algorithm algorithm, double mean, double cvar) {
  RunResult result = made_result(algorithm, false, made_part(100, 1), {}, made_part(50, mean));
  result.test->risk.cvar = cvar;
  result.detail = PartDetail{};
  result.detail->part = "test";
  return result;
}

TEST(ChangeText, is_in_per_cent_or_times) {
  EXPECT_EQ(change_text(0.69, 1), "31 % lower");
  EXPECT_EQ(change_text(1.04, 1), "4 % higher");
  EXPECT_EQ(change_text(1.0042, 1), "0.42 % higher");
  EXPECT_EQ(change_text(1.0001, 1), "the same");
  EXPECT_EQ(change_text(12, 1), "12 times as high");
  EXPECT_EQ(change_text(0, 0), "the same");
  EXPECT_EQ(change_text(1, 0), "higher");
  EXPECT_EQ(change_text(-2, -1), "lower");
  EXPECT_EQ(change_than_text(0.69, 1), "31 % lower than");
  EXPECT_EQ(change_than_text(1, 1), "the same as");
  EXPECT_EQ(change_than_text(12, 1), "12 times as high as");
}

TEST(Verdict, of_several_compares_ada_cvar_to_the_mean) {
  RunReport report{{on_test(Algorithm::adacvar, 1.04, 2.07), on_test(Algorithm::mean, 1, 3)}, {}};
  EXPECT_EQ(verdict(report),
            "On the worst 5 % of the test rows Ada-CVaR's loss is 31 % lower than the mean-trained "
            "model's; on average it is 4 % higher.");
  report.results[0].certificate = Certificate{1, 1.003};
  EXPECT_TRUE(verdict(report).ends_with(
      " Its CVaR of the training rows is certified within 0.3 % of the best linear model's."));
  report.results[0].certificate = Certificate{1, 1.5};
  EXPECT_TRUE(verdict(report).ends_with(
      " Its CVaR of the training rows is at most 50 % above that of the best linear model."));
  report.results[0].certificate = Certificate{1, 5};
  EXPECT_TRUE(verdict(report).ends_with(
      " Its CVaR of the training rows is 5 times the certified lower bound."));
}

TEST(Certificate, a_bound_is_never_rounded_up) {
  EXPECT_EQ(at_least_text(1.6373966), "1.63739");
  EXPECT_EQ(at_least_text(1.6373941), "1.63739");
  EXPECT_EQ(at_least_text(0.99999996), "0.999999");
  EXPECT_EQ(at_least_text(59.61999999), "59.6199");
  EXPECT_EQ(at_least_text(123456789.0), "1.23456e+08");
  EXPECT_EQ(at_least_text(2.5e-9), "2.5e-09");
  EXPECT_EQ(at_least_text(0), "0");
}

TEST(Certificate, a_gap_is_never_rounded_down) {
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(1.4e-8), "2e-06 %");
  EXPECT_EQ(percent_text(1e-8), "1e-06 %");
  EXPECT_EQ(percent_text(9.9e-5), "0.01 %");
  EXPECT_EQ(percent_text(0.0071310001), "0.714 %");
  EXPECT_EQ(percent_text(0.5), "50 %");
}

// The printed gap equals the one computed from the printed numbers.
TEST(Certificate, what_is_printed_agrees_with_itself) {
  const auto text = [](double lower, double upper) {
    return certificate_text({.lower = lower, .upper = upper}, "CVaR");
  };
  EXPECT_EQ(text(103.7934999, 103.7935004),
            "CVaR 103.7935004; the least possible is at least 103.7934999: within 5e-07 %");
  EXPECT_EQ(text(1, 1.5), "CVaR 1.5; the least possible is at least 1: within 50 %");
  EXPECT_EQ(text(2.25, 2.25), "CVaR 2.25: the least possible");
  Rng rng(1);
  for (int run = 0; run < 2000; ++run) {
    const double lower = std::pow(10, 20 * rng.uniform() - 10) * (1 + rng.uniform());
    const double upper = lower * (1 + std::pow(10, -13 * rng.uniform()));
    const std::string line = text(lower, upper);
    double shown_upper = 0;
    double shown_lower = 0;
    std::string within;
    ASSERT_EQ(std::sscanf(line.c_str(), "CVaR %lf; the least possible is at least %lf:",
                          &shown_upper, &shown_lower),
              2)
        << line;
    within = line.substr(line.find("within ") + 7);
    EXPECT_GE(shown_upper, upper) << line;
    EXPECT_LE(shown_lower, lower) << line;
    EXPECT_EQ(percent_text(shown_upper / shown_lower - 1), within) << line;
  }
}

TEST(Verdict, the_gap_names_its_model) {
  RunReport report{{on_test(Algorithm::adacvar, 1, 3), on_test(Algorithm::mean, 1, 2)}, {}};
  report.results[0].certificate = Certificate{1, 1.003};
  EXPECT_TRUE(verdict(report).ends_with(
      " Its CVaR of the training rows is certified within 0.3 % of the best linear model's. No "
      "other algorithm has a lower CVaR there than the mean-trained model."));
}

TEST(Verdict, there_is_none_for_failed_runs) {
  RunReport report{{on_test(Algorithm::adacvar, 1, 2), on_test(Algorithm::mean, 1, 3)}, {}};
  change_model(report.results[1], [&](TrainedModel& m) { m.stop_reason = StopReason::diverged; });
  EXPECT_EQ(verdict(report), "No verdict: Mean diverged.");
  change_model(report.results[1],
               [&](TrainedModel& m) { m.stop_reason = StopReason::interrupted; });
  report.results[1].epochs = 0;
  EXPECT_EQ(verdict(report), "No verdict: Mean was stopped before its first epoch ended.");
  report.results[1].epochs = 1;
  EXPECT_TRUE(verdict(report).starts_with("On the worst"));
}

TEST(Verdict, says_when_another_algorithm_is_better) {
  const RunReport report{{on_test(Algorithm::adacvar, 1, 2), on_test(Algorithm::trunc, 1, 1.8),
                          on_test(Algorithm::mean, 1, 3), on_test(Algorithm::exact, 1, 1)},
                         {}};
  EXPECT_NE(
      verdict(report).find("Trunc-CVaR has the least CVaR there, 10 % lower than Ada-CVaR's."),
      std::string::npos)
      << verdict(report);
}

TEST(Verdict, names_differences_that_are_not_significant) {
  RunReport report{{on_test(Algorithm::adacvar, 1, 2), on_test(Algorithm::trunc, 1, 1.8),
                    on_test(Algorithm::mean, 1, 2.1)},
                   {}};
  report.results[0].test->best = true;
  report.results[1].test->best = true;
  EXPECT_NE(verdict(report).find("Trunc-CVaR has the least CVaR there, 10 % lower than Ada-CVaR's, "
                                 "but not significantly different"),
            std::string::npos)
      << verdict(report);
  report.results[1].test->risk.cvar = 2.2;
  EXPECT_NE(
      verdict(report).find("Trunc-CVaR is not significantly different from Ada-CVaR on the test"),
      std::string::npos)
      << verdict(report);
  // The comparison of Ada-CVaR and mean uses the losses of both.
  report.results[0].detail->losses = {1, 2, 3, 4, 5, 6, 7, 2.0};
  report.results[2].detail->losses = {2, 1, 4, 3, 6, 5, 2, 7.1};
  EXPECT_NE(verdict(report).find("mean-trained model's (not significant"), std::string::npos)
      << verdict(report);
  report.results[2].detail->losses = {11, 12, 13, 14, 15, 16, 17, 12.0};
  EXPECT_EQ(verdict(report).find("(not significant"), std::string::npos) << verdict(report);
}

TEST(Verdict, of_one_algorithm_compares_tail_and_mean) {
  const RunReport report{{on_test(Algorithm::soft, 0.5, 2)}, {}};
  EXPECT_EQ(verdict(report),
            "On the worst 5 % of the test rows the loss of Soft-CVaR is 2, 4 times the mean over "
            "all rows, 0.5.");
}

TEST(Verdict, of_an_evaluation_names_the_hardest_group) {
  Evaluation evaluation;
  evaluation.alpha = 0.1;
  const auto risk = [](double cvar) {
    return RiskEstimate{.alpha = 0.1,
                        .mean = 1,
                        .cvar = cvar,
                        .cvar_interval = {cvar - 1, cvar + 1},
                        .reliable = true};
  };
  evaluation.all = {.name = "", .rows = 1234, .risk = {risk(4)}};
  evaluation.group_column = "region";
  evaluation.groups = {{.name = "north", .rows = 600, .risk = {risk(5)}},
                       {.name = "south", .rows = 634, .risk = {risk(3)}}};
  EXPECT_EQ(
      verdict(evaluation),
      "On the worst 10 % of 1,234 rows the loss is 4 (95 % interval 3 to 5), 4 times the mean "
      "over all rows, 1. Hardest is region = north, with a CVaR of 5 (interval 4 to 6).");

  evaluation.groups[0].risk[0].reliable = false;
  EXPECT_NE(verdict(evaluation).find("Hardest is region = south"), std::string::npos);
  evaluation.groups[1].risk[0].reliable = false;
  EXPECT_EQ(verdict(evaluation).find("Hardest"), std::string::npos);
  EXPECT_NE(verdict(evaluation).find("No group"), std::string::npos);
}

TEST(Verdict, of_an_evaluation_says_which_rows_and_which_tail_share) {
  Evaluation evaluation;
  evaluation.alpha = 0.1;
  evaluation.detail.part = "test";
  evaluation.all = {
      .name = "",
      .rows = 50,
      .risk = {{.alpha = 1, .mean = 2, .cvar = 2, .mean_interval = {1, 3}, .reliable = true}}};
  EXPECT_EQ(verdict(evaluation),
            "On average over 50 test rows the loss is 2 (95 % interval 1 to 3).");
  evaluation.all.risk.insert(
      evaluation.all.risk.begin(),
      RiskEstimate{.alpha = 0.1, .mean = 2, .cvar = 4, .cvar_interval = {3, 5}});
  EXPECT_EQ(verdict(evaluation),
            "On the worst 10 % of 50 test rows the loss is 4 (95 % interval 3 to 5), 2 times the "
            "mean over all rows, 2. With fewer than 10 rows in the tail the interval is not "
            "reliable.");
  evaluation.all.risk[0].reliable = true;
  evaluation.all.risk[0].tail_index = 0.7;
  EXPECT_NE(verdict(evaluation).find("too heavy"), std::string::npos);
}

TEST(Verdict, of_several_tail_shares_compares_the_least_and_the_largest) {
  RunReport report{{on_test(Algorithm::exact, 3, 0), on_test(Algorithm::exact, 2, 0)}, {}};
  change_model(report.results[0], [&](TrainedModel& m) { m.options.alpha = 0.25; });
  report.results[0].detail->losses = {3, 3, 3, 3};
  change_model(report.results[1], [&](TrainedModel& m) { m.options.alpha = 1; });
  report.results[1].detail->losses = {0, 0, 2, 6};
  EXPECT_EQ(verdict(report),
            "On the worst 25 % of the test rows the exact optimum of tail share 0.25 has a loss "
            "50 % lower than that of tail share 1; on average it is 50 % higher.");
}

}  // namespace
}  // namespace adacvar
