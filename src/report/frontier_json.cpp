#include "report/frontier_report.hpp"

#include "data/preprocess_json.hpp"
#include "report/certificate_report.hpp"
#include "report/frontier_changes.hpp"
#include "report/risk_json.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> names_of(const FrontierReport& report, std::size_t point) {
  std::vector<std::string> names;
  for (const FrontierMark& mark : report.marks) {
    if (mark.point == point) names.push_back(mark.name);
  }
  return names;
}

ordered_json point_json(const FrontierReport& report, std::size_t i) {
  const RunResult& point = report.points[i];
  ordered_json json = {{std::string(report.setting_name()), report.setting(i)},
                       {"marks", names_of(report, i)},
                       {"risk", risk_json(point)},
                       {"stop_reason", kStopReasonNames.of(point.model.parts().stop_reason)}};
  if (point.budget) json["budget"] = budget_json(*point.budget);
  if (point.certificate) json["certificate"] = certificate_json(*point.certificate);
  return json;
}

constexpr const char* prefix_of(std::string_view rows) {
  return rows == "training" ? "train" : rows == "validation" ? "valid" : "test";
}

// The shortest text that is read as the same number.
std::string number_field(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string frontier_json(const FrontierReport& report, const std::string& model_path) {
  const RunResult& first = report.points.at(0);
  const TrainedModel& model = report.points.back().model.parts();
  ordered_json points = ordered_json::array();
  for (std::size_t i = 0; i < report.points.size(); ++i) points.push_back(point_json(report, i));
  ordered_json json = {{"algorithm", kAlgorithmNames.of(model.options.algorithm)},
                       {"task", task_name(model.preprocessor.parts().task)},
                       {"loss", kLossNames.of(model.loss.kind())},
                       {"alpha", model.options.alpha},
                       {"seed", model.options.seed},
                       {"rows", rows_json(first)}};
  if (!model.preprocessor.parts().weight.empty()) json["weight"] = weight_json(first);
  if (model.networks() != nullptr) json["network"] = model.network_options.network;
  if (model.trees() != nullptr) json["trees"] = true;
  json["points"] = std::move(points);
  if (report.chosen) {
    const FrontierMark& chosen = report.marks[*report.chosen];
    json["chosen"] = {{"mark", chosen.name}, {"point", chosen.point}};
  }
  json["verdict"] = frontier_verdict(report);
  json["interrupted"] = report.is_interrupted;
  if (!model_path.empty()) json["model"] = model_path;
  std::vector<std::string> notes = report.headlines;
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  json["notes"] = std::move(notes);
  // Names may contain bytes that are not UTF-8; they are replaced.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string frontier_csv(const FrontierReport& report) {
  const std::vector<FrontierRows> rows = rows_of(report);
  std::string text = fmt::format("{},marks", report.setting_name());
  for (const FrontierRows& one : rows) {
    const PartRisk& first = *(report.points[0].*one.part);
    const char* const prefix = prefix_of(one.name);
    text += fmt::format(",{0}_mean,{0}_var,{0}_cvar", prefix);
    if (first.accuracy) text += fmt::format(",{}_accuracy", prefix);
    if (first.calibration_error) text += fmt::format(",{}_calibration_error", prefix);
  }
  text += ",lower,upper\n";
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const RunResult& point = report.points[i];
    std::string marks;
    for (const std::string& name : names_of(report, i)) marks += (marks.empty() ? "" : "; ") + name;
    text += fmt::format("{},{}", report.setting(i), marks);
    for (const FrontierRows& one : rows) {
      const PartRisk& part = *(point.*one.part);
      text += fmt::format(",{},{},{}", part.risk.mean, part.risk.var, part.risk.cvar);
      if (part.accuracy) text += ',' + number_field(part.accuracy);
      if (part.calibration_error) text += ',' + number_field(part.calibration_error);
    }
    const auto& bounds = point.certificate;
    text += fmt::format(",{},{}\n", bounds ? number_field(bounds->lower) : "",
                        bounds ? number_field(bounds->upper) : "");
  }
  return text;
}

}  // namespace adacvar
