#include <adacvar/report/run_json.hpp>

#include "run/trained_model.hpp"

#include "data/preprocess_json.hpp"
#include "report/certificate_report.hpp"
#include "report/coefficient_report.hpp"
#include "report/confusion_report.hpp"
#include "report/importance_report.hpp"

#include "report/repeats.hpp"
#include "report/risk_json.hpp"

#include <nlohmann/json.hpp>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

ordered_json result_json(const RunResult& result, const std::string& model_path) {
  const TrainedModel& model = result.model.parts();
  ordered_json json = {{"algorithm", kAlgorithmNames.of(model.options.algorithm)},
                       {"label", result.label()},
                       {"task", task_name(model.preprocessor.parts().task)},
                       {"loss", kLossNames.of(model.loss.kind())},
                       {"alpha", model.options.alpha},
                       {"gamma", model.options.gamma},
                       {"seed", model.options.seed},
                       {"rows", rows_json(result)},
                       {"risk", risk_json(result)},
                       {"stop_reason", kStopReasonNames.of(model.stop_reason)},
                       {"epochs", result.epochs},
                       {"trials", result.trials},
                       {"seconds", result.seconds},
                       {"norm", result.norm}};
  if (!model.preprocessor.parts().weight.empty()) json["weight"] = weight_json(result);
  if (result.trials > 1) {
    json["selected_by"] = result.selected_by_accuracy ? "accuracy" : "cvar";
  }
  if (const TreeModel* const trees = model.trees()) {
    json["trees"] = trees->parts().trees.size();
    json["leaves"] = trees->parameter_count();
  } else if (model.networks() != nullptr) {
    json["network"] = model.network_options.network;
    json["parameters"] = model.nonlinear->parameter_count();
  }
  if (result.budget) json["budget"] = budget_json(*result.budget);
  if (result.calibration) {
    const TailRisk& before = result.calibration->before;
    json["calibration"] = {{"temperature", result.calibration->temperature},
                           {"valid_before", {{"mean", before.mean}, {"cvar", before.cvar}}}};
  }
  if (result.blend) json["blend"] = blend_json(*result.blend);
  if (result.certificate) json["certificate"] = certificate_json(*result.certificate);
  if (!result.no_certificate.empty()) json["no_certificate"] = result.no_certificate;
  if (!result.model.classes().empty()) json["classes"] = result.model.classes();
  if (!model_path.empty()) json["model"] = model_path;
  return json;
}

ordered_json with_columns(ordered_json json, const RunResult& result) {
  if (const auto found = scaled_coefficients(result.model)) {
    json["coefficients"] = coefficients_json(found->coefficients);
  }
  if (result.model.parts().trees() != nullptr) {
    json["importance"] = importance_json(result.model.importance(), result.dependence);
  }
  return json;
}

std::string path_at(std::span<const std::string> paths, std::size_t i) {
  return i < paths.size() ? paths[i] : "";
}

ordered_json mean_sd_json(const MeanSd& value) { return {{"mean", value.mean}, {"sd", value.sd}}; }

ordered_json part_json(const RepeatedPart& part) {
  ordered_json json = {{"mean", mean_sd_json(part.mean)},
                       {"var", mean_sd_json(part.var)},
                       {"cvar", mean_sd_json(part.cvar)}};
  if (part.accuracy) json["accuracy"] = mean_sd_json(*part.accuracy);
  if (part.min_class_precision) {
    json["min_class_precision"] = mean_sd_json(*part.min_class_precision);
  }
  json["best"] = part.best;
  json["above_least"] = mean_sd_json(part.above_least);
  json["above_least"]["error"] = part.error;
  return json;
}

ordered_json repeated_json(const RepeatedResult& result) {
  ordered_json risk = ordered_json::object();
  if (result.train) risk["train"] = part_json(*result.train);
  if (result.valid) risk["valid"] = part_json(*result.valid);
  if (result.test) risk["test"] = part_json(*result.test);
  return {{"algorithm", kAlgorithmNames.of(result.algorithm)},
          {"label", result.label},
          {"risk", std::move(risk)},
          {"broken_off", result.failed_repeats},
          {"seconds", result.seconds}};
}

// Column names may contain bytes that are not UTF-8; they are replaced.
std::string line_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string run_json(const RunReport& report, const std::string& model_path) {
  if (report.results.size() > 1) return compare_json(report);
  const RunResult& result = report.results.at(0);
  ordered_json json = with_columns(result_json(result, model_path), result);
  json["notes"] = report.all_notes();
  return line_of(json);
}

std::string trace_json(const TraceRecord& record) {
  const GameRecord& game = record.game;
  ordered_json json = {{"epoch", record.epoch.epoch},
                       {"training_loss", record.epoch.training_loss}};
  if (const auto& valid = record.epoch.validation) {
    json["valid"] = {{"mean", valid->mean}, {"var", valid->var}, {"cvar", valid->cvar}};
  }
  json["certificate"] = certificate_json(game.certificate);
  json["value"] = game.value;
  json["sampler_regret"] = game.sampler_regret;
  json["learner_regret"] = game.learner_regret;
  json["effective_rows"] = game.distribution.effective_rows;
  json["tail_share"] = game.distribution.tail_share;
  json["entropy"] = game.distribution.entropy;
  return line_of(json);
}

std::string compare_json(const RunReport& report, std::span<const std::string> model_paths) {
  ordered_json runs = ordered_json::array();
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const RunResult& result = report.results[i];
    runs.push_back(with_columns(result_json(result, path_at(model_paths, i)), result));
  }
  return line_of({{"runs", std::move(runs)}, {"notes", report.all_notes()}});
}

std::string repeats_json(std::span<const RunReport> reports, const std::vector<std::string>& notes,
                         std::span<const std::string> model_paths) {
  ordered_json seeds = ordered_json::array();
  ordered_json runs = ordered_json::array();
  for (const RunReport& report : reports) {
    seeds.push_back(report.results.at(0).model.parts().options.seed);
    for (const RunResult& result : report.results) {
      runs.push_back(result_json(result, path_at(model_paths, runs.size())));
    }
  }
  ordered_json algorithms = ordered_json::array();
  for (const RepeatedResult& result : summarise_repeats(reports)) {
    algorithms.push_back(repeated_json(result));
  }
  return line_of({{"repeats", {{"seeds", std::move(seeds)}, {"algorithms", std::move(algorithms)}}},
                  {"runs", std::move(runs)},
                  {"notes", notes}});
}

}  // namespace adacvar
