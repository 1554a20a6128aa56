#include "report/run_heading.hpp"

#include "base/join.hpp"
#include "run/trained_model.hpp"

#include "data/preprocess_json.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <vector>

namespace adacvar {

namespace {

// `rows: 500 training, 300 validation, 200 test`.
std::string rows_line(const RunResult& result) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<PartRisk>& part, std::string_view name) {
    if (part) parts.push_back(fmt::format("{} {}", count_text(part->rows), name));
  };
  add(result.train, "training");
  add(result.valid, "validation");
  add(result.test, "test");
  return fmt::format("rows: {}\n", join(parts, ", "));
}

std::string weights_line(const RunResult& result, const std::string& column) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<PartRisk>& part, std::string_view name) {
    if (part) parts.push_back(fmt::format("{} {}", number_text(part->weight), name));
  };
  add(result.train, "training");
  add(result.valid, "validation");
  add(result.test, "test");
  return fmt::format("weight '{}': {}\n", column, join(parts, ", "));
}

}  // namespace

std::string run_heading(const RunResult& result, const std::string& setting) {
  const TrainedModel& model = result.model.parts();
  const Preprocessor::Parts& parts = model.preprocessor.parts();
  std::string text =
      fmt::format("{}: {} of '{}' by the {} loss; {}\n", model.source, task_name(parts.task),
                  parts.target, kLossNames.of(model.loss.kind()), setting);
  if (const TreeModel* const trees = model.trees()) {
    text += fmt::format("trees: {}, {} leaves\n", count_text(trees->parts().trees.size()),
                        count_text(trees->parameter_count()));
  } else if (model.networks() != nullptr) {
    text += fmt::format("network: {}, {} parameters\n", model.network_options.network,
                        count_text(model.nonlinear->parameter_count()));
  }
  text += rows_line(result);
  return parts.weight.empty() ? text : text + weights_line(result, parts.weight);
}

std::string spread_text(double value, double spread) {
  return fmt::format("{} ± {:.2g}", number_text(value), spread);
}

}  // namespace adacvar
