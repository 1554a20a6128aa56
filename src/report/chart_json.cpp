#include "report/chart_json.hpp"

#include "base/utf8.hpp"
#include "report/text_table.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

// Six digits are more than a screen shows and halve the size.
ordered_json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value));
}

ordered_json numbers_json(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

ordered_json text_json(const std::string& text) { return one_line(as_utf8(text)); }

// Ends of each error bar, or null.
ordered_json errors_json(const BarSeries& series) {
  ordered_json list = ordered_json::array();
  const auto& below = series.errors_below.empty() ? series.errors : series.errors_below;
  for (std::size_t g = 0; g < series.values.size(); ++g) {
    const bool known = g < series.errors.size() && g < below.size() &&
                       std::isfinite(series.values[g]) && std::isfinite(series.errors[g]) &&
                       std::isfinite(below[g]);
    if (known) {
      list.push_back({number_json(series.values[g] - std::abs(below[g])),
                      number_json(series.values[g] + std::abs(series.errors[g]))});
    } else {
      list.push_back(nullptr);
    }
  }
  return list;
}

ordered_json marks_json(const std::vector<ChartMark>& marks) {
  ordered_json list = ordered_json::array();
  for (const ChartMark& mark : marks) {
    if (std::isfinite(mark.x)) list.push_back({{"name", text_json(mark.name)}, {"x", mark.x}});
  }
  return list;
}

ordered_json texts_json(const std::vector<std::string>& texts) {
  ordered_json list = ordered_json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

ordered_json series_json(const std::vector<XySeries>& series) {
  ordered_json list = ordered_json::array();
  for (const XySeries& one : series) {
    ordered_json json = {
        {"name", text_json(one.name)}, {"x", numbers_json(one.x)}, {"y", numbers_json(one.y)}};
    if (one.is_joined) json["joined"] = true;
    if (!one.names.empty()) json["names"] = texts_json(one.names);
    if (!one.details.empty()) json["details"] = texts_json(one.details);
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json json_of(const BarChart& chart) {
  ordered_json series = ordered_json::array();
  for (const BarSeries& one : chart.series) {
    series.push_back({{"name", text_json(one.name)},
                      {"values", numbers_json(one.values)},
                      {"errors", errors_json(one)},
                      {"marked", one.marked}});
  }
  return {{"kind", "bar"},
          {"yLabel", text_json(chart.y_label)},
          {"logY", chart.log_y},
          {"groups", texts_json(chart.groups)},
          {"series", std::move(series)}};
}

template <class XyChart>
ordered_json xy_json(const XyChart& chart, const char* kind) {
  return {{"kind", kind},
          {"xLabel", text_json(chart.x_label)},
          {"yLabel", text_json(chart.y_label)},
          {"logX", chart.log_x},
          {"logY", chart.log_y},
          {"series", series_json(chart.series)}};
}

ordered_json json_of(const LineChart& chart) {
  ordered_json json = xy_json(chart, "line");
  json["marks"] = marks_json(chart.marks);
  return json;
}

ordered_json json_of(const ScatterChart& chart) {
  ordered_json json = xy_json(chart, "scatter");
  json["diagonal"] = chart.diagonal;
  json["shares"] = chart.shares;
  return json;
}

ordered_json json_of(const HistogramChart& chart) {
  ordered_json series = ordered_json::array();
  for (const HistogramSeries& one : chart.series) {
    series.push_back({{"name", text_json(one.name)},
                      {"edges", numbers_json(one.edges)},
                      {"heights", numbers_json(one.heights)},
                      {"marks", marks_json(one.marks)}});
  }
  return {{"kind", "histogram"},
          {"xLabel", text_json(chart.x_label)},
          {"yLabel", text_json(chart.y_label)},
          {"logX", chart.log_x},
          {"logY", chart.log_y},
          {"series", std::move(series)}};
}

}  // namespace

std::string chart_json(const Chart& chart) {
  const ordered_json json = std::visit([](const auto& one) { return json_of(one); }, chart);
  std::string text;
  for (const char c : json.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace adacvar
