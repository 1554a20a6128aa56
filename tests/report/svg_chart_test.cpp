#include "report/svg_chart.hpp"

#include "report/markup_text.hpp"
#include "support/count_of.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

namespace adacvar {
namespace {

using support::count_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double width_of(const std::string& drawing) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(drawing, found, std::regex("viewBox=\"0 0 ([0-9.]+) ")));
  return std::stod(found[1]);
}

// Every tag that opens closes, in order; no attribute has a NaN in it.
void expect_well_formed(const std::string& drawing) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)((?:[^<>\"]|\"[^\"<]*\")*?)(/?)>");
  for (std::sregex_iterator i(drawing.begin(), drawing.end(), tag), end; i != end; ++i) {
    const std::smatch& found = *i;
    if (found[1].length() > 0) {
      ASSERT_FALSE(open.empty()) << drawing;
      EXPECT_EQ(open.back(), found[2].str());
      open.pop_back();
    } else if (found[4].length() == 0) {
      open.push_back(found[2]);
    }
    EXPECT_EQ(found[3].str().find("nan"), std::string::npos) << found[0];
    EXPECT_EQ(found[3].str().find("inf"), std::string::npos) << found[0];
  }
  EXPECT_TRUE(open.empty());
  EXPECT_TRUE(drawing.starts_with("<svg ")) << drawing.substr(0, 40);
  EXPECT_TRUE(drawing.ends_with("</svg>\n"));
}

BarChart small_bars() {
  return {
      .title = "Scores",
      .y_label = "score",
      .groups = {"first", "second"},
      .series = {{.name = "one", .values = {1, 2}, .errors = {0.1, 0.2}, .marked = {true, false}},
                 {.name = "two", .values = {3, kNan}}}};
}

TEST(BarChartSvg, has_a_bar_for_every_value_that_is_there) {
  const std::string drawing = svg(small_bars());
  expect_well_formed(drawing);
  // Two bars and the sign in the legend; of the other series one bar.
  EXPECT_EQ(count_of(drawing, "<rect class=\"f0\""), 3U);
  EXPECT_EQ(count_of(drawing, "<rect class=\"f1\""), 2U);
  EXPECT_EQ(count_of(drawing, "class=\"star\""), 2U);  // one is the legend's
  EXPECT_EQ(count_of(drawing, "class=\"ink\""), 6U);
  EXPECT_NE(drawing.find("<title>first, one: 1</title>"), std::string::npos);
  EXPECT_NE(drawing.find("prefers-color-scheme:dark)"), std::string::npos);
}

TEST(BarChartSvg, grows_with_its_groups_so_that_bars_stay_wide_enough) {
  BarChart chart{.title = "many", .y_label = "y", .groups = {}, .series = {}};
  for (int g = 0; g < 14; ++g) chart.groups.push_back("data set " + std::to_string(g));
  for (int s = 0; s < 5; ++s) {
    chart.series.push_back({.name = "series", .values = std::vector<double>(14, 1.0 + s)});
  }
  const std::string drawing = svg(chart);
  expect_well_formed(drawing);
  EXPECT_GT(width_of(drawing), 14 * 5 * 11);
  EXPECT_EQ(count_of(drawing, "rotate(-35"), 14U);
  EXPECT_EQ(width_of(svg(small_bars())), 760);
}

TEST(BarChartSvg, its_words_have_the_numbers_and_the_marks) {
  EXPECT_EQ(text_alternative(small_bars()),
            "Bars of score. one: first 1 (best), second 2. two: first 3.");
}

TEST(Svg, text_from_data_is_escaped) {
  const std::string evil = "</title></svg><script>alert('x')</script>&\x01\xff\"";
  const BarChart bars{.title = evil,
                      .y_label = evil,
                      .groups = {evil},
                      .series = {{evil, {1}}},
                      .mark_label = evil};
  const LineChart lines{.title = evil,
                        .x_label = evil,
                        .y_label = evil,
                        .series = {{evil, {1}, {1}}},
                        .marks = {{evil, 1}}};
  const ScatterChart points{
      .title = evil, .x_label = evil, .y_label = evil, .series = {{evil, {1}, {1}}}};
  const HistogramChart histogram{.title = evil,
                                 .x_label = evil,
                                 .y_label = evil,
                                 .series = {{evil, {0, 1}, {1}, {{evil, 0.5}}}}};
  for (const Chart& chart : {Chart(bars), Chart(lines), Chart(points), Chart(histogram)}) {
    const std::string drawing = svg(chart);
    expect_well_formed(drawing);
    EXPECT_EQ(drawing.find("<script"), std::string::npos);
    EXPECT_EQ(count_of(drawing, "</svg>"), 1U);
  }
  EXPECT_EQ(markup_text(evil),
            "&lt;/title&gt;&lt;/svg&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/"
            "script&gt;&amp;\\x01\xc3\xbf&quot;");
}

TEST(Svg, nothing_to_show_says_so) {
  for (const Chart& chart :
       {Chart(BarChart{.title = "", .y_label = "", .groups = {}, .series = {}}),
        Chart(BarChart{.title = "", .y_label = "", .groups = {"g"}, .series = {{"s", {kNan}}}}),
        Chart(LineChart{
            .title = "", .x_label = "", .y_label = "", .series = {{"s", {1, 2}, {kNan}}}}),
        Chart(ScatterChart{.title = "",
        .x_label = "",
        .y_label = "",
        .series = {{"s", {-1}, {1}}},
        .log_x = true}),
        Chart(HistogramChart{.title = "", .x_label = "", .y_label = "", .series = {}})}) {
    const std::string drawing = svg(chart);
    expect_well_formed(drawing);
    EXPECT_NE(drawing.find("no values"), std::string::npos);
  }
}

TEST(LineChartSvg, a_value_that_is_not_there_breaks_the_line) {
  const LineChart chart{.title = "t",
                        .x_label = "x",
                        .y_label = "y",
                        .series = {{"s", {1, 2, 3, 4, 5}, {1, 2, kNan, 2, 1}}}};
  const std::string drawing = svg(chart);
  expect_well_formed(drawing);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(drawing, found, std::regex("class=\"line s0 d0\" d=\"([^\"]+)\"")));
  EXPECT_EQ(count_of(found[1], "M"), 2U);
  EXPECT_EQ(count_of(found[1], "L"), 2U);
  EXPECT_EQ(text_alternative(chart),
            "Lines of y over x. s: 4 points, from 1 at 1 to 1 at 5, between 1 and 2.");
}

