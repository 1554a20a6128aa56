#include "report/run_page.hpp"
#include "report/adjustment_lines.hpp"

#include "run/trained_model.hpp"

#include "base/file_stem.hpp"
#include "base/join.hpp"
#include "data/preprocess_json.hpp"
#include "report/certificate_report.hpp"
#include "report/coefficient_report.hpp"
#include "report/importance_report.hpp"
#include "report/loss_figures.hpp"
#include "report/predicted_figure.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using PartMember = std::optional<PartRisk> RunResult::*;

std::string ending_text(const RunResult& result) {
  if (result.model.parts().stop_reason == StopReason::diverged) return " (diverged)";
  const bool stopped = result.model.parts().stop_reason == StopReason::interrupted;
  return stopped && result.epochs == 0 ? " (not trained)" : "";
}

// Several models of one algorithm differ in their tail share.
std::vector<std::string> names_of(const RunReport& report) {
  std::vector<std::string> names;
  for (const RunResult& result : report.results) {
    const bool twice = std::ranges::count(report.results, result.label(), &RunResult::label) > 1;
    names.push_back(result_title(result) +
                    (twice ? fmt::format(", alpha {:g}", result.model.parts().options.alpha) : "") +
                    ending_text(result));
  }
  return names;
}

std::string rows_name(const RunReport& report) {
  return report.results[0].detail.value().part + " rows";
}

// Distinct values, in the order of the results.
std::vector<double> alphas_of(const RunReport& report) {
  std::vector<double> alphas;
  for (const RunResult& result : report.results) {
    const double alpha = result.model.parts().options.alpha;
    if (std::ranges::find(alphas, alpha) == alphas.end()) alphas.push_back(alpha);
  }
  return alphas;
}

// --- losses

std::vector<NamedLosses> named_losses(const RunReport& report) {
  const std::vector<std::string> names = names_of(report);
  std::vector<NamedLosses> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    const PartDetail& detail = result.detail.value();
    models.push_back({names[i], detail.losses, detailed_risk(result).risk, detail.weights});
  }
  return models;
}

// --- trade-off

ScatterChart trade_off_chart(const RunReport& report) {
  ScatterChart chart{.title = "Mean against CVaR",
                     .x_label = "mean loss of the " + rows_name(report),
                     .y_label = is_path(report) ? "CVaR at its own tail share" : "CVaR",
                     .series = {}};
  for (const NamedLosses& model : named_losses(report)) {
    chart.series.push_back({model.name, {model.risk.mean}, {model.risk.cvar}});
  }
  return chart;
}

// With the interval of the paired bootstrap; empty for the least itself.
PageCell difference_cell(const PartRisk& risk) {
  if (!risk.above_least || risk.above_least->value == 0) return {};
  const CvarDifference& found = *risk.above_least;
  return {.text = fmt::format("{} ({} to {})", number_text(found.value),
                              number_text(found.interval.low), number_text(found.interval.high)),
          .value = found.value};
}

