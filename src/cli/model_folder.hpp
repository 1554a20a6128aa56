#pragma once

#include "cli/option_list.hpp"

#include <adacvar/run/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace adacvar::cli {

/// The option of `compare` for its models.
struct ModelFolder {
  std::string model = {};

  static const std::vector<OptionSpec>& options();
};

/// Adds it under "Output".
void add_model_folder(OptionList& list, ModelFolder& options);

/// Throws OptionError unless models can be written; creates the folder. Called before any work.
void check_model_folder(const ModelFolder& options);

/// Whether the run has a model to save: it was not interrupted before its first epoch ended.
[[nodiscard]] bool has_model(const RunResult& result);

/// Returns the names of the model files, one per result: `adacvar.json`, `adacvar-5.json` for
/// `adacvar +5%`, for several reports with their seed `adacvar-seed-3.json`; empty for a result
/// without a model.
[[nodiscard]] std::vector<std::string> model_names(std::span<const RunReport> reports);

/// Writes the models and returns their paths, in the order of model_names.
[[nodiscard]] std::vector<std::string> write_models(const ModelFolder& options,
                                                    std::span<const RunReport> reports);

/// `models written to DIR: adacvar.json, ...`, wrapped to the width of a terminal.
[[nodiscard]] std::string written_models_text(const ModelFolder& options,
                                              std::span<const RunReport> reports);

}  // namespace adacvar::cli