TEST(LineChartSvg, a_value_alone_is_a_point) {
  const std::string drawing = svg(LineChart{
      .title = "t", .x_label = "x", .y_label = "y", .series = {{"s", {1, 2, 3}, {1, kNan, 2}}}});
  EXPECT_EQ(count_of(drawing, "<path class=\"f0\""), 2U);
}

TEST(ScatterChartSvg, series_differ_by_shape_and_single_points_are_named) {
  const std::string drawing =
      svg(ScatterChart{.title = "t",
                       .x_label = "x",
                       .y_label = "y",
                       .series = {{"lonely", {1}, {1}}, {"pair", {1, 2}, {2, 3}}},
                       .diagonal = true,
                       .shares = true});
  expect_well_formed(drawing);
  EXPECT_EQ(count_of(drawing, ">lonely<"), 2U);  // legend and label
  EXPECT_EQ(count_of(drawing, ">pair<"), 1U);
  EXPECT_EQ(count_of(drawing, "class=\"ink d2\""), 1U);
}

TEST(HistogramChartSvg, has_a_panel_for_every_series_with_its_marks) {
  HistogramChart chart{.title = "Losses", .x_label = "loss", .y_label = "rows", .series = {}};
  for (const std::string name : {"a", "b"}) {
    chart.series.push_back(
        {name, {0, 1, 2, 4}, {5, 3, 1}, {{"mean", 1.2}, {"CVaR", 3}, {"off", kNan}}});
  }
  const std::string drawing = svg(chart);
  expect_well_formed(drawing);
  EXPECT_EQ(count_of(drawing, "f0 area"), 3U);
  EXPECT_EQ(count_of(drawing, "ink mark"), 4U);
  EXPECT_EQ(count_of(drawing, ">mean 1.2<"), 2U);
  EXPECT_EQ(
      text_alternative(chart),
      "Histograms of loss. a: from 0 to 4; mean 1.2, CVaR 3. b: from 0 to 4; mean 1.2, CVaR 3.");
}

