#include "report/coefficient_report.hpp"

#include "report/text_table.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

ColumnCoefficients number(std::string name, std::vector<double> values, double share) {
  return {.column = std::move(name), .share = share, .fill = 41, .terms = {{.values = values}}};
}

ScaledCoefficients claims() {
  ColumnCoefficients region{.column = "region", .categorical = true, .share = 0.25};
  region.terms = {{.kind = TermKind::level, .level = "north", .values = {300}},
                  {.kind = TermKind::level, .level = "south", .values = {-120.5}},
                  {.kind = TermKind::missing, .values = {7}},
                  {.kind = TermKind::other, .values = {-33}}};
  return {{.outputs = {}, .intercepts = {1000}, .columns = {number("age", {-20}, 0.75), region}},
          "the predicted 'cost'"};
}

void expect_narrow(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80U) << line;
}

TEST(CoefficientReport, text_has_levels_below_their_column) {
  EXPECT_EQ(coefficients_text(claims()),
            "coefficients: change of the predicted 'cost' per unit of a column\n"
            "column       coefficient   share\n"
            "intercept           1000\n"
            "age                  -20  75.0 %\n"
            "region                    25.0 %\n"
            "  north              300\n"
            "  south           -120.5\n"
            "  (missing)            7\n"
            "share: standard deviation of a column's part of the prediction over the training\n"
            "  rows, as a share of their sum\n"
            "categories: against the average of the training rows\n");
}

TEST(CoefficientReport, json_has_all) {
  EXPECT_EQ(coefficients_json(claims().coefficients).dump(),
            R"({"intercept":1000.0,"columns":[)"
            R"({"column":"age","share":0.75,"coefficient":-20.0,"missing_counts_as":41.0},)"
            R"({"column":"region","share":0.25,"levels":[{"level":"north","coefficient":300.0},)"
            R"({"level":"south","coefficient":-120.5}],"missing":7.0,"other":-33.0}]})");
}

TEST(CoefficientReport, classes_that_do_not_fit_are_left_out) {
  Coefficients all;
  std::vector<double> values;
  for (int c = 0; c < 30; ++c) {
    all.outputs.push_back("class " + std::to_string(c));
    values.push_back(-0.123456 * c);
  }
  all.intercepts = values;
  for (int c = 0; c < 12; ++c) {
    all.columns.push_back(number(std::string(70, 'x') + std::to_string(c), values, 1.0 / 12));
  }
  const std::string text = coefficients_text({all, "the score of each class"});
  expect_narrow(text);
  EXPECT_NE(text.find("... 2 more columns;"), std::string::npos) << text;
  EXPECT_NE(text.find(" of 30 classes;"), std::string::npos) << text;
  EXPECT_EQ(coefficients_json(all)["columns"][0]["coefficient"].size(), 30U);
}

TEST(CoefficientReport, page_has_a_column_for_each_model) {
  ScaledCoefficients other = claims();
  std::swap(other.coefficients.columns[0], other.coefficients.columns[1]);
  other.coefficients.columns[1].terms[0].values = {-19};
  const std::vector<NamedCoefficients> models = {{"One", claims()}, {"Two", other}};
  const PageSection section = coefficients_section(models);
  const auto& table = std::get<PageTable>(section.items.at(1));
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"column", "level", "One", "Two", "share of One"}));
  ASSERT_EQ(table.rows.size(), 6U);  // intercept, age, two levels, (missing), (other)
  EXPECT_EQ(table.rows[0][0].text, "(intercept)");
  EXPECT_EQ(table.rows[1][2].value, -20);
  EXPECT_EQ(table.rows[1][3].value, -19);
  EXPECT_EQ(table.rows[5][1].text, "(other)");
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST(CoefficientReport, long_tables_of_the_page_are_cut) {
  ScaledCoefficients many = claims();
  for (int c = 0; c < 2000; ++c) {
    many.coefficients.columns.push_back(number("c" + std::to_string(c), {1}, 0));
  }
  const std::vector<NamedCoefficients> models = {{"One", many}};
  const PageSection section = coefficients_section(models);
  const auto& table = std::get<PageTable>(section.items.at(1));
  EXPECT_EQ(table.rows.size(), 1001U);
  EXPECT_NE(table.caption.find("the first 1,000 of 2,005"), std::string::npos) << table.caption;
}

TEST(CoefficientReport, scale_follows_the_loss) {
  EXPECT_EQ(coefficient_scale("squared", "cost", {}), "the predicted 'cost'");
  EXPECT_EQ(coefficient_scale("logistic", "k", {"no", "yes"}),
            "the log-odds of 'yes' against 'no'");
  EXPECT_EQ(coefficient_scale("hinge", "k", {"no", "yes"}), "the score, positive for 'yes'");
  EXPECT_EQ(coefficient_scale("softmax", "k", {"a", "b", "c"}), "the score of each class");
}

}  // namespace
}  // namespace adacvar
