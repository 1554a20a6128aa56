#include "experiment/study_report.hpp"

#include "support/experiment_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace adacvar {
namespace {

using support::made_reading;

/// Test CVaRs of two splits; the mean is a quarter of them.
Selected with_cvars(float one, float other) {
  Selected selected;
  selected.readings = {made_reading(50, one, 0.5F, one), made_reading(50, other, 0.75F, other)};
  selected.runs = 2;
  return selected;
}

Summary made_summary(const std::string& set) {
  Summary summary{.study = make_study(Experiment::convex, {.seeds = 2, .sets = {set}}),
                  .selected = {{with_cvars(1, 1.5F),
                                with_cvars(1.25F, 1),
                                with_cvars(4, 4.5F),
                                {},
                                with_cvars(8, 8.5F),
                                with_cvars(1, 1)}}};
  summary.selected[0].back().bound = 0.5;
  summary.selected[0][3].diverged = 2;
  summary.selected[0][3].runs = 2;
  return summary;
}

std::vector<std::string> texts(const std::vector<ResultCell>& row) {
  std::vector<std::string> cells;
  for (const ResultCell& cell : row) cells.push_back(cell.text + (cell.best ? "*" : ""));
  return cells;
}

using Cells = std::vector<std::string>;

TEST(StudyTables, show_paper_beside_ours_beside_the_optimum) {
  const auto tables = study_tables(made_summary("abalone"), nullptr);
  ASSERT_EQ(tables.size(), 3U);
  const ResultTable& table = tables[0];
  EXPECT_EQ(table.header,
            (Cells{"set", "algorithm", "paper CVaR", "our CVaR", "paper mean", "our mean"}));
  ASSERT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(texts(table.rows[0]),
            (Cells{"abalone", "gain", "8.92±3.3*", "1.250±0.354*", "0.61±0.1", "0.312±0.088*"}));
  EXPECT_EQ(texts(table.rows[1]),
            (Cells{"abalone", "centred", "–", "1.125±0.177*", "–", "0.281±0.044*"}));
  EXPECT_EQ(texts(table.rows[3]),
            (Cells{"abalone", "soft", "14.25±0.3", "overflow", "0.63±0.0", "overflow"}));
  EXPECT_EQ(texts(table.rows[5]),
            (Cells{"abalone", "exact", "–", "1.000±0.000", "–", "0.250±0.000"}));
}

TEST(StudyTables, compare_training_with_the_certified_optimum) {
  const ResultTable table = study_tables(made_summary("abalone"), nullptr)[1];
  EXPECT_EQ(table.header, (Cells{"set", "optimum", "gain", "centred", "trunc", "soft", "mean"}));
  // Training CVaRs are half of the test's: 0.625 / 0.5 and so on.
  EXPECT_EQ(texts(table.rows[0]),
            (Cells{"abalone", "0.5", "1.250", "1.125", "4.250", "–", "8.250"}));
}

TEST(StudyTables, list_selected_and_diverged_configurations) {
  const ResultTable table = study_tables(made_summary("abalone"), nullptr)[2];
  EXPECT_EQ(texts(table.rows[4]), (Cells{"abalone", "mean", "sgd 0.05, batch 64", "0 of 2"}));
  EXPECT_EQ(texts(table.rows[3]), (Cells{"abalone", "soft", "none", "2 of 2"}));
}

TEST(StudyTables, classes_have_accuracy_and_surrogate) {
  const auto tables = study_tables(made_summary("monks"), nullptr);
  ASSERT_EQ(tables.size(), 4U);
  EXPECT_EQ(tables[0].header[3], "our acc.");
  EXPECT_EQ(tables[1].header[3], "our CVaR");
  EXPECT_EQ(texts(tables[0].rows[4])[2], "0.61±0.1");
}

TEST(StudyCsv, has_a_line_per_set_algorithm_and_metric) {
  const std::string csv = study_csv(made_summary("abalone"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 6 * 2);
  EXPECT_NE(csv.find("abalone,gain,cvar,8.92,3.3,1,1.25,0.353553,1,2,2,0,0,\"sgd 0.05"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("abalone,soft,cvar,14.25,0.3,0,,,,0,2,2,,\"\""), std::string::npos) << csv;
}

TEST(StudyFigures, normalised_scores_run_from_the_best_to_the_worst) {
  const auto figures = study_figures(made_summary("abalone"));
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].stem, "regression-scores");
  const auto& chart = std::get<BarChart>(figures[0].chart);
  EXPECT_EQ(chart.groups, (Cells{"CVaR", "mean"}));
  ASSERT_EQ(chart.series.size(), 5U);
  EXPECT_EQ(chart.series[1].values[0], 0.0);  // centred, the least
  EXPECT_EQ(chart.series[4].values[0], 1.0);  // mean, the largest
  EXPECT_DOUBLE_EQ(chart.series[2].values[0], (4.25 - 1.125) / (8.25 - 1.125));
  EXPECT_TRUE(std::isnan(chart.series[3].values[0]));  // all of soft overflowed
  EXPECT_EQ(figures[1].stem, "regression-cvar");
  const auto& by_set = std::get<BarChart>(figures[1].chart);
  EXPECT_EQ(by_set.groups, (Cells{"abalone"}));
  EXPECT_TRUE(by_set.series[0].marked[0]);
}

TEST(StudyFigures, tradeoff_draws_alpha_and_gamma) {
  Summary summary{.study = make_study(Experiment::tradeoff, {.seeds = 2, .sets = {"monks"}}),
                  .selected = {}};
  summary.selected.resize(1);
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    summary.selected[0].push_back(with_cvars(static_cast<float>(c), static_cast<float>(c)));
  }
  const auto figures = study_figures(summary);
  ASSERT_EQ(figures.size(), 2U);
  const auto& alpha = std::get<LineChart>(figures[0].chart);
  EXPECT_EQ(alpha.series.size(), 3U);
  EXPECT_EQ(alpha.y_label, "logistic loss; accuracy as a share");
  EXPECT_EQ(alpha.series[0].x, (std::vector{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0}));
  EXPECT_EQ(alpha.series[0].y, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  const auto tables = study_tables(summary, nullptr);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].header, (Cells{"setting", "acc.", "CVaR", "mean"}));
}

TEST(StudyTables, cells_have_the_numbers_that_their_texts_round) {
  const auto tables = study_tables(made_summary("abalone"), nullptr);
  const auto& row = tables[0].rows[0];
  EXPECT_FALSE(row[0].value);
  EXPECT_EQ(row[2].value, 8.92);
  EXPECT_EQ(row[2].sd, 3.3);
  EXPECT_EQ(row[3].value, 1.25);
  EXPECT_NEAR(row[3].sd.value(), 0.353553, 1e-6);
  EXPECT_FALSE(tables[0].rows[1][2].value);  // the paper has none
  EXPECT_FALSE(tables[0].rows[3][3].value);  // overflow
  EXPECT_EQ(tables[1].rows[0][1].value, 0.5);
  EXPECT_EQ(tables[1].rows[0][2].value, 1.25);
  EXPECT_EQ(tables[2].rows[3][3].value, 2);
}

}  // namespace
}  // namespace adacvar
