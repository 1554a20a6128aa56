#include "report/predicted_figure.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace adacvar {

namespace {

constexpr std::size_t kMostPoints = 1000;  // a page has about 100 bytes for each
constexpr std::size_t kMostWorst = 20;

// Evenly spaced rows if there are many.
XySeries sampled_points(const PartDetail& detail) {
  const std::size_t rows = detail.targets.size();
  const std::size_t count = std::min(rows, kMostPoints);
  XySeries series{.name = "rows", .x = {}, .y = {}};
  for (std::size_t i = 0; i < count; ++i) {
    series.x.push_back(detail.predictions[i * rows / count]);
    series.y.push_back(detail.targets[i * rows / count]);
  }
  return series;
}

XySeries worst_points(const PartDetail& detail) {
  std::vector<std::size_t> rows(detail.losses.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t count = std::min({kMostWorst, detail.worst.size(), rows.size()});
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count),
                            std::ranges::greater(),
                            [&](std::size_t i) { return detail.losses[i]; });
  XySeries series{.name = "largest losses", .x = {}, .y = {}};
  for (const std::size_t i : std::span(rows).first(count)) {
    series.x.push_back(detail.predictions[i]);
    series.y.push_back(detail.targets[i]);
  }
  return series;
}

// A logarithmic view needs positive numbers that differ by a factor.
bool has_log_view(const XySeries& points, std::size_t& not_positive) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  not_positive = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (!(points.x[i] > 0 && points.y[i] > 0)) {
      ++not_positive;
      continue;
    }
    low = std::min({low, points.x[i], points.y[i]});
    high = std::max({high, points.x[i], points.y[i]});
  }
  return high > 20 * low && 10 * not_positive <= points.x.size();
}

}  // namespace

PageFigure predicted_figure(const PartDetail& detail, const std::string& id,
                            const std::string& name, const std::string& rows) {
  ScatterChart chart{
      .title = name.empty() ? "Predicted against actual" : "Predicted against actual: " + name,
      .x_label = "predicted",
      .y_label = "actual",
      .series = {sampled_points(detail)},
      .diagonal = true};
  std::size_t not_positive = 0;
  const bool log_view = has_log_view(chart.series[0], not_positive);
  std::string caption =
      chart.series[0].x.size() < detail.targets.size()
          ? fmt::format("{} of the {} {}, evenly spaced", count_text(chart.series[0].x.size()),
                        count_text(detail.targets.size()), rows)
          : "All " + rows;
  if (!detail.worst.empty()) {
    chart.series.push_back(worst_points(detail));
    caption += fmt::format("; marked: the {} with the largest losses", chart.series[1].x.size());
  }
  caption += ". On the dotted line the prediction is right; above it the target is larger.";
  PageFigure figure{.id = id, .caption = std::move(caption), .views = {{"linear", chart}}};
  if (!log_view) return figure;
  if (not_positive > 0) {
    figure.caption +=
        fmt::format(" The log view leaves out {} of them, with values of at most 0.", not_positive);
  }
  chart.log_x = chart.log_y = true;
  figure.views.push_back({"log", std::move(chart)});
  return figure;
}

}  // namespace adacvar
