#include "report/svg_chart.hpp"

#include "report/markup_text.hpp"
#include "report/svg_canvas.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

constexpr double kWidth = 760;
constexpr double kPlotHeight = 300;
constexpr double kRight = 24;
constexpr double kLabelRow = 22;  // height of the y axis label, above the plot

double at_or_nan(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
}

template <class Series>
std::vector<std::string> names_of(const std::vector<Series>& series) {
  std::vector<std::string> names;
  names.reserve(series.size());
  for (const Series& one : series) names.push_back(one.name);
  return names;
}

// Space for the tick labels.
double left_margin(const ChartAxis& axis) {
  double widest = 0;
  for (const double tick : axis.ticks()) widest = std::max(widest, label_width(axis.text(tick)));
  return std::max(48.0, widest + 22);
}

void draw_no_values(SvgCanvas& canvas, const Box& plot) {
  canvas.text({plot.left + plot.width / 2, plot.top + plot.height / 2}, "no values",
              Anchor::middle);
}

// --- bars

struct ErrorBar {
  double low = 0;
  double high = 0;
};

ErrorBar error_bar(const BarSeries& series, std::size_t group) {
  const auto length = [&](const std::vector<double>& lengths) {
    const double value = at_or_nan(lengths, group);
    return std::isfinite(value) ? std::abs(value) : 0.0;
  };
  const double value = series.values[group];
  const double below = length(series.errors_below.empty() ? series.errors : series.errors_below);
  return {value - below, value + length(series.errors)};
}

bool is_marked(const BarSeries& series, std::size_t group) {
  return group < series.marked.size() && series.marked[group];
}

ValueRange range_of(const BarChart& chart) {
  ValueRange range{.log = chart.log_y};
  for (const BarSeries& series : chart.series) {
    const std::size_t count = std::min(series.values.size(), chart.groups.size());
    for (std::size_t g = 0; g < count; ++g) {
      if (!range.can_show(series.values[g])) continue;
      range.add(series.values[g]);
      range.add(error_bar(series, g).low);
      range.add(error_bar(series, g).high);
    }
  }
  if (!chart.log_y && !range.empty) range.add(0.0);
  return range;
}

/// Positions of the bars.
struct BarLayout {
  double bar = 0;
  double group = 0;
  bool slanted = false;  // group names
  double label_height = 0;
};

constexpr std::size_t kGroupName = 24;  // characters that are shown

BarLayout bar_layout(const BarChart& chart, double room) {
  const auto groups = static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
  const auto series = static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  BarLayout layout;
  layout.bar = std::clamp(room / groups * 0.8 / series, 11.0, 48.0);
  layout.group = std::max(layout.bar * series + std::max(14.0, layout.bar), room / groups);
  double widest = 0;
  for (const std::string& name : chart.groups) {
    widest = std::max(widest, label_width(shorten(name, kGroupName)));
  }
  layout.slanted = widest > layout.group - 4;
  layout.label_height = layout.slanted ? 24 + 0.6 * widest : 30;
  return layout;
}

void draw_bar(SvgCanvas& canvas, const BarChart& chart, std::size_t s, std::size_t g,
              const Box& slot, const ChartAxis& axis) {
  const BarSeries& series = chart.series[s];
  const double value = at_or_nan(series.values, g);
  if (!axis.can_show(value)) return;
  const auto y = [&](double v) {
    const double end = chart.log_y ? std::max(v, axis.low()) : v;
    return slot.bottom() - axis.position(end) * slot.height;
  };
  const double base = chart.log_y ? slot.bottom() : y(0);
  const double top = std::min(y(value), base);
  canvas.rectangle({slot.left, top, slot.width - 1, std::max(std::abs(y(value) - base), 0.5)},
                   fill_class(s),
                   fmt::format("{}, {}: {}", chart.groups[g], series.name, number_text(value)));
  const ErrorBar error = error_bar(series, g);
  const double middle = slot.left + (slot.width - 1) / 2;
  if (error.low < error.high) {
    const double cap = std::min(4.0, slot.width / 3);
    canvas.line({middle, y(error.low)}, {middle, y(error.high)}, "ink");
    for (const double end : {error.low, error.high}) {
      canvas.line({middle - cap, y(end)}, {middle + cap, y(end)}, "ink");
    }
  }
  if (is_marked(series, g)) canvas.star({middle, std::min(top, y(error.high)) - 9});
}

