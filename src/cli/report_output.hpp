#pragma once

#include "cli/command.hpp"

#include "report/page.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::cli {

/// Where a report goes; for every command that has one.
struct ReportOutput {
  std::string report = {};
  std::string figures = {};

  static const std::vector<OptionSpec>& options();

  [[nodiscard]] bool wanted() const { return !report.empty() || !figures.empty(); }
};

/// Adds them under "Output".
void add_report_options(OptionList& list, ReportOutput& options);

/// Throws OptionError, before any work, unless both can be written; makes the folder.
void check_report(const ReportOutput& output);

/// The command that sets these options, and all of them. `read` names the data that was read: where
/// a named set is among it the folder it came from is part of the command, as the environment may
/// have said it.
[[nodiscard]] PageOrigin origin_of(std::string_view command, const OptionList& options,
                                   const std::vector<std::string>& read = {});

/// Writes drawings into `folder`, and removes those there that an earlier call wrote under names
/// that are not among them: each says in its last line which file it is.
void write_figures(const std::filesystem::path& folder, const std::vector<FigureFile>& figures);

void write_report(const ReportOutput& output, const Page& page);

/// A word for a shell: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace adacvar::cli
