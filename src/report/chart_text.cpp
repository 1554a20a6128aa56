#include "report/chart.hpp"

#include "base/join.hpp"
#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace adacvar {

namespace {

// `name: a, b, c`, without missing values.
std::string bar_words(const BarChart& chart, const BarSeries& series) {
  std::vector<std::string> words;
  for (std::size_t g = 0; g < std::min(series.values.size(), chart.groups.size()); ++g) {
    if (!std::isfinite(series.values[g])) continue;
    const bool marked = g < series.marked.size() && series.marked[g];
    words.push_back(fmt::format("{} {}{}", chart.groups[g], number_text(series.values[g]),
                                marked ? fmt::format(" ({})", chart.mark_label) : ""));
  }
  return fmt::format("{}: {}.", series.name, join(words, ", "));
}

// First and last point, least and largest value.
std::string line_words(const XySeries& series) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
      points.emplace_back(series.x[i], series.y[i]);
    }
  }
  if (points.empty()) return fmt::format("{}: no values.", series.name);
  if (points.size() == 1) {
    return fmt::format("{}: {} at {}.", series.name, number_text(points[0].second),
                       number_text(points[0].first));
  }
  const auto [least, most] =
      std::ranges::minmax_element(points, {}, &std::pair<double, double>::second);
  return fmt::format("{}: {} points, from {} at {} to {} at {}, between {} and {}.", series.name,
                     points.size(), number_text(points.front().second),
                     number_text(points.front().first), number_text(points.back().second),
                     number_text(points.back().first), number_text(least->second),
                     number_text(most->second));
}

// `marks: knee 3 at 2, end 1 at 5`.
std::string named_words(const XySeries& series) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < series.names.size(); ++i) {
    if (!std::isfinite(series.x.at(i)) || !std::isfinite(series.y.at(i))) continue;
    words.push_back(fmt::format("{} {} at {}", series.names[i], number_text(series.y[i]),
                                number_text(series.x[i])));
  }
  return fmt::format("{}: {}.", series.name, join(words, "; "));
}

// Range of the values, and of the bins if it is smaller.
std::string range_words(const HistogramSeries& series) {
  if (series.edges.empty()) return "no values";
  const double front = series.edges.front();
  const double back = series.edges.back();
  const double least = series.least.value_or(front);
  const double most = series.most.value_or(back);
  std::string text = fmt::format("from {} to {}", number_text(least), number_text(most));
  if (least < front || most > back) {
    text += fmt::format(", drawn from {} to {}: the {} bin{} all values beyond", number_text(front),
                        number_text(back),
                        least >= front ? "last"
                        : most <= back ? "first"
                                       : "first and last",
                        least < front && most > back ? "s count" : " counts");
  }
  return text;
}

std::string histogram_words(const HistogramSeries& series) {
  std::vector<std::string> words;
  for (const ChartMark& mark : series.marks) {
    if (std::isfinite(mark.x)) {
      words.push_back(fmt::format("{} {}", mark.name, number_text(mark.x)));
    }
  }
  return fmt::format("{}: {}{}{}.", series.name, range_words(series), words.empty() ? "" : "; ",
                     join(words, ", "));
}

std::string words_of(const BarChart& chart) {
  std::string text = fmt::format("Bars of {}.", chart.y_label);
  for (const BarSeries& series : chart.series) text += ' ' + bar_words(chart, series);
  return text;
}

std::string words_of(const LineChart& chart) {
  std::string text = fmt::format("Lines of {} over {}.", chart.y_label, chart.x_label);
  for (const XySeries& series : chart.series) text += ' ' + line_words(series);
  return text;
}

// `between 1 and 5`, of the finite values.
std::string between_words(const std::vector<double>& values) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  if (finite.empty()) return "without values";
  const auto [least, most] = std::ranges::minmax(finite);
  return fmt::format("between {} and {}", number_text(least), number_text(most));
}

// The order of many points has no meaning.
std::string points_words(const XySeries& series) {
  if (series.x.size() <= kManyPoints) return line_words(series);
  return fmt::format("{}: {} points, x {}, y {}.", series.name, series.x.size(),
                     between_words(series.x), between_words(series.y));
}

std::string words_of(const ScatterChart& chart) {
  std::string text = fmt::format("Points: {} at {}.", chart.y_label, chart.x_label);
  for (const XySeries& series : chart.series) {
    text += ' ' + (series.names.empty() ? points_words(series) : named_words(series));
  }
  return text;
}

std::string words_of(const HistogramChart& chart) {
  std::string text = fmt::format("Histograms of {}.", chart.x_label);
  for (const HistogramSeries& series : chart.series) text += ' ' + histogram_words(series);
  return text;
}

}  // namespace

std::string text_alternative(const Chart& chart) {
  return std::visit([](const auto& one) { return words_of(one); }, chart);
}

}  // namespace adacvar