void draw_group_name(SvgCanvas& canvas, const std::string& name, const Box& slot,
                     const BarLayout& layout) {
  const std::string words = shorten(name, kGroupName);
  const double middle = slot.left + slot.width / 2;
  if (layout.slanted) {
    canvas.text({middle + 4, slot.bottom() + 16}, words, Anchor::end, "small", -35);
  } else {
    canvas.text({middle, slot.bottom() + 19}, words, Anchor::middle);
  }
}

// --- lines and points

// Only points with both coordinates count.
ValueRange range_of(const std::vector<XySeries>& list, std::vector<double> XySeries::*member,
                    bool log) {
  ValueRange range{.log = log};
  for (const XySeries& series : list) {
    const std::size_t count = std::min(series.x.size(), series.y.size());
    for (std::size_t i = 0; i < count; ++i) range.add((series.*member)[i]);
  }
  return range;
}

/// A plot with two numeric axes.
struct XyPlot {
  Box box;
  ChartAxis x;
  ChartAxis y;

  [[nodiscard]] bool can_show(double at_x, double at_y) const {
    return x.can_show(at_x) && y.can_show(at_y);
  }
  [[nodiscard]] Point point(double at_x, double at_y) const {
    return {box.left + x.position(at_x) * box.width, box.bottom() - y.position(at_y) * box.height};
  }
};

std::string line_path(const XySeries& series, const XyPlot& plot) {
  std::string data;
  bool pen_down = false;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    const bool there = plot.can_show(series.x[i], series.y[i]);
    if (there) data += path_step(pen_down ? 'L' : 'M', plot.point(series.x[i], series.y[i]));
    pen_down = there;
  }
  return data;
}

// A point between two omitted ones has no line, so it is drawn as a marker.
void draw_isolated_points(SvgCanvas& canvas, const XySeries& series, std::size_t n,
                          const XyPlot& plot) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto has_point = [&](std::size_t i) {
    return i < count && plot.can_show(series.x[i], series.y[i]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (has_point(i) && !has_point(i + 1) && (i == 0 || !has_point(i - 1))) {
      canvas.shape(plot.point(series.x[i], series.y[i]), n);
    }
  }
}

// Names of several marks are stacked.
void draw_mark(SvgCanvas& canvas, const ChartMark& mark, std::size_t line, const XyPlot& plot) {
  if (!plot.x.can_show(mark.x) || mark.x < plot.x.low() || mark.x > plot.x.high()) return;
  const double place = plot.x.position(mark.x);
  const double x = plot.box.left + place * plot.box.width;
  canvas.line({x, plot.box.top}, {x, plot.box.bottom()}, "ink d2");
  const bool left = place > 0.7;
  canvas.text({left ? x - 5 : x + 5, plot.box.top + 12 + 15 * static_cast<double>(line)}, mark.name,
              left ? Anchor::end : Anchor::start);
}

// Adds space around points, so that none lies on the frame.
ValueRange with_margin(ValueRange range) {
  if (range.empty || range.low == range.high) return range;
  const double share = 0.06;
  if (range.log) {
    const double factor = std::exp(share * (std::log(range.high) - std::log(range.low)));
    range.low /= factor;
    range.high *= factor;
  } else {
    const double margin = share * (range.high - range.low);
    range.low -= range.low >= 0 ? std::min(margin, range.low) : margin;
    range.high += margin;
  }
  return range;
}

// Shares are shown from 0 to 1.
void widen_to_shares(ValueRange& range) {
  range.add(0.0);
  range.add(1.0);
}

