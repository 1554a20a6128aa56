#include "report/page.hpp"

#include <adacvar/version.hpp>
#include "base/number_text.hpp"
#include "report/svg_chart.hpp"

#include <fmt/core.h>

#include <cmath>

namespace adacvar {

namespace {

// `losses.svg`; for further views `losses-log-share.svg`.
std::string file_name(const PageFigure& figure, std::size_t view) {
  if (view == 0) return figure.id + ".svg";
  std::string name = figure.id + "-";
  for (const char c : figure.views[view].name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name + ".svg";
}

PageTable facts_table(const std::vector<std::pair<std::string, std::string>>& facts) {
  PageTable table{.caption = "Data and software", .columns = {"item", "value"}, .rows = {}};
  for (const auto& [name, value] : facts) table.rows.push_back({{name}, {value}});
  table.rows.push_back({{"adacvar"}, {ADACVAR_VERSION}});
  table.rows.push_back({{"compiler"}, {"g++ or compatible, " __VERSION__}});
  return table;
}

PageTable options_table(const PageOrigin& origin) {
  PageTable table{.caption = "All options; a star: not the default",
                  .columns = {"group", "option", "value", "default"},
                  .rows = {}};
  for (const PageOrigin::Option& option : origin.options) {
    table.rows.push_back({{option.group},
                          {option.name},
                          {.text = option.value, .marked = option.value != option.default_value},
                          {option.default_value}});
  }
  return table;
}

}  // namespace

std::vector<FigureFile> figure_files(const Page& page) {
  std::vector<FigureFile> files;
  for (const PageSection& section : page.sections) {
    for (const PageItem& item : section.items) {
      const auto* figure = std::get_if<PageFigure>(&item);
      if (figure == nullptr) continue;
      for (std::size_t v = 0; v < figure->views.size(); ++v) {
        files.push_back({file_name(*figure, v), svg(figure->views[v].chart)});
      }
    }
  }
  return files;
}

PageCell number_cell(double value, bool marked) {
  if (std::isnan(value)) return {};
  return {.text = number_text(value), .value = value, .marked = marked};
}

PageCell percent_cell(const std::optional<double>& share) {
  if (!share) return {};
  const bool tiny = *share > 0 && *share < 1e-5;
  return {.text = tiny ? "< 0.001 %" : fmt::format("{:.3g} %", 100 * *share), .value = *share};
}

PageCell count_cell(std::size_t count) {
  return {.text = count_text(count), .value = static_cast<double>(count)};
}

std::string fingerprint_text(const DataFingerprint& print) {
  return fmt::format("{} rows, {} columns, CRC-64 {}", count_text(print.rows),
                     count_text(print.columns), print.crc64);
}

PageSection origin_section(const PageOrigin& origin,
                           const std::vector<std::pair<std::string, std::string>>& facts) {
  PageSection section{.title = "Reproduce this run", .items = {}};
  section.items.emplace_back(PageText{"Run this command in the same folder:"});
  section.items.emplace_back(PageCommand{origin.command});
  std::vector<std::pair<std::string, std::string>> all = facts;
  all.insert(all.end(), origin.facts.begin(), origin.facts.end());
  section.items.emplace_back(facts_table(all));
  if (!origin.options.empty()) section.items.emplace_back(options_table(origin));
  return section;
}

}  // namespace adacvar
