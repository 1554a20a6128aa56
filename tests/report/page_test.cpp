#include "report/page.hpp"

#include "report/chart_json.hpp"
#include "support/count_of.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace adacvar {
namespace {

using support::count_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::string kEvil = "</script><img src=x onerror=alert(1)>";

PageFigure lines(const std::string& text) {
  LineChart chart{.title = text, .x_label = text, .y_label = text, .series = {{text, {1}, {2}}}};
  return {"lines", text, {{"linear", chart}, {text, chart}}};
}

Page page_of(const std::string& text) {
  return {.title = text,
          .subtitle = text,
          .verdict = text,
          .notes = {text},
          .sections = {{text,
                        {PageText{text}, PageCommand{text}, lines(text),
                         PageTable{text, {text}, {{PageCell{.text = text}}}}}}}};
}

TEST(PageHtml, text_is_escaped_everywhere) {
  const std::string page = html(page_of(kEvil));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"), std::string::npos);
}

TEST(PageHtml, asks_for_nothing_outside_itself) {
  const std::string page = html(page_of("plain"));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_NE(page.find("Chart.js v"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos);
}

TEST(PageHtml, views_can_be_switched_if_there_are_several) {
  Page page{.title = "t", .subtitle = "", .verdict = "", .notes = {}, .sections = {}};
  PageFigure figure = lines("name");
  page.sections.push_back({"both", {figure}});
  EXPECT_EQ(count_of(html(page), "type=\"radio\""), 2U);
  figure.views.pop_back();
  page.sections[0].items = {figure};
  EXPECT_EQ(count_of(html(page), "type=\"radio\""), 0U);
}

TEST(PageHtml, cells_carry_what_they_are_sorted_by) {
  Page page{.title = "t", .subtitle = "", .verdict = "", .notes = {}, .sections = {}};
  page.sections.push_back(
      {"s", {PageTable{"risks", {"name", "n"}, {{{"a"}, number_cell(0.25, true)}}}}});
  const std::string text = html(page);
  EXPECT_NE(text.find("<td>a</td><td class=\"number marked\" data-value=\"0.25\">0.25</td>"),
            std::string::npos);
  EXPECT_NE(text.find("<th scope=\"col\" class=\"number\">"), std::string::npos);
}

TEST(FigureFiles, are_named_after_figure_and_view) {
  const auto files = figure_files(page_of("log 10"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "lines.svg");
  EXPECT_EQ(files[1].name, "lines-log-10.svg");
  EXPECT_TRUE(files[0].svg.starts_with("<svg "));
}

TEST(ChartJson, values_that_cannot_be_shown_are_null) {
  const auto json = nlohmann::json::parse(chart_json(BarChart{
      .title = "t",
      .y_label = "y",
      .groups = {"a", "b"},
      .series = {{.name = "s", .values = {1, kNan}, .errors = {0.5, 1}, .marked = {true}}}}));
  EXPECT_EQ(json["series"][0]["values"].dump(), "[1.0,null]");
  EXPECT_EQ(json["series"][0]["errors"].dump(), "[[0.5,1.5],null]");
}

TEST(ChartJson, has_no_markup_and_at_most_six_digits) {
  const std::string text = chart_json(LineChart{
      .title = "t", .x_label = kEvil, .y_label = "", .series = {{"\xff", {1.0 / 3}, {2}}}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_NE(text.find("\\u003c/script>"), std::string::npos);
  EXPECT_NE(text.find("0.333333]"), std::string::npos) << text;
}

TEST(OriginSection, tells_the_command_and_what_differs_from_the_defaults) {
  const PageSection section = origin_section(
      {.command = "adacvar train x",
       .options = {{"Training", "alpha", "0.05", "0.1"}, {"Training", "seed", "0", "0"}}},
      {{"seed", "0"}});
  ASSERT_EQ(section.items.size(), 4U);
  EXPECT_EQ(std::get<PageCommand>(section.items[1]).text, "adacvar train x");
  const auto& options = std::get<PageTable>(section.items[3]);
  EXPECT_TRUE(options.rows[0][2].marked);
  EXPECT_FALSE(options.rows[1][2].marked);
}

TEST(PageHtml, empty_cells_are_aligned_like_numbers) {
  Page page{.title = "t", .subtitle = "", .verdict = "", .notes = {}, .sections = {}};
  page.sections.push_back(
      {"s", {PageTable{"risks", {"n"}, {{number_cell(0.25)}, {PageCell{.text = "–"}}}}}});
  EXPECT_NE(html(page).find("<td class=\"number\">–</td>"), std::string::npos);
}

TEST(PercentCell, has_digits_that_say_something) {
  EXPECT_EQ(percent_cell(0.0576).text, "5.76 %");
  EXPECT_EQ(percent_cell(8e-9).text, "< 0.001 %");
  EXPECT_EQ(percent_cell(8e-9).value, 8e-9);
  EXPECT_EQ(percent_cell(0.0).text, "0 %");
  EXPECT_EQ(percent_cell(std::nullopt).text, "");
}

TEST(PageHtml, long_names_of_columns_are_told_in_full) {
  Page page{.title = "t", .subtitle = "", .verdict = "", .notes = {}, .sections = {}};
  const std::string name = "a \"long\" name of a column";
  page.sections.push_back({"s", {PageTable{"risks", {name, "short"}, {{{"1"}, {"2"}}}}}});
  const std::string text = html(page);
  EXPECT_EQ(
      count_of(text, "<button type=\"button\" title=\"a &quot;long&quot; name of a column\">"), 1U);
  EXPECT_EQ(count_of(text, "<button type=\"button\"><span>short</span>"), 1U);
}

TEST(OriginSection, has_the_facts_of_both) {
  const PageSection section = origin_section(
      {.command = "c", .options = {}, .facts = {{"folder", "/data"}}}, {{"seed", "7"}});
  const auto& facts = std::get<PageTable>(section.items[2]);
  EXPECT_EQ(facts.rows[0][1].text, "7");
  EXPECT_EQ(facts.rows[1][1].text, "/data");
}

}  // namespace
}  // namespace adacvar