PageTable risk_table(const RunReport& report, PartMember part, const std::string& name) {
  const bool classes = (report.results[0].*part)->accuracy.has_value();
  const bool differences = (report.results[0].*part)->above_least.has_value();
  const bool gaps = part == &RunResult::train && report.results[0].certificate.has_value();
  PageTable table{.caption = fmt::format("Risks on the {} {} rows",
                                         count_text((report.results[0].*part)->rows), name),
                  .columns = {"algorithm", "mean", "VaR", "CVaR"},
                  .rows = {}};
  if (differences) table.columns.emplace_back("above the least CVaR");
  if (classes) table.columns.insert(table.columns.end(), {"accuracy", "least precision", "AUC"});
  if (gaps) table.columns.emplace_back("certified gap");
  const std::vector<std::string> names = names_of(report);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    const PartRisk& risk = *(result.*part);
    std::vector<PageCell> row = {{names[i]},
                                 number_cell(risk.risk.mean),
                                 number_cell(risk.risk.var),
                                 number_cell(risk.risk.cvar, risk.best)};
    if (differences) row.push_back(difference_cell(risk));
    if (classes) {
      row.push_back(number_cell(risk.accuracy.value_or(kNan)));
      row.push_back(number_cell(risk.min_class_precision.value_or(kNan)));
      row.push_back(risk.auc ? number_cell(*risk.auc) : PageCell{});
    }
    if (gaps) {
      row.push_back(percent_cell(relative_gap(result.certificate)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageSection trade_off_section(const RunReport& report) {
  PageSection section{.title = "Mean and tail", .items = {}};
  if (report.results.size() > 1) {
    section.items.emplace_back(PageFigure{
        "trade-off",
        is_path(report) ? "Each CVaR is at the tail share that the model was trained for."
                        : "Lower is better for the worst rows, further left is better on average.",
        {{"points", trade_off_chart(report)}}});
  }
  if (report.results[0].train && report.results[0].train->above_least) {
    section.items.emplace_back(PageText{
        "Starred: the least CVaR of the trained algorithms, and those not significantly different "
        "by a paired bootstrap over the rows, with 95 % intervals of the differences."});
  }
  const auto add = [&](PartMember part, const std::string& name) {
    if (report.results[0].*part) section.items.emplace_back(risk_table(report, part, name));
  };
  add(&RunResult::test, "test");
  add(&RunResult::valid, "validation");
  add(&RunResult::train, "training");
  return section;
}

// --- training

bool has_trees(const RunReport& report) {
  return report.results[0].model.parts().trees() != nullptr;
}

/// Plots `measure` for every epoch in `records`, for the results that have it.
template <class Record, class Measure>
LineChart epoch_chart(const RunReport& report, std::vector<Record> RunResult::*records,
                      std::string title, std::string label, const Measure& measure) {
  LineChart chart{.title = std::move(title),
                  .x_label = has_trees(report) ? "round" : "epoch",
                  .y_label = std::move(label),
                  .series = {}};
  const std::vector<std::string> names = names_of(report);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    XySeries series{.name = names[i], .x = {}, .y = {}};
    for (const Record& record : result.*records) {
      series.x.push_back(static_cast<double>(record.epoch));
      series.y.push_back(measure(result, record).value_or(kNan));
    }
    const bool any = std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); });
    if (any) chart.series.push_back(std::move(series));
  }
  return chart;
}

std::optional<double> gap_at(const RunResult& result, const EpochDetail& detail) {
  if (!result.certificate) return std::nullopt;
  Certificate then = *result.certificate;
  then.upper = detail.training_cvar;
  const auto gap = relative_gap(then);
  return gap ? std::optional(100 * *gap) : std::nullopt;
}

void add_chart(PageSection& section, std::string id, std::string caption, LineChart chart,
               bool log = false) {
  if (chart.series.empty()) return;
  PageFigure figure{std::move(id), std::move(caption), {{"linear", chart}}};
  if (log) {
    chart.log_y = true;
    figure.views.insert(figure.views.begin(), {"log", std::move(chart)});
  }
  section.items.emplace_back(std::move(figure));
}

PageSection training_section(const RunReport& report) {
  PageSection section{.title = "Training", .items = {}};
  const auto validation = [](double TailRisk::*member) {
    return [member](const RunResult&, const EpochRecord& record) {
      return record.validation ? std::optional(record.validation.value().*member) : std::nullopt;
    };
  };
  const std::string caption =
      has_trees(report) ? "For the model after each round of plain boosting, then of boosting for "
                          "the tail, which starts anew."
                        : "For the model at the end of each epoch.";
  add_chart(section, "validation-cvar", caption,
            epoch_chart(report, &RunResult::history, "CVaR of the validation rows", "CVaR",
                        validation(&TailRisk::cvar)));
  add_chart(section, "validation-mean", caption,
            epoch_chart(report, &RunResult::history, "Mean of the validation rows", "mean loss",
                        validation(&TailRisk::mean)));
  add_chart(
      section, "validation-accuracy", "Share of the validation rows that are classified correctly.",
      epoch_chart(report, &RunResult::epoch_details, "Accuracy of the validation rows", "accuracy",
                  [](const RunResult&, const EpochDetail& detail) { return detail.accuracy; }));
  add_chart(
      section, "certified-gap",
      "Relative distance of the training CVaR at the end of each epoch from the certified lower "
      "bound. The final model may be better: by default it is the mean of the second "
      "half.",
      epoch_chart(report, &RunResult::epoch_details, "Certified gap", "gap, %", gap_at), true);
  return section;
}

