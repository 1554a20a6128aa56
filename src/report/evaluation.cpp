#include <adacvar/report/evaluation.hpp>

#include "base/join.hpp"
#include "report/certificate_report.hpp"
#include "report/coefficient_report.hpp"
#include "report/confusion_report.hpp"
#include "report/guarantee_report.hpp"
#include "report/importance_report.hpp"
#include "report/interval_marks.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

std::string interval_text(double value, const Interval& interval) {
  return fmt::format("{} [{}, {}]", number_text(value), number_text(interval.low),
                     number_text(interval.high));
}

// Reserves a column for the mark, so that numbers are aligned.
std::string with_mark(const std::string& text, const RiskEstimate& risk) {
  const std::string mark = interval_mark(risk);
  return text + " " + (mark.empty() ? " " : mark);
}

std::string auc_text(const RiskTable& table, std::size_t classes) {
  if (!table.auc) return {};
  return fmt::format(", AUC {:.3f}{}", *table.auc, classes > 2 ? " (one versus rest)" : "");
}

std::string risk_table(const RiskTable& table, const std::optional<Guarantee>& guarantee,
                       std::size_t classes) {
  std::vector<std::string> header = {"alpha", "VaR", "CVaR"};
  if (guarantee) header.emplace_back("new rows");
  TextTable text(std::move(header));
  for (std::size_t a = 0; a < table.risk.size(); ++a) {
    const RiskEstimate& risk = table.risk[a];
    std::vector<std::string> row = {fmt::format("{:g}", risk.alpha),
                                    interval_text(risk.var, risk.var_interval),
                                    with_mark(interval_text(risk.cvar, risk.cvar_interval), risk)};
    if (guarantee) row.push_back("<= " + number_text(guarantee->cvar[a]));
    text.add(std::move(row));
  }
  std::string result = fmt::format(
      "mean {}\n", interval_text(table.risk.at(0).mean, table.risk.at(0).mean_interval));
  if (table.accuracy) {
    result += fmt::format("accuracy {:.3f}, least precision of a class {:.3f}{}\n", *table.accuracy,
                          *table.min_class_precision, auc_text(table, classes));
  }
  return result + text.text();
}

// One line per group and alpha; only the first has the group's name.
TextTable group_lines(const Evaluation& evaluation, bool interval_of_mean, bool interval_of_cvar) {
  const auto value_text = [](double value, const Interval& interval, bool with_interval) {
    return with_interval ? interval_text(value, interval) : number_text(value);
  };
  const bool classes = evaluation.all.accuracy.has_value();
  std::vector<std::string> header = {
      evaluation.group_column, "rows", "alpha", "mean", "VaR", "CVaR"};
  if (classes) header.emplace_back("accuracy");
  TextTable text(std::move(header));
  for (const RiskTable& group : evaluation.groups) {
    for (const RiskEstimate& risk : group.risk) {
      const bool first = &risk == group.risk.data();
      std::vector<std::string> row = {
          first ? group.name : "",
          first ? count_text(group.rows) : "",
          fmt::format("{:g}", risk.alpha),
          first ? value_text(risk.mean, risk.mean_interval, interval_of_mean) : "",
          number_text(risk.var),
          with_mark(value_text(risk.cvar, risk.cvar_interval, interval_of_cvar), risk)};
      if (classes) row.push_back(first ? fmt::format("{:.3f}", *group.accuracy) : "");
      text.add(std::move(row));
    }
  }
  return text;
}

// Omits intervals, that of the mean first, if the table would be too wide; --json and the report
// have all of them.
std::string group_table(const Evaluation& evaluation) {
  TextTable text;
  for (const auto& [mean, cvar] : {std::pair{true, true}, {false, true}, {false, false}}) {
    text = group_lines(evaluation, mean, cvar);
    text.fit(kTerminalWidth, {0});
    if (text.width() <= kTerminalWidth) break;
  }
  return text.text();
}

std::string worst_table(const Evaluation& evaluation) {
  TextTable text({"row", "loss", "target", "prediction"});
  for (const WorstRow& row : evaluation.detail.worst) {
    text.add({std::to_string(row.row), number_text(row.loss), row.target, row.prediction});
  }
  text.fit(kTerminalWidth, {2, 3});
  return text.text();
}

ordered_json interval_json(const Interval& interval) { return {interval.low, interval.high}; }

// Differences to the other model, then what they show.
std::string difference_table(const Evaluation& evaluation) {
  const bool guaranteed = evaluation.guarantee.has_value();
  std::vector<std::string> header = {"alpha", "CVaR", "other", "difference"};
  if (guaranteed) header.emplace_back("new rows");
  TextTable text(std::move(header));
  for (std::size_t a = 0; a < evaluation.differences.size(); ++a) {
    const RiskEstimate& risk = evaluation.all.risk[a];
    const ModelDifference& found = evaluation.differences[a];
    std::vector<std::string> row = {
        fmt::format("{:g}", risk.alpha), number_text(risk.cvar), number_text(found.other_cvar),
        interval_text(found.difference.value, found.difference.interval)};
    if (guaranteed) row.push_back("<= " + number_text(*found.guaranteed));
    text.add(std::move(row));
  }
  std::string result = fmt::format("\nagainst {}\n{}", other_name(evaluation), text.text());
  for (const std::string& sentence : difference_sentences(evaluation)) {
    result += wrap(sentence, kTerminalWidth) + '\n';
  }
  return result;
}

