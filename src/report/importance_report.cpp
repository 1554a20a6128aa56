#include "report/importance_report.hpp"

#include "base/number_text.hpp"
#include "report/text_table.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostLines = 10;  // on the terminal
constexpr std::size_t kMostBars = 15;
constexpr std::size_t kMostRows = 1000;  // of the table on the page
constexpr std::size_t kMostOutputs = 8;  // lines in a chart

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Models of the same data have the same columns, in different orders.
double share_of(const NamedImportance& model, const std::string& column) {
  return std::ranges::find(model.columns, column, &ColumnImportance::column)->share;
}

PageFigure bar_figure(std::span<const NamedImportance> models) {
  BarChart chart{.title = "Importance of the columns",
                 .y_label = "share of the gain, %",
                 .groups = {},
                 .series = {}};
  const std::vector<ColumnImportance>& columns = models[0].columns;
  const std::size_t count = std::min(kMostBars, columns.size());
  for (std::size_t c = 0; c < count; ++c) chart.groups.push_back(columns[c].column);
  for (const NamedImportance& model : models) {
    BarSeries series{.name = model.name, .values = {}};
    for (const std::string& column : chart.groups) {
      series.values.push_back(100 * share_of(model, column));
    }
    chart.series.push_back(std::move(series));
  }
  const std::string which = count < columns.size()
                                ? fmt::format("The first {} of {} columns; the table has all.",
                                              count, count_text(columns.size()))
                                : std::string("All columns.");
  return {"importance", which, {{"bars", std::move(chart)}}};
}

PageTable share_table(std::span<const NamedImportance> models) {
  PageTable table{.caption = "Importance", .columns = {"column"}, .rows = {}};
  for (const NamedImportance& model : models) {
    table.columns.push_back(models.size() > 1 ? model.name : "share of the gain");
  }
  const std::vector<ColumnImportance>& columns = models[0].columns;
  if (columns.size() > kMostRows) {
    table.caption += fmt::format(" (the first {} of {}; --json has all)", count_text(kMostRows),
                                 count_text(columns.size()));
  }
  for (std::size_t c = 0; c < std::min(kMostRows, columns.size()); ++c) {
    std::vector<PageCell> row = {{columns[c].column}};
    for (const NamedImportance& model : models) {
      const double share = share_of(model, columns[c].column);
      row.push_back({.text = share_text(share), .value = share});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A dependence of each model on the same column; null where a model has none.
using SameColumn = std::vector<std::pair<std::string, const PartialDependence*>>;

SameColumn same_column(std::span<const NamedImportance> models, const std::string& column) {
  SameColumn same;
  for (const NamedImportance& model : models) {
    const auto found = std::ranges::find(model.dependence, column, &PartialDependence::column);
    if (found != model.dependence.end()) same.emplace_back(model.name, &*found);
  }
  return same;
}

// One line per model, or per class of the first model.
Chart dependence_chart(const SameColumn& models, const std::string& label) {
  const PartialDependence& first = *models[0].second;
  const bool by_class = first.outputs.size() > 1;
  std::vector<std::pair<std::string, const std::vector<double>*>> lines;
  if (by_class) {
    for (std::size_t o = 0; o < std::min(kMostOutputs, first.outputs.size()); ++o) {
      lines.emplace_back(first.outputs[o], &first.predictions[o]);
    }
  } else {
    for (const auto& [name, one] : models) lines.emplace_back(name, &one->predictions[0]);
  }
  const std::string title = fmt::format("Dependence on '{}'", first.column);
  if (!first.levels.empty()) {
    BarChart chart{.title = title, .y_label = label, .groups = first.levels, .series = {}};
    for (const auto& [name, values] : lines) chart.series.push_back({name, *values});
    return chart;
  }
  LineChart chart{.title = title, .x_label = first.column, .y_label = label, .series = {}};
  for (const auto& [name, values] : lines) {
    chart.series.push_back({.name = name, .x = first.values, .y = *values});
  }
  return chart;
}

ordered_json dependence_json(const PartialDependence& dependence) {
  ordered_json json = ordered_json::object();
  if (dependence.levels.empty()) {
    json["values"] = dependence.values;
  } else {
    json["levels"] = dependence.levels;
  }
  if (dependence.outputs.size() == 1) {
    json["prediction"] = dependence.predictions[0];
    return json;
  }
  for (std::size_t o = 0; o < dependence.outputs.size(); ++o) {
    json["probability"][dependence.outputs[o]] = dependence.predictions[o];
  }
  return json;
}

}  // namespace

std::string importance_text(const std::vector<ColumnImportance>& columns) {
  // A line that says one is left out is no shorter than that one.
  const std::size_t shown = columns.size() <= kMostLines + 1 ? columns.size() : kMostLines;
  TextTable table({"column", "share"});
  for (std::size_t c = 0; c < shown; ++c) {
    table.add({columns[c].column, share_text(columns[c].share)});
  }
  table.fit(kTerminalWidth, {0});
  std::string text = "importance: share of a column in the gain of all splits\n" + table.text();
  if (shown < columns.size()) {
    text += fmt::format("... {} more columns; --json and --report have all\n",
                        count_text(columns.size() - shown));
  }
  return text;
}

ordered_json importance_json(const std::vector<ColumnImportance>& columns,
                             std::span<const PartialDependence> dependence) {
  ordered_json json = ordered_json::array();
  for (const ColumnImportance& column : columns) {
    ordered_json entry = {{"column", column.column}, {"share", column.share}};
    const auto found = std::ranges::find(dependence, column.column, &PartialDependence::column);
    if (found != dependence.end()) entry["dependence"] = dependence_json(*found);
    json.push_back(std::move(entry));
  }
  return json;
}

PageSection importance_section(std::span<const NamedImportance> models) {
  PageSection section{.title = "Importance", .items = {}};
  section.items.emplace_back(
      PageText{"Share of each column in the gain of all splits: the decrease of the objective, "
               "with that of the tail's trees included. A column that repeats another shares its "
               "importance with it."});
  section.items.emplace_back(bar_figure(models));
  if (!models[0].dependence.empty()) {
    section.items.emplace_back(
        PageText{"Partial dependence: the mean prediction over 200 training rows if the column had "
                 "the same value in all of them. It does not show how columns act together."});
  }
  for (std::size_t d = 0; d < models[0].dependence.size(); ++d) {
    const SameColumn same = same_column(models, models[0].dependence[d].column);
    section.items.emplace_back(
        PageFigure{fmt::format("dependence-{}", d + 1),
                   "",
                   {{"mean", dependence_chart(same, "mean " + models[0].prediction)}}});
  }
  section.items.emplace_back(share_table(models));
  return section;
}

}  // namespace adacvar
