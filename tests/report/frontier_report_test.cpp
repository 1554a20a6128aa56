#include "report/frontier_report.hpp"

#include "report/frontier_changes.hpp"
#include "report/text_table.hpp"
#include "support/made_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace adacvar {
namespace {

using nlohmann::json;

PartRisk part_of(double mean, double cvar, bool classes) {
  PartRisk part = support::made_part(100, mean, classes ? std::optional(0.9) : std::nullopt);
  part.risk.cvar = cvar;
  if (classes) part.calibration_error = 0.05;
  return part;
}

// Three points; on the test rows the mean is twice and the CVaR three times that of training.
FrontierReport made_frontier(bool classes) {
  FrontierReport report;
  const std::vector<std::array<double, 3>> points = {{1, 10, 100}, {0.6, 10.5, 80}, {0, 15, 70}};
  for (const auto& [gamma, mean, cvar] : points) {
    RunResult point = support::made_result(Algorithm::exact, classes, part_of(mean, cvar, classes),
                                           std::nullopt, part_of(2 * mean, 3 * cvar, classes));
    support::change_model(point, [gamma = gamma](TrainedModel& model) {
      model.options.gamma = gamma;
      model.stop_reason = StopReason::optimal;
    });
    point.certificate = Certificate{.lower = cvar * (1 - 1e-6), .upper = cvar, .radius = 100};
    report.points.push_back(std::move(point));
  }
  report.marks = {{"mean", 0}, {"+5 %", 1}, {"knee", 1}, {"CVaR", 2}};
  report.chosen = 1;
  report.notes = {"a note"};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(FrontierReport, says_first_what_the_choice_costs_and_buys) {
  EXPECT_EQ(
      frontier_verdict(made_frontier(false)),
      "5 % more mean loss buys 20 % less CVaR on the training rows; on the test rows 5 % more "
      "mean loss buys 20 % less CVaR. The whole curve goes to 50 % more mean and 30 % less "
      "CVaR on the training rows.");
  FrontierReport worse = made_frontier(false);
  worse.points[1].test->risk.cvar = 330;  // of 300
  EXPECT_NE(frontier_verdict(worse).find("5 % more mean loss comes with 10 % more CVaR"),
            std::string::npos);
  FrontierReport stopped = made_frontier(false);
  stopped.chosen.reset();
  EXPECT_NE(frontier_verdict(stopped).find("Stopped"), std::string::npos);
  FrontierReport flat = made_frontier(false);
  for (RunResult& point : flat.points) point.train->risk = {1, 1, 1};
  EXPECT_NE(frontier_verdict(flat).find("nothing to trade"), std::string::npos);
  for (RunResult& point : flat.points) point.train->risk = {0, 0, 0};
  EXPECT_NE(frontier_verdict(flat).find("nothing to trade"), std::string::npos);
}

TEST(FrontierReport, changes_are_relative_to_the_least_mean) {
  const FrontierReport report = made_frontier(false);
  const std::vector<FrontierRows> rows = rows_of(report);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "training");
  EXPECT_EQ(rows[1].name, "test");
  EXPECT_NEAR(change_of(report, rows[1], 2).mean, 0.5, 1e-12);
  EXPECT_NEAR(change_of(report, rows[1], 2).cvar, -0.3, 1e-12);
  EXPECT_EQ(change_text(0.05), "+5.00 %");
  EXPECT_EQ(change_text(-0.1234), "-12.3 %");
  EXPECT_EQ(change_text(-1e-9), "0 %");
  EXPECT_EQ(change_text(12.5), "+1250 %");
  EXPECT_EQ(change_text(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(FrontierReport, text_fits_80_columns_and_keeps_numbers_with_their_signs) {
  for (const bool classes : {false, true}) {
    for (const bool unicode : {false, true}) {
      const std::string text = frontier_text(made_frontier(classes), {.unicode = unicode});
      for (const std::string& line : lines_of(text)) {
        EXPECT_LE(text_width(line), kTerminalWidth) << line;
        EXPECT_FALSE(line.starts_with("%")) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
      EXPECT_NE(text.find("  5 +5 % *"), std::string::npos) << text;
      EXPECT_EQ(text.find("accuracy") != std::string::npos, classes);
      EXPECT_EQ(text.find("nan"), std::string::npos);
    }
  }
}

TEST(FrontierReport, json_has_every_point_with_its_marks) {
  const json found = json::parse(frontier_json(made_frontier(true), "m.json"));
  EXPECT_EQ(found["algorithm"], "exact");
  EXPECT_EQ(found["alpha"], 0.05);
  ASSERT_EQ(found["points"].size(), 3U);
  EXPECT_EQ(found["points"][1]["gamma"], 0.6);
  EXPECT_EQ(found["points"][1]["marks"], json({"+5 %", "knee"}));
  EXPECT_EQ(found["points"][1]["risk"]["test"]["cvar"], 240);
  EXPECT_EQ(found["points"][1]["risk"]["test"]["calibration_error"], 0.05);
  EXPECT_EQ(found["points"][0]["stop_reason"], "optimal");
  EXPECT_EQ(found["chosen"], json({{"mark", "+5 %"}, {"point", 1}}));
  EXPECT_EQ(found["model"], "m.json");
  EXPECT_EQ(found["interrupted"], false);
  EXPECT_EQ(found["notes"], json({"a note"}));
}

TEST(FrontierReport, csv_has_a_line_for_every_point) {
  const auto lines = lines_of(frontier_csv(made_frontier(true)));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "gamma,marks,train_mean,train_var,train_cvar,train_accuracy,train_calibration_error,"
            "test_mean,test_var,test_cvar,test_accuracy,test_calibration_error,lower,upper");
  EXPECT_EQ(lines[2].substr(0, 42), "0.6,+5 %; knee,10.5,21,80,0.9,0.05,21,42,2");
}

TEST(FrontierReport, page_has_the_curve_with_details_and_the_marks) {
  const Page page =
      frontier_page(made_frontier(true), {.command = "adacvar frontier t.csv", .options = {}});
  std::vector<std::string> titles;
  for (const PageSection& section : page.sections) titles.push_back(section.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"Curve", "Classes", "Marks", "Points",
                                              "Reproduce this run"}));
  const auto& figure = std::get<PageFigure>(page.sections[0].items[0]);
  const auto& chart = std::get<ScatterChart>(figure.views[0].chart);
  ASSERT_EQ(chart.series.size(), 3U);  // test, training, marks on the test rows
  EXPECT_EQ(chart.series[0].name, "test rows");
  EXPECT_TRUE(chart.series[0].is_joined);
  EXPECT_NEAR(chart.series[0].x[2], 50, 1e-9);
  EXPECT_NEAR(chart.series[0].y[2], -30, 1e-9);
  EXPECT_EQ(chart.series[0].details[1],
            "test rows, gamma 0.6: +5 %, knee; mean 21 (+5.00 %); CVaR 240 (-20.0 %); accuracy "
            "0.900; calibration error 0.050");
  EXPECT_EQ(chart.series[2].names, (std::vector<std::string>{"mean", "+5 %, knee", "CVaR"}));
  const std::string svg = figure_files(page).at(0).svg;
  EXPECT_NE(svg.find("+5 %, knee"), std::string::npos);
  EXPECT_NE(svg.find("<title>test rows, gamma 0.6"), std::string::npos);
}

}  // namespace
}  // namespace adacvar
