#include "cli/model_folder.hpp"

#include "base/file_stem.hpp"
#include "base/join.hpp"
#include "cli/common_options.hpp"
#include "report/text_table.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace adacvar::cli {

namespace {

// Results with the same name are numbered.
std::string unused_name(const std::string& stem, const std::vector<std::string>& used) {
  std::string name = stem + ".json";
  for (int number = 2; std::ranges::find(used, name) != used.end(); ++number) {
    name = fmt::format("{}-{}.json", stem, number);
  }
  return name;
}

}  // namespace

const std::vector<OptionSpec>& ModelFolder::options() {
  static const std::vector<OptionSpec> all{
      {"model", &ModelFolder::model,
       "folder to write the models to, one file for each algorithm (adacvar.json, ...)"},
  };
  return all;
}

void add_model_folder(OptionList& list, ModelFolder& options) {
  list.add("Output", options);
  list.set_role(PathRole::output_folder, {"model"});
}

void check_model_folder(const ModelFolder& options) {
  if (options.model.empty()) return;
  create_folder("model", options.model);
  check_writable(std::filesystem::path(options.model) / "adacvar.json");
}

bool has_model(const RunResult& result) {
  return result.model.parts().stop_reason != StopReason::interrupted || result.epochs > 0 ||
         result.model.parts().options.algorithm == Algorithm::exact;
}

std::vector<std::string> model_names(std::span<const RunReport> reports) {
  std::vector<std::string> names;
  for (const RunReport& report : reports) {
    for (const RunResult& result : report.results) {
      std::string label = result.label();
      if (reports.size() > 1) {
        label += fmt::format(" seed {}", result.model.parts().options.seed);
      }
      names.push_back(has_model(result) ? unused_name(file_stem(label), names) : "");
    }
  }
  return names;
}

std::vector<std::string> write_models(const ModelFolder& options,
                                      std::span<const RunReport> reports) {
  std::vector<std::string> paths = model_names(reports);
  auto path = paths.begin();
  for (const RunReport& report : reports) {
    for (const RunResult& result : report.results) {
      if (!path->empty()) {
        *path = (std::filesystem::path(options.model) / *path).string();
        result.model.save(*path);
      }
      ++path;
    }
  }
  return paths;
}

std::string written_models_text(const ModelFolder& options, std::span<const RunReport> reports) {
  std::vector<std::string> names = model_names(reports);
  std::erase(names, "");
  return wrap(fmt::format("models written to {}: {}", options.model, join(names, ", ")),
              kTerminalWidth, 2) +
         "\n";
}

}  // namespace adacvar::cli
