#include "report/correction_page.hpp"

#include "base/number_text.hpp"
#include "report/loss_figures.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <vector>

namespace adacvar {

namespace {

std::vector<PageCell> row_of(const std::string& rows, const std::string& model,
                             const PartRisk& part) {
  std::vector<PageCell> row = {{rows},
                               {model},
                               count_cell(part.rows),
                               number_cell(part.risk.mean),
                               number_cell(part.risk.var),
                               number_cell(part.risk.cvar)};
  if (part.accuracy) row.push_back(number_cell(*part.accuracy));
  return row;
}

PageTable risk_table(const Correction& correction) {
  PageTable table{.caption = "Risks before and after",
                  .columns = {"set", "predictions", "rows", "mean", "VaR", "CVaR"},
                  .rows = {}};
  if (correction.parts[0].given.accuracy) table.columns.emplace_back("accuracy");
  for (const CorrectedPart& part : correction.parts) {
    table.rows.push_back(row_of(part.name, "given", part.given));
    if (!correction.is_corrected) continue;
    table.rows.push_back(row_of(part.name, "corrected", part.corrected));
  }
  return table;
}

PageTable weight_table(const Correction& correction) {
  const TrainedModel& model = correction.model.parts();
  PageTable table{.caption =
                      "Weights of the standardised columns, added to the predictions in the "
                      "units of the target's standard deviation (classes: to the log-odds)",
                  .columns = {"column", "weight"},
                  .rows = {{{"1"}, number_cell(model.model.intercept(0))}}};
  const std::vector<std::string> names = model.preprocessor.feature_names();
  for (std::size_t f = 0; f < names.size(); ++f) {
    table.rows.push_back({{names[f]}, number_cell(model.model.weights(0)[f])});
  }
  return table;
}

}  // namespace

Page correction_page(const Correction& correction, const PageOrigin& origin) {
  const TrainedModel& model = correction.model.parts();
  const CorrectedPart& last = correction.parts.back();
  const std::string rows = last.name + " rows";
  const std::string loss(kLossNames.of(model.loss.kind()));
  std::vector<NamedLosses> losses = {
      {"given", correction.given_losses, last.given.risk, correction.weights}};
  if (correction.is_corrected) {
    losses.push_back(
        {"corrected", correction.corrected_losses, last.corrected.risk, correction.weights});
  }
  std::vector<std::string> notes = correction.headlines;
  notes.insert(notes.end(), correction.notes.begin(), correction.notes.end());
  Page page{.title = model.source + ": predictions corrected",
            .subtitle = fmt::format("{} {}, {}, tail share {:g}", count_text(last.given.rows), rows,
                                    loss_label(loss), correction.options.alpha),
            .verdict = choice_text(correction) + ".",
            .notes = std::move(notes),
            .sections = {}};
  page.sections.push_back({"Losses", {losses_figure(losses, loss, rows), risk_table(correction)}});
  page.sections.push_back(
      {"Tail shares", {cvar_figure(losses, loss, rows, {correction.options.alpha})}});
  if (correction.is_corrected) page.sections.push_back({"Correction", {weight_table(correction)}});
  page.sections.push_back(origin_section(
      origin, {{"data", model.source}, {"data fingerprint", fingerprint_text(model.fingerprint)}}));
  return page;
}

}  // namespace adacvar
