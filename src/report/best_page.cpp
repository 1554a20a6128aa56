#include "report/best_page.hpp"

#include "base/number_text.hpp"
#include "report/best_sentences.hpp"
#include "report/loss_figures.hpp"
#include "report/predicted_figure.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <cctype>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

std::vector<NamedLosses> named_losses(const BestReport& report, const PartRisk& result) {
  std::vector<NamedLosses> losses;
  const PartDetail& detail = report.detail;
  if (!report.stack_losses.empty()) {
    losses.push_back({"stack", report.stack_losses, report.stack.test->risk, detail.weights});
  }
  losses.push_back({"best", detail.losses, result.risk, detail.weights});
  return losses;
}

void add_row(PageTable& table, const BestBase& base, const std::string& rows, const PartRisk& part,
             bool has_weight) {
  std::vector<PageCell> row = {{base.name},
                               {rows},
                               has_weight ? number_cell(base.weight) : PageCell{},
                               number_cell(part.risk.mean),
                               number_cell(part.risk.var),
                               number_cell(part.risk.cvar)};
  if (table.columns.size() > 7) {
    row.push_back(part.accuracy ? number_cell(*part.accuracy) : PageCell{});
  }
  row.push_back(base.seconds > 0 ? number_cell(base.seconds) : PageCell{});
  table.rows.push_back(std::move(row));
}

// The models, the stack and the result, on held-out rows and then on test rows.
PageTable model_table(const BestReport& report) {
  PageTable table{.caption = "Held out: the rows of each fold, by models that did not see them",
                  .columns = {"model", "set", "weight", "mean", "VaR", "CVaR"},
                  .rows = {}};
  if (report.stack.held_out.accuracy) table.columns.emplace_back("accuracy");
  table.columns.emplace_back("seconds");
  const BestBase result{
      .name = "best", .held_out = report.held_out, .test = report.test, .seconds = report.seconds};
  for (const BestBase& base : report.bases) add_row(table, base, "held out", base.held_out, true);
  add_row(table, report.stack, "held out", report.stack.held_out, false);
  add_row(table, result, "held out", result.held_out, false);
  if (!report.test) return table;
  for (const BestBase& base : report.bases) add_row(table, base, "test", *base.test, true);
  add_row(table, report.stack, "test", *report.stack.test, false);
  add_row(table, result, "test", *result.test, false);
  return table;
}

BarChart weight_chart(const BestReport& report) {
  BarChart chart{.title = "Weights in the stack",
                 .y_label = "weight",
                 .groups = {},
                 .series = {{.name = "weight", .values = {}}}};
  for (const BestBase& base : report.bases) {
    chart.groups.push_back(base.name);
    chart.series[0].values.push_back(base.weight);
  }
  return chart;
}

BarChart cvar_chart(const BestReport& report, const std::string& loss) {
  BarChart chart{.title = "CVaR of the models",
                 .y_label = "CVaR of the " + loss_label(loss),
                 .groups = {},
                 .series = {{.name = "held out", .values = {}}}};
  if (report.test) chart.series.push_back({.name = "test", .values = {}});
  const auto add = [&](const std::string& name, const PartRisk& held_out,
                       const std::optional<PartRisk>& test) {
    chart.groups.push_back(name);
    chart.series[0].values.push_back(held_out.risk.cvar);
    if (report.test) chart.series[1].values.push_back(test->risk.cvar);
  };
  for (const BestBase& base : report.bases) add(base.name, base.held_out, base.test);
  add("stack", report.stack.held_out, report.stack.test);
  add("best", report.held_out, report.test);
  return chart;
}

PageSection models_section(const BestReport& report, const std::string& loss) {
  return {"Models and their weights",
          {PageText{"Each kind of model is trained once per fold, on the other folds. The stack is "
                    "the sum of their scores with the weights of least mean loss on held-out rows; "
                    "for new rows the models of all folds are averaged."},
           PageFigure{"weights", "", {{"bars", weight_chart(report)}}},
           PageFigure{"models", "", {{"bars", cvar_chart(report, loss)}}}, model_table(report)}};
}

XySeries curve_of(const BestReport& report, bool is_test) {
  XySeries curve{
      .name = is_test ? "test rows" : "held-out rows", .x = {}, .y = {}, .is_joined = true};
  for (const BestPoint& point : report.frontier) {
    const TailRisk& risk = is_test ? *point.test : point.held_out;
    curve.x.push_back(risk.mean);
    curve.y.push_back(risk.cvar);
    curve.details.push_back(fmt::format("budget +{:.4g} %{}; mean {}; CVaR {}",
                                        100 * point.mean_budget,
                                        point.is_corrected ? "" : ": not corrected",
                                        number_text(risk.mean), number_text(risk.cvar)));
  }
  return curve;
}

