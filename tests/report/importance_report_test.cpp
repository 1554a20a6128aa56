#include "report/importance_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace adacvar {
namespace {

TEST(ImportanceText, lists_columns_with_their_shares) {
  EXPECT_EQ(importance_text({{"age", 0.75}, {"colour", 0.25}}),
            "importance: share of a column in the gain of all splits\n"
            "column   share\n"
            "age     75.0 %\n"
            "colour  25.0 %\n");
}

TEST(ImportanceText, says_how_many_are_left_out) {
  std::vector<ColumnImportance> columns;
  for (int i = 0; i < 12; ++i) columns.push_back({"c" + std::to_string(i), 1.0 / 12});
  EXPECT_NE(importance_text(columns).find("... 2 more columns"), std::string::npos);
  columns.pop_back();  // a line for one more is no longer
  EXPECT_EQ(importance_text(columns).find("more"), std::string::npos);
}

TEST(ImportanceJson, has_the_dependence_of_the_columns_that_have_one) {
  const std::vector<PartialDependence> dependence = {
      {.column = "age", .values = {1, 2}, .outputs = {"y"}, .predictions = {{5, 6}}},
      {.column = "c",
       .levels = {"a"},
       .outputs = {"low", "mid", "high"},
       .predictions = {{0.5}, {0.25}, {0.25}}}};
  const nlohmann::ordered_json json =
      importance_json({{"age", 0.5}, {"c", 0.5}, {"z", 0}}, dependence);
  EXPECT_EQ(json.dump(),
            R"([{"column":"age","share":0.5,"dependence":{"values":[1.0,2.0],)"
            R"("prediction":[5.0,6.0]}},{"column":"c","share":0.5,"dependence":{"levels":["a"],)"
            R"("probability":{"low":[0.5],"mid":[0.25],"high":[0.25]}}},)"
            R"({"column":"z","share":0.0}])");
}

TEST(ImportanceSection, has_bars_a_chart_for_each_dependence_and_a_table) {
  const std::vector<PartialDependence> dependence = {
      {.column = "age", .values = {1, 2}, .outputs = {"y"}, .predictions = {{5, 6}}}};
  const std::vector<NamedImportance> models = {
      {"Ada-CVaR", {{"age", 0.9}, {"z", 0.1}}, dependence, "of the predicted 'y'"},
      {"Mean", {{"z", 0.6}, {"age", 0.4}}, {}, "of the predicted 'y'"}};
  const PageSection section = importance_section(models);
  const auto& bars = std::get<BarChart>(std::get<PageFigure>(section.items.at(1)).views[0].chart);
  EXPECT_EQ(bars.groups, (std::vector<std::string>{"age", "z"}));
  EXPECT_EQ(bars.series.at(1).values, (std::vector<double>{40, 60}));
  const auto& line = std::get<LineChart>(std::get<PageFigure>(section.items.at(3)).views[0].chart);
  EXPECT_EQ(line.y_label, "mean of the predicted 'y'");
  ASSERT_EQ(line.series.size(), 1U);  // the other model has none
  EXPECT_EQ(line.series[0].y, (std::vector<double>{5, 6}));
  EXPECT_EQ(std::get<PageTable>(section.items.back()).rows.size(), 2U);
}

}  // namespace
}  // namespace adacvar
