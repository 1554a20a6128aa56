#include <adacvar/run/trace_frontier.hpp>

#include "run/trained_model.hpp"
#include "support/expect_words.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

// Rows a, b, y with noise whose size grows with a, so that mean and tail want different models.
std::string noisy_table(std::size_t rows, bool classes) {
  Rng rng(7);
  std::string text = "a,b,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = support::normal(rng);
    const double b = support::normal(rng);
    const double noise = support::normal(rng);
    const double y = a - b + (a > 1 ? 3 * noise + 4 : noise);
    text += std::to_string(a) + "," + std::to_string(b) + ",";
    text += classes ? (y > 0 ? "yes\n" : "no\n") : std::to_string(y) + "\n";
  }
  return text;
}

RunOptions exact_options(const std::filesystem::path& path) {
  RunOptions options;
  options.data.data = path.string();
  options.data.target = "y";
  options.train.algorithm = Algorithm::exact;
  options.train.alpha = 0.2;
  options.calibrate.calibrate = CalibrateChoice::no;
  return options;
}

const TailRisk& training(const RunResult& point) { return point.train->risk; }

const RunResult& marked(const FrontierReport& report, const std::string& name) {
  const auto mark = std::ranges::find(report.marks, name, &FrontierMark::name);
  if (mark == report.marks.end()) throw std::runtime_error("no mark " + name);
  return report.points[mark->point];
}

std::size_t position_of(const FrontierReport& report, const std::string& name) {
  return static_cast<std::size_t>(&marked(report, name) - report.points.data());
}

TEST(FrontierChoice, reads_the_three_forms) {
  EXPECT_EQ(FrontierChoice::parse("knee").by, FrontierChoice::By::knee);
  const FrontierChoice gamma = FrontierChoice::parse("gamma=0.25");
  EXPECT_EQ(gamma.by, FrontierChoice::By::gamma);
  EXPECT_EQ(gamma.value, 0.25);
  EXPECT_EQ(gamma.name(), "gamma 0.25");
  const FrontierChoice mean = FrontierChoice::parse("mean=+5%");
  EXPECT_EQ(mean.by, FrontierChoice::By::mean);
  EXPECT_EQ(mean.value, 0.05);
  EXPECT_EQ(mean.name(), "+5 %");
  EXPECT_EQ(FrontierChoice::parse("mean=+0%").value, 0);
  EXPECT_EQ(FrontierChoice::parse("mean=+1000%").value, 10);
}

TEST(FrontierChoice, refuses_everything_else) {
  for (const std::string text : {"", "kne", "gamma", "gamma=", "gamma=x", "gamma=0.5%", "mean=5%",
                                 "mean=+5", "mean=+%", "mean=+x%", "mean=+nan%", "gamma=nan"}) {
    expect_words<OptionError>([&] { (void)FrontierChoice::parse(text); },
                              "at = '" + text + "' ... knee, gamma= ... mean=+");
  }
  expect_words<OptionError>([] { (void)FrontierChoice::parse("gamma=2"); },
                            "gamma = 2 is outside [0, 1]");
  expect_words<OptionError>([] { (void)FrontierChoice::parse("mean=-5%"); },
                            "mean=-5% ... least mean");
  expect_words<OptionError>([] { (void)FrontierChoice::parse("mean=+-5%"); }, "outside");
}

TEST(TraceFrontier, ends_are_the_exact_mean_and_cvar) {
  const TemporaryFolder folder;
  for (const bool classes : {false, true}) {
    const RunOptions options = exact_options(folder.write("t.csv", noisy_table(300, classes)));
    const FrontierReport report = trace_frontier(options, {.points = 5});
    RunOptions end = options;
    const double cvar = training(run(end).results[0]).cvar;
    EXPECT_NEAR(training(report.points.back()).cvar, cvar, 2e-6 * cvar);
    end.train.gamma = 1;
    const double mean = training(run(end).results[0]).mean;
    EXPECT_NEAR(training(report.points.front()).mean, mean, 2e-6 * mean);
    EXPECT_EQ(report.gamma(0), 1);
    EXPECT_EQ(report.gamma(report.points.size() - 1), 0);
    EXPECT_EQ(position_of(report, "mean"), 0U);
    EXPECT_EQ(position_of(report, "CVaR"), report.points.size() - 1);
  }
}

