#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace adacvar {

/// The data of a chart, independent of its rendering: `svg` (svg_chart.hpp) and the HTML report
/// draw the same charts. Values that are not finite, or not positive on a logarithmic axis, are
/// omitted; lists of a series may have different lengths.
struct BarSeries {
  std::string name;
  std::vector<double> values;             ///< one per group
  std::vector<double> errors = {};        ///< lengths of the error bars, on both sides
  std::vector<bool> marked = {};          ///< bars that get a star
  std::vector<double> errors_below = {};  ///< lengths below the value, if they differ
};

/// Grouped bars. Bars start at 0, on a logarithmic axis at its lower end.
struct BarChart {
  std::string title;
  std::string y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  std::string mark_label = "best";  ///< meaning of a star
  bool log_y = false;
};

struct XySeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  // In a scatter chart:
  bool is_joined = false;                 ///< a line with small points
  std::vector<std::string> names = {};    ///< drawn beside the points
  std::vector<std::string> details = {};  ///< shown when pointing at them; `; ` separates lines
};

/// A labelled value on the x axis.
struct ChartMark {
  std::string name;
  double x = 0;
};

/// Lines through points in their order; an omitted value interrupts the line.
struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<XySeries> series;
  bool log_x = false;
  bool log_y = false;
  std::vector<ChartMark> marks = {};
};

/// Points with a different shape per series, small if there are many (kManyPoints); a series of one
/// point is labelled.
struct ScatterChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<XySeries> series;
  bool log_x = false;
  bool log_y = false;
  bool diagonal = false;  ///< draws x = y
  bool shares = false;    ///< both axes are shares from 0 to 1
};

/// A series of points with more is drawn with small markers.
inline constexpr std::size_t kManyPoints = 100;

struct HistogramSeries {
  std::string name;
  std::vector<double> edges;    ///< one more than heights, ascending
  std::vector<double> heights;  ///< counts, shares or densities
  std::vector<ChartMark> marks = {};
  std::optional<double> least = {};  ///< smallest value, if known: the first bin
  std::optional<double> most =
      {};  ///< largest value; the outer bins may count values beyond the edges
};

/// One panel per series, stacked, with a common x axis.
struct HistogramChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<HistogramSeries> series;
  bool log_x = false;
  bool log_y = false;
};

using Chart = std::variant<BarChart, LineChart, ScatterChart, HistogramChart>;

/// Describes the chart in words, as the alternative text of an image: its kind and numbers, with a
/// summary for long lines and histograms.
[[nodiscard]] std::string text_alternative(const Chart& chart);

}  // namespace adacvar