PageTable frontier_table(const BestReport& report) {
  PageTable table{
      .caption = "The correction within each mean budget; starred: the one asked for",
      .columns = {"mean budget, %", "fitted within, %", "held-out mean", "held-out CVaR"},
      .rows = {}};
  if (report.test) table.columns.insert(table.columns.end(), {"test mean", "test CVaR"});
  for (const BestPoint& point : report.frontier) {
    const bool is_own = point.mean_budget == report.options.mean_budget;
    std::vector<PageCell> row = {
        number_cell(100 * point.mean_budget, is_own),
        point.fitted_budget ? number_cell(100 * *point.fitted_budget) : PageCell{"not corrected"},
        number_cell(point.held_out.mean), number_cell(point.held_out.cvar)};
    if (point.test) {
      row.push_back(number_cell(point.test->mean));
      row.push_back(number_cell(point.test->cvar));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageSection frontier_section(const BestReport& report) {
  ScatterChart chart{.title = "Mean against CVaR, by mean budget",
                     .x_label = "mean loss",
                     .y_label = "CVaR",
                     .series = {curve_of(report, false)}};
  if (report.test) chart.series.push_back(curve_of(report, true));
  return {"Mean budgets",
          {PageText{"A correction is taken if it lowers the cross-validated CVaR and its mean "
                    "keeps the budget with a standard error to spare; to that end it may be fitted "
                    "within less than the budget."},
           PageFigure{"frontier", "Point at a curve for its figures.", {{"curve", chart}}},
           frontier_table(report)}};
}

// Sections about the rows that judge: their losses, the worst of them, classes.
void add_row_sections(const BestReport& report, const std::string& loss, const PartRisk& result,
                      Page& page) {
  const PartDetail& detail = report.detail;
  const std::string rows = detail.part + " rows";
  const std::vector<NamedLosses> losses = named_losses(report, result);
  page.sections.push_back({"Losses", {losses_figure(losses, loss, rows)}});
  page.sections.push_back(
      {"Tail shares", {cvar_figure(losses, loss, rows, {report.options.alpha})}});
  if (!detail.targets.empty()) {
    page.sections.push_back(
        {"Predicted against actual", {predicted_figure(detail, "predicted", "", rows)}});
  }
  if (!detail.worst.empty()) {
    page.sections.push_back({"Worst rows", {worst_table(detail, "The largest losses")}});
  }
  if (!detail.classes.empty()) {
    const std::vector<NamedDetail> details = {{"best", detail, result.accuracy, result.auc}};
    page.sections.push_back(classes_section(details, rows));
  }
}

std::string verdict_of(const BestReport& report) {
  std::string verdict;
  for (std::string sentence :
       {change_sentence(report), difference_sentence(report), guarantee_sentence(report)}) {
    if (sentence.empty()) continue;
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    verdict += (verdict.empty() ? "" : " ") + sentence + ".";
  }
  return verdict;
}

}  // namespace

Page best_page(const BestReport& report, const PageOrigin& origin) {
  const TrainedModel& model = report.model.parts();
  const std::string loss(kLossNames.of(model.loss.kind()));
  const PartRisk& judged = report.test ? *report.test : report.valid ? *report.valid : report.train;
  std::vector<std::string> notes = report.headlines;
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  Page page{.title = model.source + ": linear models, networks and trees, stacked",
            .subtitle =
                fmt::format("{} {} rows, {}, tail share {:g}, mean budget {:.4g} %; {} "
                            "training rows in {} folds, {:.1f} seconds",
                            count_text(judged.rows), report.detail.part, loss_label(loss),
                            report.options.alpha, 100 * report.options.mean_budget,
                            count_text(report.training_rows), report.options.folds, report.seconds),
            .verdict = verdict_of(report),
            .notes = std::move(notes),
            .sections = {}};
  page.sections.push_back(models_section(report, loss));
  if (!report.frontier.empty()) page.sections.push_back(frontier_section(report));
  add_row_sections(report, loss, judged, page);
  page.sections.push_back(origin_section(
      origin, {{"data", model.source}, {"data fingerprint", fingerprint_text(model.fingerprint)}}));
  return page;
}

}  // namespace adacvar
