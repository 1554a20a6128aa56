#pragma once

#include "data/read_data.hpp"
#include "report/chart.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace adacvar {

/// A report is a list of sections, each a list of paragraphs, figures and tables. `html` renders it
/// as one page, `figure_files` renders its figures as SVG. All text is plain text; markup in it is
/// escaped.
struct PageText {
  std::string text;
};

/// A command line, shown with a button that copies it.
struct PageCommand {
  std::string text;
};

/// One view of a figure; readers can switch between views.
struct FigureView {
  std::string name;  ///< linear, log, ...
  Chart chart;
};

struct PageFigure {
  std::string id;  ///< letters, digits and dashes; name of the SVG file
  std::string caption;
  std::vector<FigureView> views;  ///< at least one; the first is the default, and printed
};

struct PageCell {
  std::string text;
  std::optional<double> value = {};  ///< sort key; such cells are right-aligned
  bool marked = false;               ///< among the best
};

/// A table that readers can sort by any column and copy as CSV.
struct PageTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<PageCell>> rows;
};

using PageItem = std::variant<PageText, PageCommand, PageFigure, PageTable>;

struct PageSection {
  std::string title;
  std::vector<PageItem> items;
};

struct Page {
  std::string title;
  std::string subtitle;
  std::string verdict;             ///< shown first
  std::vector<std::string> notes;  ///< remarks for the reader, one sentence each
  std::vector<PageSection> sections;
};

/// Returns one self-contained HTML file with its scripts (including Chart.js) and styles, about
/// 250 kB plus the data of the charts.
[[nodiscard]] std::string html(const Page& page);

struct FigureFile {
  std::string name;  ///< losses.svg, losses-log.svg, ...
  std::string svg;
};

/// Renders every view of every figure, in the order of the page.
[[nodiscard]] std::vector<FigureFile> figure_files(const Page& page);

/// A cell with a formatted number, sorted by its value.
[[nodiscard]] PageCell number_cell(double value, bool marked = false);
/// `share` in per cent; empty if there is none.
[[nodiscard]] PageCell percent_cell(const std::optional<double>& share);
[[nodiscard]] PageCell count_cell(std::size_t count);

/// Information needed to reproduce a run.
struct PageOrigin {
  std::string command;  ///< command line
  struct Option {
    std::string group;
    std::string name;
    std::string value;
    std::string default_value;
  };
  std::vector<Option> options;                                  ///< all options
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and value of inputs
};

/// `4,177 rows, 9 columns, CRC-64 0123456789abcdef`.
[[nodiscard]] std::string fingerprint_text(const DataFingerprint& print);

/// Builds the last section: the command, `facts` (name and value) and those of the origin, versions
/// and all options.
[[nodiscard]] PageSection origin_section(
    const PageOrigin& origin, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace adacvar
