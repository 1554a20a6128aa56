#include <adacvar/report/correction.hpp>

#include "base/join.hpp"
#include "base/number_text.hpp"
#include "data/preprocess_json.hpp"
#include "report/certificate_report.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

const PredictionTransform& prediction_of(const Correction& correction) {
  return *correction.model.parts().preprocessor.parts().prediction;
}

std::string budget_text(const Correction& correction) {
  return fmt::format("{:.4g} %", 100 * correction.options.mean_budget);
}

std::string heading(const Correction& correction) {
  const TrainedModel& model = correction.model.parts();
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  const CorrectOptions& options = correction.options;
  std::string text = fmt::format(
      "{}: prediction '{}' of '{}', {} by the {} loss\nalpha {:g}, gamma {:g}, mean "
      "budget {}, rho {:.3g}, seed {}\n",
      model.source, parts.prediction->name, parts.target, task_name(parts.task),
      kLossNames.of(model.loss.kind()), options.alpha, options.gamma, budget_text(correction),
      correction.rho, options.seed);
  if (!parts.class_names.empty()) {
    text += fmt::format("'{}' is the {} of '{}'\n", parts.prediction->name,
                        parts.prediction->scale == PredictionScale::logit ? "logit" : "probability",
                        parts.class_names[parts.prediction->positive]);
  }
  const std::size_t features = correction.columns - 1 - kPredictionFeatures;
  text += fmt::format("columns: 1, {0}, {0}^2{1}\n", parts.prediction->name,
                      features == 0 ? "" : fmt::format(" and {} features", features));
  std::vector<std::string> rows;
  for (const CorrectedPart& part : correction.parts) {
    rows.push_back(fmt::format("{} {}", count_text(part.given.rows), part.name));
  }
  return text + fmt::format("rows: {}\n", join(rows, ", "));
}

std::vector<std::string> row_of(std::string name, const PartRisk& part) {
  std::vector<std::string> row = {std::move(name), number_text(part.risk.mean),
                                  number_text(part.risk.var), number_text(part.risk.cvar)};
  if (part.accuracy) row.push_back(fmt::format("{:.3f}", *part.accuracy));
  return row;
}

std::string table_text(const Correction& correction) {
  TextTable table;
  for (const CorrectedPart& part : correction.parts) {
    std::vector<std::string> header = {part.name, "mean", "VaR", "CVaR"};
    if (part.given.accuracy) header.emplace_back("accuracy");
    table.add(std::move(header));
    table.add(row_of("  given", part.given));
    if (correction.is_corrected) table.add(row_of("  corrected", part.corrected));
  }
  return table.text();
}

std::string difference_text(const CorrectedPart& part) {
  const CvarDifference& difference = *part.difference;
  return fmt::format("{} CVaR {}: {:+.4g}, 95 % interval {:+.4g} to {:+.4g}{}", part.name,
                     change_text(part.corrected.risk.cvar, part.given.risk.cvar), difference.value,
                     difference.interval.low, difference.interval.high,
                     difference.is_told_apart() ? "" : ": may be chance");
}

std::string trial_text(const Correction& correction) {
  const CorrectionTrial& trial = *correction.trial;
  return fmt::format(
      "in {}-fold cross-validation of the training rows the CVaR is {} ({} to {}) and the mean "
      "{} (budget {})",
      trial.folds, change_text(trial.corrected.cvar, trial.given.cvar),
      number_text(trial.given.cvar), number_text(trial.corrected.cvar),
      change_text(trial.corrected.mean, trial.given.mean), budget_text(correction));
}

ordered_json risk_json(const TailRisk& risk) {
  return {{"mean", risk.mean}, {"var", risk.var}, {"cvar", risk.cvar}};
}

ordered_json part_json(const PartRisk& part) {
  ordered_json json = risk_json(part.risk);
  if (part.accuracy) json["accuracy"] = *part.accuracy;
  if (part.min_class_precision) json["min_class_precision"] = *part.min_class_precision;
  return json;
}

