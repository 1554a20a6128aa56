#include "base/join.hpp"
#include "report/coefficient_report.hpp"
#include "report/guarantee_report.hpp"
#include "report/importance_report.hpp"
#include "report/interval_marks.hpp"
#include "report/loss_figures.hpp"
#include "report/predicted_figure.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"
#include "report/run_page.hpp"

#include <fmt/core.h>

namespace adacvar {

namespace {

PageCell interval_cell(double value, const Interval& interval) {
  return {.text = fmt::format("{} ({} to {})", number_text(value), number_text(interval.low),
                              number_text(interval.high)),
          .value = value};
}

PageCell cvar_cell(const RiskEstimate& risk) {
  PageCell cell = interval_cell(risk.cvar, risk.cvar_interval);
  if (const std::string mark = interval_mark(risk); !mark.empty()) cell.text += " " + mark;
  return cell;
}

PageTable risk_table(const Evaluation& evaluation) {
  PageTable table{.caption = fmt::format("Risks of {} {}, with {:g} % bootstrap intervals",
                                         count_text(evaluation.all.rows), rows_name(evaluation),
                                         100 * evaluation.level),
                  .columns = {"tail share", "VaR", "CVaR"},
                  .rows = {}};
  if (evaluation.guarantee) table.columns.emplace_back("CVaR of new rows, at most");
  for (std::size_t a = 0; a < evaluation.all.risk.size(); ++a) {
    const RiskEstimate& risk = evaluation.all.risk[a];
    table.rows.push_back({{.text = fmt::format("{:g}", risk.alpha), .value = risk.alpha},
                          interval_cell(risk.var, risk.var_interval),
                          cvar_cell(risk)});
    if (evaluation.guarantee) {
      table.rows.back().push_back(number_cell(evaluation.guarantee->cvar[a]));
    }
  }
  const RiskEstimate& first = evaluation.all.risk.at(0);
  if (evaluation.all.risk.back().alpha == 1) return table;  // already contains the mean
  table.rows.push_back(
      {{.text = "1 (mean)", .value = 1.0}, {}, interval_cell(first.mean, first.mean_interval)});
  if (evaluation.guarantee) table.rows.back().emplace_back();
  return table;
}

PageSection difference_section(const Evaluation& evaluation) {
  PageTable table{.caption = fmt::format("CVaR of this model less that of {}, with {:g} % "
                                         "intervals by a paired bootstrap",
                                         other_name(evaluation), 100 * evaluation.level),
                  .columns = {"tail share", "this model", "other", "difference"},
                  .rows = {}};
  if (evaluation.guarantee) table.columns.emplace_back("for new rows, at most");
  for (std::size_t a = 0; a < evaluation.differences.size(); ++a) {
    const RiskEstimate& risk = evaluation.all.risk[a];
    const ModelDifference& found = evaluation.differences[a];
    table.rows.push_back({{.text = fmt::format("{:g}", risk.alpha), .value = risk.alpha},
                          number_cell(risk.cvar),
                          number_cell(found.other_cvar),
                          interval_cell(found.difference.value, found.difference.interval)});
    if (found.guaranteed) table.rows.back().push_back(number_cell(*found.guaranteed));
  }
  PageSection section{"Against another model", {std::move(table)}};
  for (const std::string& sentence : difference_sentences(evaluation)) {
    section.items.emplace_back(PageText{sentence});
  }
  return section;
}

PageTable group_table(const Evaluation& evaluation) {
  const bool classes = evaluation.all.accuracy.has_value();
  PageTable table{.caption = "Risks by " + evaluation.group_column + ", the largest CVaR first",
                  .columns = {evaluation.group_column, "rows", "tail share", "mean", "VaR", "CVaR"},
                  .rows = {}};
  if (classes) table.columns.emplace_back("accuracy");
  for (const RiskTable& group : evaluation.groups) {
    for (const RiskEstimate& risk : group.risk) {
      std::vector<PageCell> row = {{group.name},
                                   count_cell(group.rows),
                                   {.text = fmt::format("{:g}", risk.alpha), .value = risk.alpha},
                                   interval_cell(risk.mean, risk.mean_interval),
                                   number_cell(risk.var),
                                   cvar_cell(risk)};
      if (classes) row.push_back(number_cell(group.accuracy.value_or(0)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

void add_bar(BarSeries& series, double value, const Interval& interval) {
  series.values.push_back(value);
  series.errors.push_back(interval.high - value);
  series.errors_below.push_back(value - interval.low);
}

BarChart group_chart(const Evaluation& evaluation) {
  const std::size_t a = own_alpha(evaluation);
  BarChart chart{.title = fmt::format("CVaR at {:g} and mean by {}", evaluation.all.risk[a].alpha,
                                      evaluation.group_column),
                 .y_label = loss_label(evaluation.loss),
                 .groups = {},
                 .series = {{.name = "CVaR", .values = {}}, {.name = "mean", .values = {}}}};
  for (const RiskTable& group : evaluation.groups) {
    const RiskEstimate& risk = group.risk.at(a);
    const std::string mark = interval_mark(risk);
    chart.groups.push_back(mark.empty() ? group.name : group.name + " " + mark);
    add_bar(chart.series[0], risk.cvar, risk.cvar_interval);
    add_bar(chart.series[1], risk.mean, risk.mean_interval);
  }
  return chart;
}

void add_legend(PageSection& section, const std::vector<RiskTable>& tables) {
  const std::vector<std::string> legend = mark_legend(tables);
  if (!legend.empty()) {
    section.items.emplace_back(PageText{fmt::format("{}.", join(legend, ". "))});
  }
}

PageSection tail_section(const Evaluation& evaluation, const std::vector<NamedLosses>& losses) {
  const RiskEstimate& own = evaluation.all.risk.at(own_alpha(evaluation));
  PageSection section{"Tail shares",
                      {cvar_figure(losses, evaluation.loss, rows_name(evaluation), {own.alpha}),
                       risk_table(evaluation)}};
  add_legend(section, {evaluation.all});
  if (evaluation.guarantee) {
    section.items.emplace_back(PageText{guarantee_sentence(*evaluation.guarantee)});
  }
  return section;
}

PageSection group_section(const Evaluation& evaluation) {
  PageSection section{
      "Groups",
      {PageFigure{"groups",
                  fmt::format("With {:g} % bootstrap intervals.", 100 * evaluation.level),
                  {{"bars", group_chart(evaluation)}}},
       group_table(evaluation)}};
  add_legend(section, evaluation.groups);
  return section;
}

}  // namespace

Page evaluation_page(const Evaluation& evaluation, const PageOrigin& origin) {
  const std::string rows = rows_name(evaluation);
  const RiskEstimate& own = evaluation.all.risk.at(own_alpha(evaluation));
  const std::vector<NamedLosses> losses = {{"model",
                                            evaluation.detail.losses,
                                            {own.mean, own.var, own.cvar},
                                            evaluation.detail.weights}};
  Page page{.title = evaluation.source + ": a model evaluated",
            .subtitle = fmt::format("{} {}, {}, tail share {:g}", count_text(evaluation.all.rows),
                                    rows, loss_label(evaluation.loss), own.alpha),
            .verdict = verdict(evaluation),
            .notes = evaluation.notes,
            .sections = {}};
  page.sections.push_back({"Losses", {losses_figure(losses, evaluation.loss, rows)}});
  page.sections.push_back(tail_section(evaluation, losses));
  if (!evaluation.differences.empty()) page.sections.push_back(difference_section(evaluation));
  if (!evaluation.detail.targets.empty()) {
    page.sections.push_back(
        {"Predicted against actual", {predicted_figure(evaluation.detail, "predicted", "", rows)}});
  }
  if (evaluation.coefficients) {
    const std::vector<NamedCoefficients> models = {
        {"model",
         {*evaluation.coefficients,
          coefficient_scale(evaluation.loss, evaluation.target, evaluation.classes)}}};
    page.sections.push_back(coefficients_section(models));
  }
  if (!evaluation.importance.empty()) {
    const std::vector<NamedImportance> models = {{"model", evaluation.importance}};
    page.sections.push_back(importance_section(models));
  }
  if (!evaluation.detail.worst.empty()) {
    page.sections.push_back({"Worst rows", {worst_table(evaluation.detail, "The largest losses")}});
  }
  if (!evaluation.groups.empty()) page.sections.push_back(group_section(evaluation));
  if (!evaluation.detail.classes.empty()) {
    const std::vector<NamedDetail> details = {{"model", evaluation.detail, evaluation.all.accuracy,
                                               evaluation.all.auc, evaluation.all.confusion}};
    page.sections.push_back(classes_section(details, rows));
  }
  page.sections.push_back(
      origin_section(origin, {{"data", evaluation.source},
                              {"data fingerprint", fingerprint_text(evaluation.fingerprint)}}));
  return page;
}

}  // namespace adacvar
