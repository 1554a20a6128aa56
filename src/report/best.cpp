#include <adacvar/report/best.hpp>

#include "base/number_text.hpp"
#include "data/preprocess_json.hpp"
#include "report/best_sentences.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

std::string heading(const BestReport& report) {
  const TrainedModel& model = report.model.parts();
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  const BestOptions& options = report.options;
  std::string text = fmt::format(
      "{}: {} of '{}' by the {} loss\nalpha {:g}, mean budget {:.4g} %, seed {}\n", model.source,
      task_name(parts.task), parts.target, kLossNames.of(model.loss.kind()), options.alpha,
      100 * options.mean_budget, options.seed);
  text +=
      fmt::format("rows: {} training in {} folds", count_text(report.training_rows), options.folds);
  if (report.test) text += fmt::format(", {} test", count_text(report.test->rows));
  return text + "\n";
}

std::vector<std::string> row_of(const std::string& name, const std::string& weight,
                                const PartRisk& part, bool has_accuracy, double seconds) {
  std::vector<std::string> row = {name, weight, number_text(part.risk.mean),
                                  number_text(part.risk.var), number_text(part.risk.cvar)};
  if (has_accuracy) row.push_back(part.accuracy ? fmt::format("{:.3f}", *part.accuracy) : "");
  row.push_back(seconds > 0 ? fmt::format("{:.1f}", seconds) : "");
  return row;
}

std::vector<std::string> header_of(const std::string& part, bool has_accuracy) {
  std::vector<std::string> header = {part, "weight", "mean", "VaR", "CVaR"};
  if (has_accuracy) header.emplace_back("accuracy");
  header.emplace_back("seconds");
  return header;
}

// Tiny losses have an exponent.
std::string fitted_text(TextTable table) {
  table.fit(kTerminalWidth, {0});
  return table.text();
}

std::string table_text(const BestReport& report) {
  const bool has_accuracy = report.stack.held_out.accuracy.has_value();
  const auto row = [&](const std::string& name, const std::string& weight, const PartRisk& part,
                       double seconds) {
    return row_of("  " + name, weight, part, has_accuracy, seconds);
  };
  TextTable table(header_of("held out", has_accuracy));
  for (const BestBase& base : report.bases) {
    table.add(row(base.name, fmt::format("{:.2f}", base.weight), base.held_out, base.seconds));
  }
  table.add(row("stack", "", report.stack.held_out, 0));
  table.add(row("best", "", report.held_out, report.seconds));
  if (!report.test) return fitted_text(std::move(table));
  table.add(header_of("test", has_accuracy));
  for (const BestBase& base : report.bases) {
    table.add(row(base.name, fmt::format("{:.2f}", base.weight), *base.test, base.seconds));
  }
  table.add(row("stack", "", *report.stack.test, 0));
  table.add(row("best", "", *report.test, report.seconds));
  return fitted_text(std::move(table));
}

std::string frontier_text(const BestReport& report) {
  std::vector<std::string> header = {"mean budget", "held out mean", "CVaR"};
  if (report.test) header.insert(header.end(), {"test mean", "CVaR"});
  TextTable table(std::move(header));
  for (const BestPoint& point : report.frontier) {
    std::vector<std::string> row = {fmt::format("+{:.4g} %", 100 * point.mean_budget),
                                    number_text(point.held_out.mean),
                                    number_text(point.held_out.cvar)};
    if (point.test) {
      row.push_back(number_text(point.test->mean));
      row.push_back(number_text(point.test->cvar));
    }
    table.add(std::move(row));
  }
  return table.text();
}

ordered_json part_json(const PartRisk& part) {
  ordered_json json = {{"mean", part.risk.mean}, {"var", part.risk.var}, {"cvar", part.risk.cvar}};
  if (part.accuracy) json["accuracy"] = *part.accuracy;
  if (part.auc) json["auc"] = *part.auc;
  return json;
}

ordered_json risks_json(const PartRisk& held_out, const std::optional<PartRisk>& test) {
  ordered_json json = {{"held_out", part_json(held_out)}};
  if (test) json["test"] = part_json(*test);
  return json;
}

ordered_json risk_json(const TailRisk& risk) {
  return {{"mean", risk.mean}, {"var", risk.var}, {"cvar", risk.cvar}};
}

}  // namespace