// The x axis of points ends at round numbers, that of lines where they end.
template <class XyChart>
XyPlot begin_xy_plot(SvgCanvas& canvas, const XyChart& chart, bool points, bool shares = false) {
  const bool has_lines = std::ranges::any_of(chart.series, &XySeries::is_joined);
  ValueRange x = range_of(chart.series, &XySeries::x, chart.log_x);
  ValueRange y = range_of(chart.series, &XySeries::y, chart.log_y);
  const bool margin = points && !shares;
  if (shares && !x.empty && !y.empty) {
    widen_to_shares(x);
    widen_to_shares(y);
  }
  XyPlot plot{.box = {},
              .x = {margin ? with_margin(x) : x, points && !has_lines},
              .y = {margin ? with_margin(y) : y, true}};
  canvas.skip(kLabelRow);
  const double left = left_margin(plot.y);
  plot.box = {left, canvas.top(), kWidth - left - kRight, kPlotHeight};
  canvas.y_axis(plot.box, plot.y, chart.y_label);
  canvas.x_axis(plot.box, plot.x, chart.x_label);
  if (x.empty || y.empty) draw_no_values(canvas, plot.box);
  return plot;
}

// The part of x = y that lies within both axes.
void draw_diagonal(SvgCanvas& canvas, const XyPlot& plot) {
  const double low = std::max(plot.x.low(), plot.y.low());
  const double high = std::min(plot.x.high(), plot.y.high());
  if (low < high) canvas.line(plot.point(low, low), plot.point(high, high), "ink d2");
}

struct NamedPoint {
  std::string name;
  Point at;
};

bool are_apart(const Box& one, const Box& other) {
  return one.right() < other.left || other.right() < one.left || one.bottom() < other.top ||
         other.bottom() < one.top;
}

// Right of the point, above to its right, left, above or below it, where there is space.
void draw_point_name(SvgCanvas& canvas, const NamedPoint& point, const Box& plot,
                     std::vector<Box>& taken) {
  const std::string words = shorten(point.name, 30);
  const double width = label_width(words);
  const auto [x, y] = point.at;
  const auto box = [&](double left, double top) { return Box{left, top, width, 15}; };
  const std::array places = {box(x + 11, y - 8),         box(x + 9, y - 23),
                             box(x - 11 - width, y - 8), box(x - width / 2, y - 26),
                             box(x - width / 2, y + 10), box(x - width / 2, y - 42),
                             box(x - width / 2, y + 26)};
  const Box* const found = std::ranges::find_if(places, [&](const Box& place) {
    return place.left >= plot.left && place.right() <= plot.right() &&
           std::ranges::all_of(taken, [&](const Box& other) { return are_apart(place, other); });
  });
  if (found == places.end()) return;  // the legend has it
  taken.push_back(*found);
  canvas.text({found->left, found->top + 12}, words);
}

std::string tooltip_of(const XySeries& series, std::size_t i) {
  if (i < series.details.size()) return series.details[i];
  return fmt::format("{}: {}, {}", series.name, number_text(series.x[i]), number_text(series.y[i]));
}

// Points of a line are small; the others are named, if they have names or are alone.
void draw_points(SvgCanvas& canvas, const XySeries& series, std::size_t n, const XyPlot& plot,
                 std::vector<NamedPoint>& named, std::vector<Box>& taken) {
  if (series.is_joined) canvas.path(line_path(series, plot), "line " + stroke_class(n));
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!plot.can_show(series.x[i], series.y[i])) continue;
    const Point at = plot.point(series.x[i], series.y[i]);
    if (series.is_joined) {
      const Box dot{at.x - 2, at.y - 2, 4, 4};
      canvas.rectangle(dot, fill_class(n), tooltip_of(series, i));
      taken.push_back(dot);
      continue;
    }
    if (count > kManyPoints) {
      canvas.dot(at, n);
      continue;
    }
    canvas.shape(at, n, tooltip_of(series, i));
    taken.push_back({at.x - 8, at.y - 8, 16, 16});
    if (i < series.names.size()) {
      named.push_back({series.names[i], at});
    } else if (count == 1) {
      named.push_back({series.name, at});
    }
  }
}

