#include "report/predicted_figure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adacvar {
namespace {

PartDetail detail_of(std::size_t rows, double first, double step) {
  PartDetail detail;
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = first + step * static_cast<double>(i);
    detail.predictions.push_back(value);
    detail.targets.push_back(value + 1);
    detail.losses.push_back(i % 7 == 3 ? static_cast<double>(i) : 0);
  }
  return detail;
}

const ScatterChart& chart_of(const PageFigure& figure, std::size_t view = 0) {
  return std::get<ScatterChart>(figure.views.at(view).chart);
}

TEST(PredictedFigure, small_sets_have_all_rows_and_the_worst_marked) {
  PartDetail detail = detail_of(20, -5, 1);
  detail.worst.resize(2);
  const PageFigure figure = predicted_figure(detail, "predicted", "", "test rows");
  ASSERT_EQ(figure.views.size(), 1U);  // negative values: no logarithms
  const ScatterChart& chart = chart_of(figure);
  EXPECT_TRUE(chart.diagonal);
  EXPECT_EQ(chart.series.at(0).x, detail.predictions);
  EXPECT_EQ(chart.series.at(0).y, detail.targets);
  // The largest losses are those of rows 17 and 10.
  EXPECT_EQ(chart.series.at(1).x, (std::vector<double>{12, 5}));
  EXPECT_TRUE(figure.caption.starts_with("All test rows; marked: the 2 with the largest losses."))
      << figure.caption;
}

TEST(PredictedFigure, large_sets_are_sampled_evenly) {
  const PageFigure figure = predicted_figure(detail_of(5000, 0, 1), "predicted", "Mean", "rows");
  const ScatterChart& chart = chart_of(figure);
  ASSERT_EQ(chart.series.size(), 1U);  // no worst rows asked for
  ASSERT_EQ(chart.series[0].x.size(), 1000U);
  EXPECT_EQ(chart.series[0].x[0], 0);
  EXPECT_EQ(chart.series[0].x[1], 5);
  EXPECT_EQ(chart.series[0].x[999], 4995);
  EXPECT_TRUE(figure.caption.starts_with("1,000 of the 5,000 rows, evenly spaced."))
      << figure.caption;
  EXPECT_EQ(chart.title, "Predicted against actual: Mean");
}

TEST(PredictedFigure, positive_numbers_of_many_sizes_have_a_logarithmic_view) {
  EXPECT_EQ(predicted_figure(detail_of(50, 100, 1), "p", "", "rows").views.size(), 1U);
  const PageFigure figure = predicted_figure(detail_of(50, 0, 10), "p", "", "rows");
  ASSERT_EQ(figure.views.size(), 2U);
  EXPECT_EQ(figure.views[1].name, "log");
  EXPECT_TRUE(chart_of(figure, 1).log_x && chart_of(figure, 1).log_y);
  EXPECT_NE(figure.caption.find("leaves out 1 of them"), std::string::npos) << figure.caption;
}

}  // namespace
}  // namespace adacvar
