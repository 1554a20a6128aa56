#pragma once

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"

#include <adacvar/run/model.hpp>

#include <functional>
#include <string>
#include <vector>

namespace adacvar::cli {

/// Where a command that makes one model writes to.
struct ModelResultOutput {
  std::string model = {};
  ReportOutput report = {};
  OutputOptions output = {};

  static const std::vector<OptionSpec>& options();  ///< --model

  /// Adds all of them under "Output".
  void add_to(OptionList& list);
  /// Throws OptionError if a file cannot be written. Called before any work.
  void check() const;
};

/// The result of such a command. The functions are called once the model is saved or not.
struct ModelResult {
  const Model& model;
  std::vector<std::string>& notes;  ///< gets one if the model is not saved
  const std::vector<std::string>& headlines;
  const std::vector<std::string>& printed;  ///< notes that were printed before
  std::function<std::string(const std::string& model_path)> json;
  std::function<std::string()> text;
  std::function<Page()> page;
};

/// Saves the model, prints the result and writes the report, each even if another fails. Throws:
/// the first error.
void write_model_result(const ModelResultOutput& output, const ModelResult& result);

/// A function that takes the notes about the data once it is read: it ends the progress of reading,
/// prints the notes unless quiet, appends them to `printed` and watches for interrupts from then
/// on.
[[nodiscard]] std::function<void(const std::vector<std::string>&)> on_data_ready(
    const OutputOptions& output, ProgressLine& progress, std::vector<std::string>& printed);

}  // namespace adacvar::cli
