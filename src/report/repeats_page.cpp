#include "report/run_heading.hpp"

#include "report/verdict.hpp"
#include "run/trained_model.hpp"

#include "report/repeats.hpp"
#include "report/run_page.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

using SummaryMember = std::optional<RepeatedPart> RepeatedResult::*;

PageCell value_cell(double value, double spread, bool marked = false) {
  return {.text = spread_text(value, spread), .value = value, .marked = marked};
}

PageCell value_cell(const MeanSd& value, bool marked = false) {
  return value_cell(value.mean, value.sd, marked);
}

PageTable part_table(std::span<const RepeatedResult> results, SummaryMember part,
                     const std::string& name) {
  const bool classes = (results[0].*part)->accuracy.has_value();
  PageTable table{.caption = fmt::format("Risks on the {} rows, mean ± standard deviation", name),
                  .columns = {"algorithm", "mean", "VaR", "CVaR", "above the least CVaR"},
                  .rows = {}};
  if (classes) table.columns.insert(table.columns.end(), {"accuracy", "least precision"});
  for (const RepeatedResult& result : results) {
    const RepeatedPart& summary = (result.*part).value();
    std::vector<PageCell> row = {
        {result.title +
         (result.failed_repeats > 0 ? fmt::format(" (failed: {})", result.failed_repeats) : "")},
        value_cell(summary.mean),
        value_cell(summary.var),
        value_cell(summary.cvar, summary.best),
        summary.is_least() ? PageCell{} : value_cell(summary.above_least.mean, summary.error)};
    if (classes) {
      row.push_back(value_cell(*summary.accuracy));
      row.push_back(value_cell(*summary.min_class_precision));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

BarChart cvar_chart(std::span<const RepeatedResult> results, SummaryMember part,
                    const std::string& name) {
  BarChart chart{.title = fmt::format("CVaR and mean of the {} rows over the repeats", name),
                 .y_label = "loss",
                 .groups = {"CVaR", "mean"},
                 .series = {},
                 .mark_label = "least, or not significantly different"};
  for (const RepeatedResult& result : results) {
    const RepeatedPart& summary = (result.*part).value();
    chart.series.push_back({.name = result.title,
                            .values = {summary.cvar.mean, summary.mean.mean},
                            .errors = {summary.cvar.sd, summary.mean.sd},
                            .marked = {summary.best, false}});
  }
  return chart;
}

PageSection repeats_section(std::span<const RepeatedResult> results, std::uint64_t first_seed,
                            std::size_t repeats) {
  PageSection section{.title = "Repeats", .items = {}};
  const SummaryMember shown = results[0].test    ? &RepeatedResult::test
                              : results[0].valid ? &RepeatedResult::valid
                                                 : &RepeatedResult::train;
  const std::string name = results[0].test ? "test" : results[0].valid ? "validation" : "training";
  section.items.emplace_back(
      PageFigure{"repeats",
                 fmt::format("Means of {} seeds and splits; bars: standard deviation.", repeats),
                 {{"bars", cvar_chart(results, shown, name)}}});
  section.items.emplace_back(PageText{fmt::format(
      "Starred: the least mean CVaR of the trained algorithms, and those not significantly "
      "different by a paired t-test over the repeats, corrected for shared rows. Above the least: "
      "mean paired difference ± its standard error. All other sections show the first "
      "repeat, seed {}.",
      first_seed)});
  const auto add = [&](SummaryMember part, const std::string& part_name) {
    if (results[0].*part) section.items.emplace_back(part_table(results, part, part_name));
  };
  add(&RepeatedResult::test, "test");
  add(&RepeatedResult::valid, "validation");
  add(&RepeatedResult::train, "training");
  return section;
}

}  // namespace

Page repeats_page(std::span<const RunReport> reports, const std::vector<std::string>& notes,
                  const PageOrigin& origin) {
  const std::vector<RepeatedResult> results = summarise_repeats(reports);
  const TrainOptions& options = reports[0].results.at(0).model.parts().options;
  Page page = run_page(reports[0], origin);
  page.subtitle += fmt::format(" and {} more", reports.size() - 1);
  page.verdict = verdict(results, reports.size(), options.alpha);
  page.notes = notes;
  page.sections.insert(page.sections.begin(),
                       repeats_section(results, options.seed, reports.size()));
  return page;
}

}  // namespace adacvar
