#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace adacvar {

/// What a chart shows, without how it is drawn: `svg` (svg_chart.hpp) and the page that
/// `--report` writes draw the same ones. Values that are not finite, or not positive on a
/// logarithmic axis, are left out; lists may be shorter than others beside them.
struct BarSeries {
  std::string name;
  std::vector<double> values;             ///< one per group
  std::vector<double> errors = {};        ///< lengths of the error bars, to both sides
  std::vector<bool> marked = {};          ///< bars that get a star
  std::vector<double> errors_below = {};  ///< where they differ from those above
};

/// Bars side by side in groups. Bars begin at 0, on a logarithmic axis at its end.
struct BarChart {
  std::string title;
  std::string y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  std::string mark_label = "best";  ///< what a star means
  bool log_y = false;
};

struct XySeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

/// A value of x that is pointed out.
struct ChartMark {
  std::string name;
  double x = 0;
};

/// Lines through points in their order; a value that is left out breaks its line.
struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<XySeries> series;
  bool log_x = false;
  bool log_y = false;
  std::vector<ChartMark> marks = {};
};

/// Points, each series by a shape of its own; a series of one point is labelled beside it.
struct ScatterChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<XySeries> series;
  bool log_x = false;
  bool log_y = false;
  bool diagonal = false;  ///< both are shares: draws x = y, over axes from 0 to 1
};

struct HistogramSeries {
  std::string name;
  std::vector<double> edges;    ///< one more than heights, ascending
  std::vector<double> heights;  ///< counts, shares or densities
  std::vector<ChartMark> marks = {};
  std::optional<double> least = {};  ///< of the values, where they are known: the first and the
  std::optional<double> most = {};   ///< last step may count what is beyond the edges
};

/// A panel for every series, below each other, over the same axis.
struct HistogramChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<HistogramSeries> series;
  bool log_x = false;
  bool log_y = false;
};

using Chart = std::variant<BarChart, LineChart, ScatterChart, HistogramChart>;

/// The chart in words, for those who do not see it: what kind it is and its numbers, those of long
/// lines and histograms summed up.
[[nodiscard]] std::string text_alternative(const Chart& chart);

}  // namespace adacvar