PageSection sampler_section(const RunReport& report) {
  PageSection section{.title = "The sampler", .items = {}};
  const auto distribution_measure = [](auto measure) {
    return [measure](const RunResult& result, const EpochDetail& detail) {
      return detail.distribution ? std::optional<double>(measure(result, *detail.distribution))
                                 : std::nullopt;
    };
  };
  const auto rows = [](const RunResult& result) {
    return static_cast<double>(result.train.value().rows);
  };
  const auto adaptive = [&](std::string title, std::string label, auto measure) {
    return epoch_chart(report, &RunResult::epoch_details, std::move(title), std::move(label),
                       distribution_measure(measure));
  };
  add_chart(
      section, "effective-rows",
      "Effective number of training rows of the distribution (1 / sum of squared probabilities): "
      "all rows for the uniform distribution, fewer as it concentrates on the tail.",
      adaptive("Effective number of examples", "rows",
               [](const RunResult&, const DistributionSummary& summary) {
                 return summary.effective_rows;
               }));
  add_chart(
      section, "tail-share",
      "Probability of the rows that are currently the worst alpha share; alpha for the uniform "
      "distribution.",
      adaptive("Draws in the current tail", "share of draws, %",
               [](const RunResult&, const DistributionSummary& summary) {
                 return 100 * summary.tail_share;
               }));
  add_chart(section, "entropy", "As a share of the entropy of the uniform distribution.",
            adaptive("Entropy of the distribution", "share, %",
                     [rows](const RunResult& result, const DistributionSummary& summary) {
                       return 100 * summary.entropy / std::log(std::max(2.0, rows(result)));
                     }));
  return section;
}

// --- the models

// Shows the models that most readers compare in detail.
bool is_main(const RunReport& report, std::size_t i) {
  const Algorithm algorithm = report.results[i].model.parts().options.algorithm;
  return report.results.size() == 1 || algorithm == Algorithm::adacvar ||
         algorithm == Algorithm::mean ||
         (algorithm == Algorithm::exact && i == 0);  // or the first of several tail shares
}

PageSection predicted_section(const RunReport& report) {
  PageSection section{.title = "Predicted against actual", .items = {}};
  const std::vector<std::string> names = names_of(report);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PartDetail& detail = *report.results[i].detail;
    if (!is_main(report, i) || detail.targets.empty()) continue;
    const bool several = names.size() > 1;
    section.items.emplace_back(
        predicted_figure(detail, several ? "predicted-" + file_stem(names[i]) : "predicted",
                         several ? names[i] : "", rows_name(report)));
  }
  return section;
}

std::optional<PageSection> coefficients_section(const RunReport& report) {
  const std::vector<std::string> names = names_of(report);
  std::vector<NamedCoefficients> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = scaled_coefficients(report.results[i].model);
    if (!found) return std::nullopt;
    if (found->coefficients.outputs.empty() || is_main(report, i)) {
      models.push_back({names[i], *std::move(found)});
    }
  }
  return coefficients_section(models);
}

std::string prediction_name(const TrainedModel& model) {
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  if (parts.class_names.empty()) return fmt::format("of the predicted '{}'", parts.target);
  if (!model.loss.has_probabilities()) return "score";
  return parts.class_names.size() == 2 ? fmt::format("probability of '{}'", parts.class_names[1])
                                       : "probability";
}

std::optional<PageSection> importance_section(const RunReport& report) {
  const std::vector<std::string> names = names_of(report);
  std::vector<NamedImportance> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    if (result.model.parts().trees() == nullptr) return std::nullopt;
    if (is_main(report, i)) {
      models.push_back({names[i], result.model.importance(), result.dependence,
                        prediction_name(result.model.parts())});
    }
  }
  return importance_section(models);
}

// --- worst rows and classes

PageSection worst_section(const RunReport& report) {
  PageSection section{.title = "Worst rows", .items = {}};
  const bool is_trees = has_trees(report);
  section.items.emplace_back(PageText{fmt::format(
      "The {} with the largest losses, and their values as the model sees them{}. At most 12 "
      "columns, those with the largest {}, are shown.",
      rows_name(report), is_trees ? "" : ": missing numbers are the mean of the training rows",
      is_trees ? "importance" : "weights")});
  const std::vector<std::string> names = names_of(report);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_main(report, i))
      section.items.emplace_back(worst_table(*report.results[i].detail, names[i]));
  }
  return section;
}

std::vector<NamedDetail> named_details(const RunReport& report) {
  const std::vector<std::string> names = names_of(report);
  std::vector<NamedDetail> details;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    const PartRisk& risk = detailed_risk(result);
    details.push_back({names[i], *result.detail, risk.accuracy, risk.auc,
                       is_main(report, i) ? std::span(risk.confusion) : std::span<const double>()});
  }
  return details;
}

// --- settings and origin

