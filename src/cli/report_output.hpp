#pragma once

#include "cli/command.hpp"

#include "report/page.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::cli {

/// Options for the report's files, shared by all commands that write one.
struct ReportOutput {
  std::string report = {};
  std::string figures = {};

  static const std::vector<OptionSpec>& options();

  [[nodiscard]] bool is_requested() const { return !report.empty() || !figures.empty(); }
};

/// Adds them under "Output".
void add_report_options(OptionList& list, ReportOutput& options);

/// Throws OptionError unless both can be written; creates the folder. Called before any work.
void check_report(const ReportOutput& output);

/// Returns the command line that repeats the run, and all options. `read` names the data that was
/// read: for a named set the command includes the data folder, which the environment may have set.
[[nodiscard]] PageOrigin origin_of(std::string_view command, const OptionList& options,
                                   const std::vector<std::string>& read = {});

/// Writes the figures into `folder` and removes those of an earlier call that are not among them,
/// recognised by their last line.
void write_figures(const std::filesystem::path& folder, const std::vector<FigureFile>& figures);

void write_report(const ReportOutput& output, const Page& page);

/// Returns the word for a shell, quoted if necessary.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace adacvar::cli