// --- histograms

ValueRange x_range(const HistogramChart& chart) {
  ValueRange range{.log = chart.log_x};
  for (const HistogramSeries& series : chart.series) {
    range.add(series.edges);
    for (const ChartMark& mark : series.marks) range.add(mark.x);
  }
  return range;
}

ValueRange y_range(const HistogramChart& chart) {
  ValueRange range{.log = chart.log_y};
  for (const HistogramSeries& series : chart.series) range.add(series.heights);
  if (!chart.log_y) range.add(0.0);
  return range;
}

void draw_steps(SvgCanvas& canvas, const HistogramSeries& series, std::size_t n,
                const XyPlot& plot) {
  for (std::size_t i = 0; i < series.heights.size() && i + 1 < series.edges.size(); ++i) {
    if (!plot.can_show(series.edges[i], series.heights[i]) || !plot.x.can_show(series.edges[i + 1]))
      continue;
    const Point from = plot.point(series.edges[i], series.heights[i]);
    const Point to = plot.point(series.edges[i + 1], series.heights[i]);
    if (plot.box.bottom() - from.y < 0.05) continue;
    canvas.rectangle({from.x, from.y, std::max(to.x - from.x, 0.3), plot.box.bottom() - from.y},
                     fill_class(n) + " area");
  }
}

// Names of marks are in a line above the panel; overlapping names are shifted right.
void draw_panel_marks(SvgCanvas& canvas, const HistogramSeries& series, const XyPlot& plot) {
  struct Mark {
    double x;
    std::string words;
    std::size_t number;  // selects the dash pattern, the same in every panel
  };
  std::vector<Mark> marks;
  for (const ChartMark& mark : series.marks) {
    if (!plot.x.can_show(mark.x)) continue;
    marks.push_back({mark.x, fmt::format("{} {}", mark.name, number_text(mark.x)), marks.size()});
  }
  std::ranges::sort(marks, {}, &Mark::x);
  // The name is bold, so wider.
  double free_from = plot.box.left + 1.2 * label_width(shorten(series.name, 24)) + 14;
  double rest = 0;  // width of the remaining names
  for (const Mark& mark : marks) rest += label_width(mark.words) + 14;
  for (const Mark& mark : marks) {
    const double x = plot.point(mark.x, plot.y.high()).x;
    const double width = label_width(mark.words);
    const double start = std::max(free_from, std::min(x - width / 2, plot.box.right() + 14 - rest));
    canvas.line({x, plot.box.top}, {x, plot.box.bottom()},
                fmt::format("ink mark d{}", mark.number % 3));
    canvas.line({x, plot.box.top}, {start + width / 2, plot.box.top - 5}, "axis");
    canvas.text({start, plot.box.top - 8}, mark.words);
    free_from = start + width + 14;
    rest -= width + 14;
  }
}

}  // namespace

std::string svg(const BarChart& chart) {
  const ValueRange range = range_of(chart);
  const ChartAxis axis(range, true);
  const double left = left_margin(axis);
  const BarLayout layout = bar_layout(chart, kWidth - left - kRight);
  const double plot_width =
      std::max(kWidth - left - kRight, layout.group * static_cast<double>(chart.groups.size()));
  SvgCanvas canvas(left + plot_width + kRight);
  const bool stars = std::ranges::any_of(chart.series, [](const BarSeries& series) {
    return std::ranges::find(series.marked, true) != series.marked.end();
  });
  canvas.title(chart.title);
  canvas.legend(names_of(chart.series), Swatch::bar, stars ? chart.mark_label : "");
  canvas.skip(kLabelRow + (stars ? 12 : 0));
  const Box plot{left, canvas.top(), plot_width, kPlotHeight};
  canvas.y_axis({plot.left, plot.top, plot.width, plot.height}, axis, "");
  canvas.text({plot.left, plot.top - (stars ? 22 : 10)}, chart.y_label);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const Box slot{plot.left + static_cast<double>(g) * layout.group, plot.top, layout.group,
                   plot.height};
    draw_group_name(canvas, chart.groups[g], slot, layout);
    const double begin =
        slot.left + (slot.width - layout.bar * static_cast<double>(chart.series.size())) / 2;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      draw_bar(canvas, chart, s, g,
               {begin + static_cast<double>(s) * layout.bar, plot.top, layout.bar, plot.height},
               axis);
    }
  }
  const double base = chart.log_y ? 0 : axis.position(0);
  const double y = plot.bottom() - base * plot.height;
  canvas.line({plot.left, y}, {plot.right(), y}, "axis");
  if (range.empty) draw_no_values(canvas, plot);
  return canvas.element(plot.bottom() + layout.label_height, chart.title, text_alternative(chart));
}