TEST(Shorten, cuts_between_characters) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab\xe2\x80\xa6");
  EXPECT_EQ(shorten("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3), "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
}

TEST(ScatterChartSvg, shares_beside_a_diagonal_are_drawn_from_0_to_1) {
  const std::string drawing = svg(ScatterChart{.title = "t",
                                               .x_label = "x",
                                               .y_label = "y",
                                               .series = {{"s", {0.5, 0.75}, {0.5, 1}}},
                                               .diagonal = true,
                                               .shares = true});
  EXPECT_EQ(count_of(drawing, ">0.0<"), 2U);
  EXPECT_EQ(count_of(drawing, ">1.0<"), 2U);
  EXPECT_EQ(count_of(drawing, ">1.2<"), 0U);
}

TEST(ScatterChartSvg, many_points_are_dots_and_a_diagonal_ends_with_the_axes) {
  XySeries cloud{.name = "rows", .x = {}, .y = {}};
  for (int i = 0; i < 150; ++i) {
    cloud.x.push_back(1000 + i);
    cloud.y.push_back(i % 2 == 0 ? 900 : 1300);
  }
  const ScatterChart chart{.title = "t",
                           .x_label = "predicted",
                           .y_label = "actual",
                           .series = {cloud, {"worst", {1010, 1020}, {1300, 900}}},
                           .diagonal = true};
  const std::string drawing = svg(chart);
  expect_well_formed(drawing);
  EXPECT_EQ(count_of(drawing, "f0 dot"), 150U);
  EXPECT_EQ(count_of(drawing, "<path class=\"f1\""), 3U);  // and the legend
  EXPECT_EQ(count_of(drawing, "class=\"ink d2\""), 1U);
  EXPECT_EQ(text_alternative(chart),
            "Points: actual at predicted. rows: 150 points, x between 1000 and 1149, y "
            "between 900 and 1300. worst: 2 points, from 1300 at 1010 to 900 at 1020, between 900 and 1300.");
}

TEST(TextAlternative, of_a_histogram_has_the_ranges_of_values_and_bins) {
  HistogramChart chart{.title = "t",
                       .x_label = "loss",
                       .y_label = "rows",
                       .series = {{.name = "a",
                                   .edges = {0, 1, 2},
                                   .heights = {1, 1},
                                   .marks = {{"mean", 1}},
                                   .least = 0.25,
                                   .most = 50}}};
  EXPECT_EQ(text_alternative(chart),
            "Histograms of loss. a: from 0.25 to 50, drawn from 0 to 2: the last bin counts all "
            "values beyond; mean 1.");
  chart.series[0].least = -1;
  EXPECT_EQ(text_alternative(chart),
            "Histograms of loss. a: from -1 to 50, drawn from 0 to 2: the first and last bins "
            "count all values beyond; mean 1.");
  chart.series[0].least = 0.5;
  chart.series[0].most = 1.5;
  EXPECT_EQ(text_alternative(chart), "Histograms of loss. a: from 0.5 to 1.5; mean 1.");
}

}  // namespace
}  // namespace adacvar
