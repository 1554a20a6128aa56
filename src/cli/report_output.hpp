#pragma once

#include "cli/command.hpp"

#include <adacvar/report/page.hpp>

#include <string>
#include <string_view>

namespace adacvar::cli {

/// Where a report goes; for every command that has one.
struct ReportOutput {
  std::string report = {};
  std::string figures = {};

  static void describe(auto&& option) {
    using O = ReportOutput;
    option("report", &O::report, "file to write a report to: one HTML page that needs no other");
    option("figures", &O::figures, "folder to write the figures of the report to, as SVG");
  }

  [[nodiscard]] bool wanted() const { return !report.empty() || !figures.empty(); }
};

/// Adds them under "Output".
void add_report_options(OptionList& list, ReportOutput& options);

/// Throws OptionError, before any work, unless both can be written; makes the folder.
void check_report(const ReportOutput& output);

/// The command that sets these options, and all of them.
[[nodiscard]] PageOrigin origin_of(std::string_view command, const OptionList& options);

void write_report(const ReportOutput& output, const Page& page);

/// A word for a shell: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace adacvar::cli