PageTable settings_table(const RunReport& report) {
  PageTable table{
      .caption = "Settings of each algorithm, including those resolved automatically or tuned",
      .columns = {"algorithm", "batch", "learning rate", "epochs", "ended by", "runs", "seconds"},
      .rows = {}};
  const std::vector<std::string> names = names_of(report);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RunResult& result = report.results[i];
    const TrainOptions& options = result.model.parts().options;
    const bool exact = options.algorithm == Algorithm::exact;
    const bool has_steps = !exact && !options.trees.trees;
    table.rows.push_back({{names[i]},
                          has_steps ? count_cell(options.batch) : PageCell{},
                          options.trees.trees ? number_cell(options.trees.tree_rate)
                          : has_steps         ? number_cell(options.learning_rate.value_or(kNan))
                                              : PageCell{},
                          exact ? PageCell{} : count_cell(result.epochs),
                          {std::string(kStopReasonNames.of(result.model.parts().stop_reason))},
                          count_cell(result.trials),
                          number_cell(result.seconds)});
  }
  return table;
}

PageSection last_section(const RunReport& report, const PageOrigin& origin) {
  const TrainedModel& model = report.results[0].model.parts();
  PageSection section =
      origin_section(origin, {{"data", model.source},
                              {"data fingerprint", fingerprint_text(model.fingerprint)},
                              {"seed", std::to_string(model.options.seed)}});
  section.items.insert(section.items.begin() + 3, settings_table(report));
  return section;
}

// `tail share 0.1`, `tail shares 0.5, 0.1, 0.01`.
std::string shares_text(const RunReport& report) {
  const std::vector<double> alphas = alphas_of(report);
  std::vector<std::string> texts;
  for (const double alpha : alphas) texts.push_back(fmt::format("{:g}", alpha));
  return fmt::format("tail share{} {}", texts.size() > 1 ? "s" : "", join(texts, ", "));
}

std::string title_of(const RunReport& report) {
  const TrainedModel& model = report.results[0].model.parts();
  const std::string algorithm = algorithm_title(model.options.algorithm);
  if (is_path(report)) {
    return fmt::format("{}: {} at {} tail shares", model.source, algorithm,
                       alphas_of(report).size());
  }
  return fmt::format("{}: {}", model.source,
                     report.results.size() > 1 ? "algorithms compared" : algorithm);
}

std::string subtitle_of(const RunReport& report) {
  const TrainedModel& model = report.results[0].model.parts();
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  const std::string network = model.networks() != nullptr
                                  ? fmt::format("network {}; ", model.network_options.network)
                                  : std::string();
  const std::string weight =
      parts.weight.empty() ? "" : fmt::format("rows weighted by '{}'; ", parts.weight);
  return fmt::format("{} of '{}' by the {} loss; {}{}{}, seed {}", task_name(parts.task),
                     parts.target, kLossNames.of(model.loss.kind()), network, weight,
                     shares_text(report), model.options.seed);
}

PageSection adjustments_section(const RunReport& report) {
  PageSection section{"Budgets and temperatures", {}};
  for (std::string& line : adjustment_lines(report)) {
    section.items.emplace_back(PageText{std::move(line)});
  }
  return section;
}

void add_if_any(Page& page, PageSection section) {
  if (!section.items.empty()) page.sections.push_back(std::move(section));
}

}  // namespace

Page run_page(const RunReport& report, const PageOrigin& origin) {
  const RunResult& first = report.results.at(0);
  const std::string_view loss = kLossNames.of(first.model.parts().loss.kind());
  const std::string rows = rows_name(report);
  const std::vector<NamedLosses> losses = named_losses(report);
  Page page{.title = title_of(report),
            .subtitle = subtitle_of(report),
            .verdict = verdict(report),
            .notes = report.all_notes(),
            .sections = {}};
  page.sections.push_back({"Losses", {losses_figure(losses, loss, rows)}});
  page.sections.push_back({"Tail shares", {cvar_figure(losses, loss, rows, alphas_of(report))}});
  page.sections.push_back(trade_off_section(report));
  add_if_any(page, adjustments_section(report));
  add_if_any(page, predicted_section(report));
  if (auto section = coefficients_section(report)) page.sections.push_back(*std::move(section));
  if (auto section = importance_section(report)) page.sections.push_back(*std::move(section));
  add_if_any(page, training_section(report));
  add_if_any(page, sampler_section(report));
  if (!first.detail->worst.empty()) page.sections.push_back(worst_section(report));
  if (!first.detail->classes.empty()) {
    page.sections.push_back(classes_section(named_details(report), rows));
  }
  page.sections.push_back(last_section(report, origin));
  return page;
}

}  // namespace adacvar
