#include "report/frontier_report.hpp"

#include "base/number_text.hpp"
#include "report/curve_text.hpp"
#include "report/frontier_changes.hpp"
#include "report/run_heading.hpp"
#include "report/text_table.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

// A letter for the plot and the table.
char letter_of(const std::string& name) {
  if (name == "mean") return 'm';
  if (name == "knee") return 'K';
  if (name == "CVaR") return 'C';
  if (name == "+1 %") return '1';
  if (name == "+2 %") return '2';
  if (name == "+5 %") return '5';
  if (name == "+10 %") return 'X';
  return '@';
}

TextCurve curve_of(const FrontierReport& report, const FrontierRows& rows, bool dotted) {
  TextCurve curve{.x = {}, .y = {}, .dotted = dotted};
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const RiskChange change = change_of(report, rows, i);
    curve.x.push_back(100 * change.mean);
    curve.y.push_back(100 * change.cvar);
  }
  return curve;
}

// In order of importance: the choice, the knee, the ends, the budgets from the largest on.
std::vector<TextMark> marks_of(const FrontierReport& report, const FrontierRows& rows) {
  std::vector<const FrontierMark*> order;
  for (const FrontierMark& mark : report.marks) order.push_back(&mark);
  const auto rank = [&](const FrontierMark* mark) {
    if (report.chosen && mark == &report.marks[*report.chosen]) return 0;
    return mark->name == "knee" ? 1 : mark->name == "mean" || mark->name == "CVaR" ? 2 : 3;
  };
  std::ranges::reverse(order);
  std::ranges::stable_sort(order, {}, rank);
  std::vector<TextMark> marks;
  for (const FrontierMark* mark : order) {
    const RiskChange change = change_of(report, rows, mark->point);
    marks.push_back({100 * change.mean, 100 * change.cvar, letter_of(mark->name)});
  }
  return marks;
}

std::string plot_text(const FrontierReport& report, const TextStyle& style) {
  const std::vector<FrontierRows> rows = rows_of(report);
  const FrontierRows& shown = rows.back();
  TextPlot plot{.x_label = "change of the mean, %",
                .y_label = fmt::format("change of the CVaR, %: {} rows", shown.name),
                .curves = {curve_of(report, shown, false)},
                .marks = marks_of(report, shown)};
  if (const FrontierRows other = deciding_rows(report); other.name != shown.name) {
    plot.curves.push_back(curve_of(report, other, true));
    plot.y_label += fmt::format(", dotted: {} rows", other.name);
  }
  return curve_text(plot, style);
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.3f}", *share) : "";
}

// One table for all sets of rows, so that their columns are aligned.
void add_rows(const FrontierReport& report, const FrontierRows& rows, TextTable& table) {
  const PartRisk& first = *(report.points[0].*rows.part);
  std::vector<std::string> header = {
      rows.name, std::string(report.setting_name()), "mean", "change", "CVaR", "change"};
  if (first.accuracy) header.emplace_back("accuracy");
  if (first.calibration_error) header.emplace_back("calibr.");
  table.add(std::move(header));
  for (std::size_t m = 0; m < report.marks.size(); ++m) {
    const FrontierMark& mark = report.marks[m];
    const PartRisk& risk = *(report.points[mark.point].*rows.part);
    const RiskChange change = change_of(report, rows, mark.point);
    const bool is_end = mark.point == 0;
    std::vector<std::string> row = {
        fmt::format("  {} {}{}", letter_of(mark.name), mark.name, report.chosen == m ? " *" : ""),
        fmt::format("{:.3g}", report.setting(mark.point)),
        number_text(risk.risk.mean),
        is_end ? "" : change_text(change.mean),
        number_text(risk.risk.cvar),
        is_end ? "" : change_text(change.cvar)};
    if (first.accuracy) row.push_back(share_text(risk.accuracy));
    if (first.calibration_error) row.push_back(share_text(risk.calibration_error));
    table.add(std::move(row));
  }
}

// A number and its per cent sign stay together.
std::string wrapped(std::string text) {
  constexpr std::string_view kPercent = " %";
  constexpr char kGlue = '\x01';
  for (std::size_t at = text.find(kPercent); at != std::string::npos; at = text.find(kPercent)) {
    text[at] = kGlue;
  }
  text = wrap(text, kTerminalWidth);
  std::ranges::replace(text, kGlue, ' ');
  return text;
}

}  // namespace

std::string frontier_text(const FrontierReport& report, const TextStyle& style) {
  const RunResult& first = report.points.at(0);
  const TrainOptions& options = first.model.parts().options;
  std::string text =
      run_heading(first, fmt::format("alpha {:g}, seed {}", options.alpha, options.seed));
  text +=
      fmt::format("curve: {}\n\n{}\n\n", points_text(report), wrapped(frontier_verdict(report)));
  if (report.points.size() > 1) text += plot_text(report, style) + '\n';
  TextTable table;
  for (const FrontierRows& rows : rows_of(report)) add_rows(report, rows, table);
  text += table.text();
  if (report.chosen) text += "\n* the chosen point (--at)\n";
  if (first.train && first.train->calibration_error) {
    text += "calibr.: mean distance of predicted probabilities from the accuracy\n";
  }
  return text;
}

}  // namespace adacvar