ordered_json part_json(const CorrectedPart& part) {
  ordered_json json = {{"rows", part.given.rows},
                       {"given", part_json(part.given)},
                       {"corrected", part_json(part.corrected)}};
  if (const auto& difference = part.difference) {
    json["difference"] = {{"value", difference->value},
                          {"error", difference->error},
                          {"interval", {difference->interval.low, difference->interval.high}}};
  }
  return json;
}

ordered_json prediction_json(const Correction& correction) {
  const Preprocessor::Parts& parts = correction.model.parts().preprocessor.parts();
  const PredictionTransform& prediction = prediction_of(correction);
  ordered_json json = {{"column", prediction.name},
                       {"scale", kPredictionScaleNames.of(prediction.scale)}};
  if (!parts.class_names.empty()) json["positive"] = parts.class_names[prediction.positive];
  return json;
}

ordered_json trial_json(const CorrectionTrial& trial) {
  return {{"folds", trial.folds},
          {"given", risk_json(trial.given)},
          {"corrected", risk_json(trial.corrected)},
          {"mean_excess", trial.mean_excess},
          {"mean_error", trial.mean_error}};
}

}  // namespace

std::string choice_text(const Correction& correction) {
  if (!correction.trial) return "corrected, as asked (choose = always), without cross-validation";
  const std::string found = trial_text(correction);
  if (correction.is_corrected) return fmt::format("corrected: {}", found);
  return fmt::format("not corrected: {}; {}. The model returns '{}' unchanged", found,
                     correction.trial->lowers_cvar() ? "the mean is beyond the budget"
                                                     : "the correction does not lower the CVaR",
                     prediction_of(correction).name);
}

std::string correction_text(const Correction& correction) {
  std::string text = wrap(choice_text(correction), kTerminalWidth) + "\n\n" + heading(correction) +
                     "\n" + table_text(correction);
  if (correction.is_corrected) text += '\n';
  for (const CorrectedPart& part : correction.parts) {
    if (part.difference) text += wrap(difference_text(part), kTerminalWidth, 2) + '\n';
  }
  if (correction.certificate) {
    text += wrap(certificate_text(*correction.certificate, "training risk and ridge"),
                 kTerminalWidth, 2) +
            '\n';
  }
  return text;
}

std::string correction_json(const Correction& correction, const std::string& model_path) {
  const TrainedModel& model = correction.model.parts();
  const CorrectOptions& options = correction.options;
  constexpr Names kParts{"train", "valid", "test"};
  ordered_json risk = ordered_json::object();
  for (const CorrectedPart& part : correction.parts) {
    const std::size_t place = part.name == "training" ? 0 : part.name == "validation" ? 1 : 2;
    risk[std::string(kParts.of(place))] = part_json(part);
  }
  ordered_json json = {{"chosen", correction.is_corrected ? "correction" : "none"},
                       {"why", choice_text(correction)},
                       {"task", task_name(model.preprocessor.parts().task)},
                       {"loss", kLossNames.of(model.loss.kind())},
                       {"prediction", prediction_json(correction)},
                       {"alpha", options.alpha},
                       {"gamma", options.gamma},
                       {"mean_budget", options.mean_budget},
                       {"rho", correction.rho},
                       {"columns", correction.columns},
                       {"seed", options.seed}};
  if (correction.trial) json["cross_validation"] = trial_json(*correction.trial);
  json["risk"] = std::move(risk);
  if (correction.certificate) json["certificate"] = certificate_json(*correction.certificate);
  if (!model_path.empty()) json["model"] = model_path;
  std::vector<std::string> notes = correction.headlines;
  notes.insert(notes.end(), correction.notes.begin(), correction.notes.end());
  json["notes"] = std::move(notes);
  // Column names may contain bytes that are not UTF-8; they are replaced.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace adacvar