std::string svg(const LineChart& chart) {
  SvgCanvas canvas(kWidth);
  canvas.title(chart.title);
  canvas.legend(names_of(chart.series), Swatch::line);
  const XyPlot plot = begin_xy_plot(canvas, chart, false);
  for (std::size_t i = 0; i < chart.marks.size(); ++i) draw_mark(canvas, chart.marks[i], i, plot);
  for (std::size_t n = 0; n < chart.series.size(); ++n) {
    canvas.path(line_path(chart.series[n], plot), "line " + stroke_class(n));
    draw_isolated_points(canvas, chart.series[n], n, plot);
  }
  return canvas.element(plot.box.bottom() + 50, chart.title, text_alternative(chart));
}

std::string svg(const ScatterChart& chart) {
  SvgCanvas canvas(kWidth);
  canvas.title(chart.title);
  canvas.legend(names_of(chart.series), Swatch::shape);
  const XyPlot plot = begin_xy_plot(canvas, chart, true, chart.shares);
  if (chart.diagonal) draw_diagonal(canvas, plot);
  std::vector<NamedPoint> named;
  std::vector<Box> taken;
  for (std::size_t n = 0; n < chart.series.size(); ++n) {
    draw_points(canvas, chart.series[n], n, plot, named, taken);
  }
  for (const NamedPoint& point : named) draw_point_name(canvas, point, plot.box, taken);
  return canvas.element(plot.box.bottom() + 50, chart.title, text_alternative(chart));
}

std::string svg(const HistogramChart& chart) {
  SvgCanvas canvas(kWidth);
  canvas.title(chart.title);
  const ChartAxis x(x_range(chart), false);
  const ChartAxis y(y_range(chart), true);
  const double left = left_margin(y);
  const double height = chart.series.size() > 1 ? 100 : 240;
  canvas.text({left, canvas.top() + 10}, chart.y_label);
  canvas.skip(18);
  Box box{left, canvas.top(), kWidth - left - kRight, 0};
  for (std::size_t n = 0; n < chart.series.size(); ++n) {
    box = {left, canvas.top() + 26, box.width, height};
    const XyPlot plot{.box = box, .x = x, .y = y};
    canvas.text({left, box.top - 8}, shorten(chart.series[n].name, 24), Anchor::start, "name");
    canvas.y_axis(box, y, "");
    draw_steps(canvas, chart.series[n], n, plot);
    draw_panel_marks(canvas, chart.series[n], plot);
    const bool last = n + 1 == chart.series.size();
    canvas.x_ticks(box, x, last);
    canvas.skip(height + (last ? 26 : 44));
  }
  canvas.text({left + box.width / 2, box.bottom() + 38}, chart.x_label, Anchor::middle);
  if (x_range(chart).empty) draw_no_values(canvas, {left, canvas.top(), box.width, 40});
  return canvas.element(box.bottom() + 50, chart.title, text_alternative(chart));
}

std::string svg(const Chart& chart) {
  return std::visit([](const auto& one) { return svg(one); }, chart);
}

}  // namespace adacvar