std::string change_sentence(const BestReport& report) {
  const TailRisk& before = report.stack.held_out.risk;
  const TailRisk& after = report.held_out.risk;
  const std::string changes = fmt::format("CVaR {}, mean {}", change_text(after.cvar, before.cvar),
                                          change_text(after.mean, before.mean));
  if (report.temperature != 1) {
    return fmt::format("temperature {:.3g}: on held-out rows {}", report.temperature, changes);
  }
  if (report.is_corrected) {
    return fmt::format("best is the stack with its tail corrected: on held-out rows {}", changes);
  }
  if (report.frontier.empty()) return "best is the stack";
  return "best is the stack: no correction lowers the cross-validated CVaR within the mean budget";
}

std::string difference_sentence(const BestReport& report) {
  if (!report.difference) return {};
  const CvarDifference& difference = *report.difference;
  return fmt::format("test CVaR {} by that: {:+.4g}, 95 % interval {:+.4g} to {:+.4g}{}",
                     change_text(report.test->risk.cvar, report.stack.test->risk.cvar),
                     difference.value, difference.interval.low, difference.interval.high,
                     difference.is_told_apart() ? "" : ": may be chance");
}

std::string guarantee_sentence(const BestReport& report) {
  if (!report.bound) return {};
  return fmt::format(
      "with {:g} % confidence the CVaR of future rows is at most {}, if no loss exceeds {}",
      100 * report.options.guarantee, number_text(*report.bound),
      number_text(report.options.loss_max));
}

std::string best_text(const BestReport& report) {
  std::string text = heading(report) + "\n" + table_text(report) + "\n";
  for (const std::string& sentence :
       {change_sentence(report), difference_sentence(report), guarantee_sentence(report)}) {
    if (!sentence.empty()) text += wrap(sentence, kTerminalWidth, 2) + "\n";
  }
  if (!report.frontier.empty()) text += "\n" + frontier_text(report);
  return text;
}

std::string best_json(const BestReport& report, const std::string& model_path) {
  const TrainedModel& model = report.model.parts();
  ordered_json bases = ordered_json::array();
  for (const BestBase& base : report.bases) {
    bases.push_back({{"name", base.name},
                     {"weight", base.weight},
                     {"risk", risks_json(base.held_out, base.test)},
                     {"seconds", base.seconds}});
  }
  ordered_json frontier = ordered_json::array();
  for (const BestPoint& point : report.frontier) {
    ordered_json one = {{"mean_budget", point.mean_budget},
                        {"corrected", point.is_corrected},
                        {"held_out", risk_json(point.held_out)}};
    if (point.fitted_budget) one["fitted_budget"] = *point.fitted_budget;
    if (point.test) one["test"] = risk_json(*point.test);
    frontier.push_back(std::move(one));
  }
  ordered_json json = {
      {"task", task_name(model.preprocessor.parts().task)},
      {"loss", kLossNames.of(model.loss.kind())},
      {"alpha", report.options.alpha},
      {"mean_budget", report.options.mean_budget},
      {"seed", report.options.seed},
      {"folds", report.options.folds},
      {"rows", {{"train", report.training_rows}, {"test", report.test ? report.test->rows : 0}}},
      {"bases", std::move(bases)},
      {"stack", risks_json(report.stack.held_out, report.stack.test)},
      {"risk", risks_json(report.held_out, report.test)},
      {"corrected", report.is_corrected},
      {"temperature", report.temperature},
      {"frontier", std::move(frontier)},
      {"seconds", report.seconds},
      {"interrupted", report.is_interrupted}};
  if (const auto& difference = report.difference) {
    json["difference"] = {{"value", difference->value},
                          {"error", difference->error},
                          {"interval", {difference->interval.low, difference->interval.high}}};
  }
  if (report.bound) {
    json["guarantee"] = {{"confidence", report.options.guarantee},
                         {"loss_max", report.options.loss_max},
                         {"cvar", *report.bound}};
  }
  if (!model_path.empty()) json["model"] = model_path;
  std::vector<std::string> notes = report.headlines;
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  json["notes"] = std::move(notes);
  // Column names may contain bytes that are not UTF-8; they are replaced.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace adacvar