ordered_json differences_json(const Evaluation& evaluation) {
  ordered_json list = ordered_json::array();
  for (std::size_t a = 0; a < evaluation.differences.size(); ++a) {
    const ModelDifference& found = evaluation.differences[a];
    ordered_json entry = {{"alpha", evaluation.all.risk[a].alpha},
                          {"other_cvar", found.other_cvar},
                          {"difference", found.difference.value},
                          {"interval", interval_json(found.difference.interval)}};
    if (found.guaranteed) {
      entry["difference_at_most"] = *found.guaranteed;
      entry["better"] = *found.guaranteed < 0;
    }
    list.push_back(std::move(entry));
  }
  return {{"model", evaluation.other_model}, {"tails", std::move(list)}};
}

ordered_json guarantee_json(const Evaluation& evaluation) {
  const Guarantee& guarantee = *evaluation.guarantee;
  ordered_json list = ordered_json::array();
  for (std::size_t a = 0; a < guarantee.cvar.size(); ++a) {
    list.push_back({{"alpha", evaluation.all.risk[a].alpha}, {"cvar_at_most", guarantee.cvar[a]}});
  }
  return {{"confidence", guarantee.confidence},
          {"loss_max", guarantee.loss_max},
          {"tails", std::move(list)}};
}

ordered_json risk_json(const RiskTable& table) {
  ordered_json list = ordered_json::array();
  for (const RiskEstimate& risk : table.risk) {
    list.push_back({{"alpha", risk.alpha},
                    {"var", risk.var},
                    {"var_interval", interval_json(risk.var_interval)},
                    {"cvar", risk.cvar},
                    {"cvar_interval", interval_json(risk.cvar_interval)},
                    {"reliable", risk.reliable}});
  }
  ordered_json json = {{"rows", table.rows},
                       {"mean", table.risk.at(0).mean},
                       {"mean_interval", interval_json(table.risk.at(0).mean_interval)},
                       {"tails", std::move(list)},
                       {"heavy_tail", table.risk.at(0).heavy_tail()}};
  if (table.weight > 0 && table.weight != static_cast<double>(table.rows)) {
    json["weight"] = table.weight;
  }
  if (table.risk.at(0).tail_index) json["tail_index"] = *table.risk.at(0).tail_index;
  if (table.accuracy) json["accuracy"] = *table.accuracy;
  if (table.min_class_precision) json["min_class_precision"] = *table.min_class_precision;
  if (table.auc) json["auc"] = *table.auc;
  if (!table.confusion.empty()) json["confusion"] = confusion_json(table.confusion);
  return json;
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation) {
  const bool is_weighted = !evaluation.detail.weights.empty();
  const std::string weight =
      is_weighted ? fmt::format(" (weight {})", number_text(evaluation.all.weight)) : "";
  std::string text =
      fmt::format("{}: {} rows{}, {} loss; {:g} % intervals from {} resamples\n\n",
                  evaluation.source, count_text(evaluation.all.rows), weight, evaluation.loss,
                  100 * evaluation.level, count_text(evaluation.resamples));
  text += risk_table(evaluation.all, evaluation.guarantee, evaluation.classes.size());
  if (evaluation.guarantee) {
    text += fmt::format("\n{}\n", wrap(guarantee_sentence(*evaluation.guarantee), kTerminalWidth));
  }
  if (!evaluation.differences.empty()) text += difference_table(evaluation);
  if (!evaluation.all.confusion.empty()) {
    text += '\n' +
            confusion_text({evaluation.all.confusion, evaluation.classes}, rows_name(evaluation));
  }
  if (evaluation.certificate) {
    text += fmt::format("\nat alpha {:g}: {}\n", evaluation.certified_alpha,
                        certificate_text(*evaluation.certificate, "CVaR"));
  }
  if (!evaluation.groups.empty()) text += '\n' + group_table(evaluation);
  std::vector<RiskTable> tables = evaluation.groups;
  tables.push_back(evaluation.all);
  const std::vector<std::string> legend = mark_legend(tables);
  if (!legend.empty()) text += fmt::format("\n{}\n", join(legend, "\n"));
  if (!evaluation.detail.worst.empty()) {
    text +=
        fmt::format("\nworst rows: {}\n", evaluation.detail.worst.size()) + worst_table(evaluation);
  }
  return text;
}

std::string evaluation_json(const Evaluation& evaluation) {
  ordered_json json = {{"data", evaluation.source},
                       {"loss", evaluation.loss},
                       {"level", evaluation.level},
                       {"resamples", evaluation.resamples}};
  json.update(risk_json(evaluation.all));
  if (!evaluation.classes.empty()) json["classes"] = evaluation.classes;
  if (evaluation.certificate) json["certificate"] = certificate_json(*evaluation.certificate);
  if (evaluation.guarantee) json["guarantee"] = guarantee_json(evaluation);
  if (!evaluation.differences.empty()) json["against"] = differences_json(evaluation);
  if (!evaluation.groups.empty()) {
    ordered_json groups = ordered_json::array();
    for (const RiskTable& group : evaluation.groups) {
      ordered_json entry = {{"value", group.name}};
      entry.update(risk_json(group));
      groups.push_back(std::move(entry));
    }
    json["group"] = evaluation.group_column;
    json["groups"] = std::move(groups);
  }
  ordered_json worst = ordered_json::array();
  for (const WorstRow& row : evaluation.detail.worst) {
    worst.push_back({{"row", row.row},
                     {"loss", row.loss},
                     {"target", row.target},
                     {"prediction", row.prediction}});
  }
  json["worst"] = std::move(worst);
  if (evaluation.coefficients) json["coefficients"] = coefficients_json(*evaluation.coefficients);
  if (!evaluation.importance.empty()) json["importance"] = importance_json(evaluation.importance);
  json["notes"] = evaluation.notes;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace adacvar