TEST(TraceFrontier, is_monotone_and_convex_on_the_training_rows) {
  const TemporaryFolder folder;
  for (const bool classes : {false, true}) {
    RunOptions options = exact_options(folder.write("t.csv", noisy_table(400, classes)));
    options.solve.tolerance = 1e-8;
    const FrontierReport report = trace_frontier(options, {.points = 12});
    EXPECT_GE(report.points.size(), 12U);
    // Every model is at least as bad as the bound of another, at that one's gamma.
    for (std::size_t i = 0; i < report.points.size(); ++i) {
      const RunResult& point = report.points[i];
      if (i > 0) {
        const TailRisk& last = training(report.points[i - 1]);
        EXPECT_GE(training(point).mean, last.mean);
        EXPECT_LE(training(point).cvar, last.cvar * (1 + 1e-6)) << i;
      }
      if (point.budget) continue;  // its bound is that of another problem
      ASSERT_TRUE(point.certificate);
      EXPECT_LE(point.certificate->relative_gap(), 1e-6);
      const Risk risk{0.2, report.gamma(i)};
      for (const RunResult& other : report.points) {
        EXPECT_GE(risk.of(training(other)), point.certificate->lower * (1 - 1e-12)) << i;
      }
    }
  }
}

TEST(TraceFrontier, budgets_hold_and_nothing_on_the_curve_is_better) {
  const TemporaryFolder folder;
  const RunOptions options = exact_options(folder.write("t.csv", noisy_table(300, false)));
  const FrontierReport report = trace_frontier(options, {.points = 20, .at = "mean=+3%"});
  const double least = training(report.points[0]).mean;
  ASSERT_TRUE(report.chosen);
  EXPECT_EQ(report.marks[*report.chosen].name, "+3 %");
  for (const auto& [name, budget] :
       {std::pair("+1 %", 0.01), {"+2 %", 0.02}, {"+3 %", 0.03}, {"+5 %", 0.05}, {"+10 %", 0.1}}) {
    const RunResult& point = marked(report, name);
    EXPECT_LE(training(point).mean, (1 + budget) * least * (1 + 1e-9)) << name;
    for (const RunResult& other : report.points) {
      if (training(other).mean > (1 + budget) * least) continue;
      EXPECT_GE(training(other).cvar, training(point).cvar * (1 - 1e-5)) << name;
    }
    if (!point.budget) continue;
    EXPECT_NEAR(point.budget->least, least, 1e-12 * least);
    EXPECT_EQ(point.budget->mean_budget, budget);
    EXPECT_LE(point.certificate->relative_gap(), 1.2e-4);
  }
}

TEST(TraceFrontier, budgets_of_0_and_1000_per_cent_are_the_ends) {
  const TemporaryFolder folder;
  for (const bool classes : {false, true}) {
    const RunOptions options = exact_options(folder.write("t.csv", noisy_table(200, classes)));
    const FrontierReport none = trace_frontier(options, {.points = 3, .at = "mean=+0%"});
    const double least = training(none.points.front()).mean;
    EXPECT_LE(training(*none.chosen_point()).mean, least * (1 + 1e-9));
    EXPECT_LE(training(*none.chosen_point()).cvar, training(none.points.front()).cvar);
    const FrontierReport all = trace_frontier(options, {.points = 3, .at = "mean=+1000%"});
    const double tail = training(all.points.back()).cvar;
    EXPECT_NEAR(training(*all.chosen_point()).cvar, tail, 2e-6 * tail);
  }
}

TEST(TraceFrontier, the_knee_is_farthest_from_the_chord) {
  const TemporaryFolder folder;
  const RunOptions options = exact_options(folder.write("t.csv", noisy_table(300, false)));
  const FrontierReport report = trace_frontier(options, {.points = 40, .at = "knee"});
  const TailRisk& mean = training(report.points.front());
  const TailRisk& tail = training(report.points.back());
  // The chord is x + y = 1 where both coordinates go from 0 to 1.
  const auto distance = [&](const RunResult& point) {
    const double x = (training(point).mean - mean.mean) / (tail.mean - mean.mean);
    const double y = (training(point).cvar - tail.cvar) / (mean.cvar - tail.cvar);
    return (1 - x - y) / std::sqrt(2.0);
  };
  double farthest = 0;
  for (const RunResult& point : report.points) farthest = std::max(farthest, distance(point));
  EXPECT_GT(farthest, 0.1);
  ASSERT_NE(report.chosen_point(), nullptr);
  EXPECT_GE(distance(*report.chosen_point()), farthest - 1e-5);
  EXPECT_EQ(report.chosen_point(), &marked(report, "knee"));
}

