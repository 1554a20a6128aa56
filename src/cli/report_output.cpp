#include "cli/report_output.hpp"

#include "base/write_file.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace adacvar::cli {

namespace {

// What only says how the program talks does not make another run.
bool repeats(const CliOption& option) {
  return option.name != "config" && option.text() != option.default_text;
}

}  // namespace

void add_report_options(OptionList& list, ReportOutput& options) {
  list.add("Output", options);
  list.set_file({"report", "figures"});
}

void check_report(const ReportOutput& output) {
  if (!output.report.empty()) check_writable(output.report);
  if (output.figures.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(output.figures, error);
  if (error) {
    throw OptionError(
        fmt::format("figures = '{}' is not a folder: {}", output.figures, error.message()));
  }
  check_writable(std::filesystem::path(output.figures) / "losses.svg");
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

PageOrigin origin_of(std::string_view command, const OptionList& options) {
  PageOrigin origin{.command = fmt::format("adacvar {}", command), .options = {}};
  for (const int position : {1, 2}) {
    for (const CliOption& option : options.all()) {
      if (option.position == position) origin.command += " " + shell_word(option.text());
    }
  }
  for (const CliOption& option : options.all()) {
    origin.options.push_back({option.group, option.name, option.text(), option.default_text});
    if (option.position > 0 || !repeats(option)) continue;
    origin.command += " --" + option.name;
    if (!option.is_switch) origin.command += " " + shell_word(option.text());
  }
  return origin;
}

void write_report(const ReportOutput& output, const Page& page) {
  if (!output.report.empty()) {
    write_file(output.report, [&](const Write& write) { write(html(page)); });
  }
  if (output.figures.empty()) return;
  for (const FigureFile& file : figure_files(page)) {
    write_file(std::filesystem::path(output.figures) / file.name,
               [&](const Write& write) { write(file.svg); });
  }
}

}  // namespace adacvar::cli
