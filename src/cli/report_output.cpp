#include "cli/report_output.hpp"

#include "base/write_file.hpp"
#include "cli/common_options.hpp"
#include "cli/output_attempts.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace adacvar::cli {

namespace {

// Whether the command that repeats the run needs the option.
bool is_needed_to_repeat(const CliOption& option) {
  return option.name != "config" && option.text() != option.default_text;
}

bool is_named_set(const std::string& name) {
  const std::vector<std::string> names = named_sets();
  return std::ranges::find(names, name) != names.end();
}

// The last line of a figure. It names the file, so that a renamed copy is not removed.
std::string marker_line(const std::string& name) {
  return fmt::format("<!-- written by adacvar as {} -->\n", name);
}

bool ends_with(const std::filesystem::path& path, const std::string& end) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = in.tellg();
  if (!in || size < static_cast<std::streamoff>(end.size())) return false;
  in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  std::string found(end.size(), '\0');
  in.read(found.data(), static_cast<std::streamsize>(found.size()));
  return in && found == end;
}

}  // namespace

const std::vector<OptionSpec>& ReportOutput::options() {
  using O = ReportOutput;
  static const std::vector<OptionSpec> all{
      {"report", &O::report, "file to write a report to, as one self-contained HTML page"},
      {"figures", &O::figures, "folder to write the figures of the report to, as SVG"},
  };
  return all;
}

void add_report_options(OptionList& list, ReportOutput& options) {
  list.add("Output", options);
  list.set_role(PathRole::output, {"report"});
  list.set_role(PathRole::output_folder, {"figures"});
}

void check_report(const ReportOutput& output) {
  if (!output.report.empty()) check_writable(output.report);
  if (output.figures.empty()) return;
  create_folder("figures", output.figures);
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

PageOrigin origin_of(std::string_view command, const OptionList& options,
                     const std::vector<std::string>& read) {
  PageOrigin origin{.command = fmt::format("adacvar {}", command), .options = {}};
  for (const int position : {1, 2}) {
    for (const CliOption& option : options.all()) {
      if (option.position == position)
        origin.command += fmt::format(" {}", shell_word(option.text()));
    }
  }
  for (const CliOption& option : options.all()) {
    origin.options.push_back({option.group, option.name, option.text(), option.default_text});
    if (option.position > 0 || !is_needed_to_repeat(option)) continue;
    origin.command += " --" + option.name;
    if (!option.is_flag) origin.command += fmt::format(" {}", shell_word(option.text()));
  }
  const CliOption* const folder = options.find_or_null("data-dir");
  if (folder != nullptr && std::ranges::any_of(read, is_named_set)) {
    const std::string path = data_folder(folder->text()).string();
    if (folder->text().empty()) origin.command += " --data-dir " + shell_word(path);
    origin.facts.emplace_back("folder of named sets", path);
  }
  return origin;
}

void write_report(const ReportOutput& output, const Page& page) {
  OutputAttempts attempts;
  if (!output.report.empty()) {
    attempts.run(
        [&] { write_file(output.report, [&](const Write& write) { write(html(page)); }); });
  }
  if (!output.figures.empty()) {
    attempts.run([&] { write_figures(output.figures, figure_files(page)); });
  }
  attempts.finish();
}

void write_figures(const std::filesystem::path& folder, const std::vector<FigureFile>& figures) {
  for (const FigureFile& figure : figures) {
    write_file(folder / figure.name, [&](const Write& write) {
      write(figure.svg);
      write(marker_line(figure.name));
    });
  }
  std::error_code ignored;  // a stale figure does no harm
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_current = std::ranges::find(figures, name, &FigureFile::name) != figures.end();
    if (is_current || entry.path().extension() != ".svg" || !entry.is_regular_file(ignored))
      continue;
    if (!ends_with(entry.path(), marker_line(name))) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace adacvar::cli
