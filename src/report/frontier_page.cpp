#include "report/frontier_report.hpp"

#include "base/join.hpp"
#include "base/number_text.hpp"
#include "data/preprocess_json.hpp"
#include "report/certificate_report.hpp"
#include "report/frontier_changes.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

namespace adacvar {

namespace {

/// Coordinates of a point on some rows.
struct Place {
  double x = 0;
  double y = 0;
};
using PlaceOf = std::function<Place(const FrontierRows& rows, std::size_t point)>;

std::string names_of(const FrontierReport& report, std::size_t point) {
  std::vector<std::string> names;
  for (const FrontierMark& mark : report.marks) {
    if (mark.point == point) names.push_back(mark.name);
  }
  return join(names, ", ");
}

// What a reader sees who points at a point; each part is a line.
std::string detail_of(const FrontierReport& report, const FrontierRows& rows, std::size_t point) {
  const PartRisk& part = *(report.points[point].*rows.part);
  const RiskChange change = change_of(report, rows, point);
  const auto amount = [](double value, double share) {
    const std::string text = change_text(share);
    return text.empty() ? number_text(value) : fmt::format("{} ({})", number_text(value), text);
  };
  const std::string names = names_of(report, point);
  std::string text =
      fmt::format("{} rows, {} {:.3g}{}; mean {}; CVaR {}", rows.name, report.setting_name(),
                  report.setting(point), names.empty() ? "" : ": " + names,
                  amount(part.risk.mean, change.mean), amount(part.risk.cvar, change.cvar));
  if (part.accuracy) text += fmt::format("; accuracy {:.3f}", *part.accuracy);
  if (part.calibration_error) {
    text += fmt::format("; calibration error {:.3f}", *part.calibration_error);
  }
  return text;
}

// Test rows first, as they judge.
std::vector<FrontierRows> shown_rows(const FrontierReport& report) {
  std::vector<FrontierRows> rows = rows_of(report);
  std::ranges::reverse(rows);
  return rows;
}

// A curve for each set of rows; the marks are on the first.
std::vector<XySeries> curves_of(const FrontierReport& report, const PlaceOf& place_of) {
  std::vector<XySeries> series;
  const std::vector<FrontierRows> all = shown_rows(report);
  for (const FrontierRows& rows : all) {
    XySeries curve{.name = rows.name + " rows", .x = {}, .y = {}, .is_joined = true};
    for (std::size_t i = 0; i < report.points.size(); ++i) {
      const Place place = place_of(rows, i);
      curve.x.push_back(place.x);
      curve.y.push_back(place.y);
      curve.details.push_back(detail_of(report, rows, i));
    }
    series.push_back(std::move(curve));
  }
  XySeries marks{.name = "marks", .x = {}, .y = {}};
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const std::string names = names_of(report, i);
    if (names.empty()) continue;
    const Place place = place_of(all[0], i);
    marks.x.push_back(place.x);
    marks.y.push_back(place.y);
    marks.names.push_back(names);
    marks.details.push_back(detail_of(report, all[0], i));
  }
  if (!marks.x.empty()) series.push_back(std::move(marks));
  return series;
}

PageFigure curve_figure(const FrontierReport& report) {
  const ScatterChart changes{
      .title = "Mean against CVaR",
      .x_label = "change of the mean loss, %",
      .y_label = "change of the CVaR, %",
      .series = curves_of(report, [&](const FrontierRows& rows, std::size_t point) {
        const RiskChange change = change_of(report, rows, point);
        return Place{100 * change.mean, 100 * change.cvar};
      })};
  const ScatterChart losses{
      .title = changes.title,
      .x_label = "mean loss",
      .y_label = "CVaR",
      .series = curves_of(report, [&](const FrontierRows& rows, std::size_t point) {
        const TailRisk& risk = (report.points[point].*rows.part)->risk;
        return Place{risk.mean, risk.cvar};
      })};
  return {"frontier",
          "Every point is a model: further left is better on average, lower is better for the "
          "worst rows. Changes are from the model of least mean. Point at a curve, or focus it and "
          "press the arrow keys, for the figures of a model.",
          {{"change", changes}, {"loss", losses}}};
}

using Measure = std::optional<double> PartRisk::*;

PageFigure measure_figure(const FrontierReport& report, Measure measure, std::string id,
                          std::string title) {
  const FrontierRows rows = deciding_rows(report);
  const ScatterChart chart{
      .title = title,
      .x_label = fmt::format("change of the mean loss on the {} rows, %", rows.name),
      .y_label = title,
      .series = curves_of(report, [&](const FrontierRows& shown, std::size_t point) {
        return Place{100 * change_of(report, rows, point).mean,
                     ((report.points[point].*shown.part).value().*measure).value_or(std::nan(""))};
      })};
  return {std::move(id), "", {{"points", chart}}};
}

PageCell change_cell(double share) {
  return {.text = change_text(share),
          .value = std::isfinite(share) ? std::optional(share) : std::nullopt};
}

PageCell share_cell(const std::optional<double>& share) {
  if (!share) return {};
  return {.text = fmt::format("{:.3f}", *share), .value = share};
}

PageTable marks_table(const FrontierReport& report, const FrontierRows& rows) {
  const PartRisk& first = *(report.points[0].*rows.part);
  PageTable table{
      .caption = fmt::format("Marks on the {} {} rows; starred: the chosen point",
                             count_text(first.rows), rows.name),
      .columns = {"mark", std::string(report.setting_name()), "mean", "change", "CVaR", "change"},
      .rows = {}};
  if (first.accuracy) table.columns.emplace_back("accuracy");
  if (first.calibration_error) table.columns.emplace_back("calibration error");
  for (std::size_t m = 0; m < report.marks.size(); ++m) {
    const FrontierMark& mark = report.marks[m];
    const PartRisk& part = *(report.points[mark.point].*rows.part);
    const RiskChange change = change_of(report, rows, mark.point);
    std::vector<PageCell> row = {{.text = mark.name, .marked = report.chosen == m},
                                 number_cell(report.setting(mark.point)),
                                 number_cell(part.risk.mean),
                                 change_cell(change.mean),
                                 number_cell(part.risk.cvar),
                                 change_cell(change.cvar)};
    if (first.accuracy) row.push_back(share_cell(part.accuracy));
    if (first.calibration_error) row.push_back(share_cell(part.calibration_error));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable points_table(const FrontierReport& report) {
  PageTable table{.caption = "All points",
                  .columns = {std::string(report.setting_name()), "marks"},
                  .rows = {}};
  const std::vector<FrontierRows> all = rows_of(report);
  for (const FrontierRows& rows : all) {
    table.columns.push_back("mean, " + rows.name);
    table.columns.push_back("CVaR, " + rows.name);
  }
  const bool gaps = report.points[0].certificate.has_value();
  if (gaps) table.columns.emplace_back("certified gap");
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    std::vector<PageCell> row = {number_cell(report.setting(i)), {.text = names_of(report, i)}};
    for (const FrontierRows& rows : all) {
      const TailRisk& risk = (report.points[i].*rows.part)->risk;
      row.push_back(number_cell(risk.mean));
      row.push_back(number_cell(risk.cvar));
    }
    if (gaps) row.push_back(percent_cell(relative_gap(report.points[i].certificate)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageSection marks_section(const FrontierReport& report) {
  PageSection section{.title = "Marks", .items = {}};
  section.items.emplace_back(PageText{
      report.is_exact
          ? "A mark such as +5 % is the model of least training CVaR whose training mean is at "
            "most 5 % above the least. The knee is at the largest distance from the chord between "
            "the ends of the training curve, both axes scaled to its extent."
          : "Marks are chosen among the runs, on the validation rows if there are any: +5 % is the "
            "run of least CVaR whose mean is at most 5 % above that of the first, the knee is at "
            "the "
            "largest distance from the chord between the ends, both axes scaled to the curve's "
            "extent."});
  for (const FrontierRows& rows : shown_rows(report)) {
    section.items.emplace_back(marks_table(report, rows));
  }
  return section;
}

std::string subtitle_of(const FrontierReport& report) {
  const TrainedModel& model = report.points.at(0).model.parts();
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  const std::string network = model.networks() != nullptr
                                  ? fmt::format("network {}; ", model.network_options.network)
                                  : std::string();
  const std::string weight =
      parts.weight.empty() ? "" : fmt::format("rows weighted by '{}'; ", parts.weight);
  return fmt::format("{} of '{}' by the {} loss; {}{}tail share {:g}, seed {}; {}",
                     task_name(parts.task), parts.target, kLossNames.of(model.loss.kind()), network,
                     weight, model.options.alpha, model.options.seed, points_text(report));
}

}  // namespace

Page frontier_page(const FrontierReport& report, const PageOrigin& origin) {
  const RunResult& first = report.points.at(0);
  const TrainedModel& model = first.model.parts();
  Page page{.title = model.source + ": mean against CVaR",
            .subtitle = subtitle_of(report),
            .verdict = frontier_verdict(report),
            .notes = report.headlines,
            .sections = {}};
  page.notes.insert(page.notes.end(), report.notes.begin(), report.notes.end());
  page.sections.push_back({"Curve", {curve_figure(report)}});
  if (first.train->accuracy) {
    PageSection classes{.title = "Classes", .items = {}};
    classes.items.emplace_back(measure_figure(report, &PartRisk::accuracy, "accuracy", "Accuracy"));
    if (first.train->calibration_error) {
      classes.items.emplace_back(measure_figure(report, &PartRisk::calibration_error,
                                                "calibration-error", "Calibration error"));
    }
    page.sections.push_back(std::move(classes));
  }
  if (!report.marks.empty()) page.sections.push_back(marks_section(report));
  page.sections.push_back({"Points", {points_table(report)}});
  page.sections.push_back(
      origin_section(origin, {{"data", model.source},
                              {"data fingerprint", fingerprint_text(model.fingerprint)},
                              {"seed", std::to_string(model.options.seed)}}));
  return page;
}

}  // namespace adacvar