TEST(TraceFrontier, a_chosen_gamma_is_solved_for) {
  const TemporaryFolder folder;
  RunOptions options = exact_options(folder.write("t.csv", noisy_table(200, false)));
  const FrontierReport report = trace_frontier(options, {.points = 4, .at = "gamma=0.37"});
  options.train.gamma = 0.37;
  const TailRisk alone = training(run(options).results[0]);
  ASSERT_NE(report.chosen_point(), nullptr);
  const TailRisk& found = training(*report.chosen_point());
  const Risk risk{0.2, 0.37};
  EXPECT_NEAR(risk.of(found), risk.of(alone), 2e-6 * risk.of(alone));
  EXPECT_EQ(report.chosen_point()->model.parts().options.gamma, 0.37);
}

TEST(TraceFrontier, classes_have_accuracy_and_calibration_on_all_rows) {
  const TemporaryFolder folder;
  const RunOptions options = exact_options(folder.write("t.csv", noisy_table(300, true)));
  const FrontierReport report = trace_frontier(options, {.points = 4});
  for (const RunResult& point : report.points) {
    for (const auto& part : {point.train, point.valid, point.test}) {
      ASSERT_TRUE(part && part->accuracy && part->calibration_error);
      EXPECT_GE(*part->calibration_error, 0);
      EXPECT_LE(*part->calibration_error, 1);
    }
  }
}

TEST(TraceFrontier, says_when_the_least_cvar_is_that_of_even_odds) {
  const TemporaryFolder folder;
  RunOptions options = exact_options(folder.write("t.csv", noisy_table(300, true)));
  options.train.alpha = 0.02;
  const FrontierReport report = trace_frontier(options, {.points = 4});
  ASSERT_EQ(report.headlines.size(), 1U);
  EXPECT_TRUE(support::has_words(report.headlines[0], "0.02 ... log 2")) << report.headlines[0];
}

TEST(TraceFrontier, says_when_there_is_nothing_to_trade) {
  const TemporaryFolder folder;
  std::string separable = "a,y\n";
  std::string straight = "a,y\n";
  for (int i = 0; i < 60; ++i) {
    separable += std::to_string(i) + (i < 30 ? ",no\n" : ",yes\n");
    straight += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
  }
  const FrontierReport apart =
      trace_frontier(exact_options(folder.write("s.csv", separable)), {.points = 4});
  ASSERT_FALSE(apart.headlines.empty());
  EXPECT_TRUE(support::has_words(apart.headlines[0], "separable ... ridge"));
  EXPECT_EQ(apart.points.size(), 1U);  // that of the mean is the choice
  EXPECT_EQ(apart.chosen_point(), &apart.points[0]);
  const FrontierReport perfect =
      trace_frontier(exact_options(folder.write("p.csv", straight)), {.points = 4});
  ASSERT_FALSE(perfect.headlines.empty());
  EXPECT_TRUE(support::has_words(perfect.headlines[0], "nothing to trade"));
}

TEST(TraceFrontier, a_weight_counts_as_so_many_rows) {
  const TemporaryFolder folder;
  Rng rng(3);
  std::string weighted = "a,w,y\n";
  std::string repeated = "a,y\n";
  for (int i = 0; i < 80; ++i) {
    const double a = support::normal(rng);
    const std::string x = std::to_string(a);
    const std::string y = std::to_string(a + (a > 0.5 ? 3 : 1) * support::normal(rng));
    const int copies = 1 + i % 3;
    weighted += x + "," + std::to_string(copies) + "," + y + "\n";
    for (int c = 0; c < copies; ++c) repeated += x + "," + y + "\n";
  }
  RunOptions options = exact_options(folder.write("w.csv", weighted));
  options.data.weight = "w";
  options.data.split = {1, 0, 0};
  const FrontierReport one = trace_frontier(options, {.points = 5});
  RunOptions plain = exact_options(folder.write("r.csv", repeated));
  plain.data.split = {1, 0, 0};
  const FrontierReport other = trace_frontier(plain, {.points = 5});
  for (const char* name : {"mean", "+5 %", "CVaR"}) {
    const TailRisk& a = training(marked(one, name));
    const TailRisk& b = training(marked(other, name));
    EXPECT_NEAR(a.cvar, b.cvar, 1e-4 * b.cvar) << name;
    EXPECT_NEAR(a.mean, b.mean, 1e-3 * b.mean) << name;
  }
}

