#include "report/risk_json.hpp"

#include "report/confusion_report.hpp"
#include "run/trained_model.hpp"

#include <nlohmann/json.hpp>

namespace adacvar {

using nlohmann::ordered_json;

namespace {

ordered_json part_json(const PartRisk& part) {
  ordered_json json = {{"mean", part.risk.mean}, {"var", part.risk.var}, {"cvar", part.risk.cvar}};
  if (part.accuracy) json["accuracy"] = *part.accuracy;
  if (part.min_class_precision) json["min_class_precision"] = *part.min_class_precision;
  if (part.auc) json["auc"] = *part.auc;
  if (!part.confusion.empty()) json["confusion"] = confusion_json(part.confusion);
  if (part.calibration_error) json["calibration_error"] = *part.calibration_error;
  if (const auto& above = part.above_least) {
    json["best"] = part.best;
    json["above_least"] = {{"value", above->value},
                           {"error", above->error},
                           {"interval", {above->interval.low, above->interval.high}}};
  }
  return json;
}

}  // namespace

ordered_json risk_json(const RunResult& result) {
  ordered_json json = ordered_json::object();
  if (result.train) json["train"] = part_json(*result.train);
  if (result.valid) json["valid"] = part_json(*result.valid);
  if (result.test) json["test"] = part_json(*result.test);
  return json;
}

ordered_json rows_json(const RunResult& result) {
  const auto rows = [](const std::optional<PartRisk>& part) { return part ? part->rows : 0; };
  return {
      {"train", rows(result.train)}, {"valid", rows(result.valid)}, {"test", rows(result.test)}};
}

ordered_json weight_json(const RunResult& result) {
  const auto weight = [](const std::optional<PartRisk>& part) { return part ? part->weight : 0; };
  return {{"column", result.model.parts().preprocessor.parts().weight},
          {"train", weight(result.train)},
          {"valid", weight(result.valid)},
          {"test", weight(result.test)}};
}

ordered_json blend_json(const Blend& blend) {
  const auto risk = [](const TailRisk& of) {
    return ordered_json{{"mean", of.mean}, {"var", of.var}, {"cvar", of.cvar}};
  };
  return {{"share", blend.share},
          {"of", blend.is_mix ? "scores" : "weights"},
          {"alpha", blend.alpha},
          {"valid_plain", risk(blend.plain)},
          {"valid_blended", risk(blend.blended)}};
}

ordered_json budget_json(const BudgetOutcome& budget) {
  ordered_json json = {{"of", budget.limit.of == RiskLimit::Of::mean ? "mean" : "cvar"},
                       {"rows", budget.on_validation ? "valid" : "train"},
                       {"limit", budget.limit.most},
                       {"attained", budget.attained}};
  if (budget.mean_budget) {
    json["mean_budget"] = *budget.mean_budget;
    json["least_mean"] = budget.least;
    if (budget.least_interrupted) json["least_mean_interrupted"] = true;
  }
  return json;
}

}  // namespace adacvar