TEST(TraceFrontier, by_runs_marks_are_runs_within_the_budget_on_validation_rows) {
  const TemporaryFolder folder;
  RunOptions options = exact_options(folder.write("t.csv", noisy_table(400, false)));
  options.train.algorithm = Algorithm::adacvar;
  options.train.epochs = 10;
  const FrontierReport report = trace_frontier(options, {.points = 5, .at = "gamma=0.4"});
  EXPECT_FALSE(report.is_exact);
  // 1, 0.854, 0.5, 0.146, 0, and the one that was asked for.
  ASSERT_EQ(report.points.size(), 6U);
  EXPECT_EQ(report.points[0].model.parts().options.algorithm, Algorithm::mean);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_LT(report.gamma(i), report.gamma(i - 1));
  EXPECT_EQ(report.chosen_point()->model.parts().options.gamma, 0.4);
  const double least = report.points[0].valid->risk.mean;
  for (const auto& [name, budget] : {std::pair("+1 %", 0.01), {"+10 %", 0.1}}) {
    const TailRisk& found = marked(report, name).valid->risk;
    EXPECT_LE(found.mean, (1 + budget) * least);
    for (const RunResult& run : report.points) {
      if (run.valid->risk.mean <= (1 + budget) * least) {
        EXPECT_LE(found.cvar, run.valid->risk.cvar);
      }
    }
  }
}

TEST(TraceFrontier, bad_options_are_refused_before_data_is_read) {
  RunOptions options = exact_options("no.csv");
  const auto refuse = [&](const RunOptions& run, const FrontierOptions& curve,
                          const std::string& words) {
    expect_words<OptionError>([&] { (void)trace_frontier(run, curve); }, words);
  };
  refuse(options, {.points = 1}, "points = 1 ... 3");
  refuse(options, {.points = 2}, "points = 2 ... 3");
  refuse(options, {.points = 2000}, "points = 2000");
  refuse(options, {.at = "elbow"}, "at = 'elbow'");
  RunOptions mean = options;
  mean.train.algorithm = Algorithm::mean;
  refuse(mean, {}, "algorithm = mean ... one point");
  RunOptions whole = options;
  whole.train.alpha = 1;
  refuse(whole, {}, "alpha = 1 ... one point");
}

TEST(TraceFrontier, an_interrupt_leaves_what_is_done) {
  const TemporaryFolder folder;
  for (const Algorithm algorithm : {Algorithm::exact, Algorithm::adacvar}) {
    RunOptions options = exact_options(folder.write("t.csv", noisy_table(200, false)));
    options.train.algorithm = algorithm;
    options.train.epochs = algorithm == Algorithm::exact ? options.train.epochs : 3;
    options.tune.threads = 1;
    std::atomic<bool> stop = false;
    const RunHooks hooks{.progress = [&](const RunProgress& p) { stop = p.runs_done >= 4; },
                         .stop = &stop};
    const FrontierReport report = trace_frontier(options, {.points = 20}, hooks);
    EXPECT_TRUE(report.is_interrupted);
    EXPECT_GE(report.points.size(), 3U);
    EXPECT_LT(report.points.size(), 10U);
    EXPECT_EQ(report.gamma(0), 1);
    EXPECT_TRUE(report.chosen);  // the choice comes before the rest of the curve
    stop = true;
    const FrontierReport nothing = trace_frontier(options, {}, {.stop = &stop});
    EXPECT_TRUE(nothing.is_interrupted);
    EXPECT_TRUE(nothing.points.empty());
  }
}

}  // namespace
}  // namespace adacvar
