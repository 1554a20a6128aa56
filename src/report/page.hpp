#pragma once

#include "data/read_data.hpp"
#include "report/chart.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace adacvar {

/// A report is a list of sections, each a list of paragraphs, figures and tables; `html` writes it
/// as one page, `figure_files` its figures as drawings. All text is plain: markup in it is shown,
/// not obeyed.
struct PageText {
  std::string text;
};

/// Shown as typed, with a button that copies it.
struct PageCommand {
  std::string text;
};

/// One way to look at a figure; readers switch between them.
struct FigureView {
  std::string name;  ///< linear, log, ...
  Chart chart;
};

struct PageFigure {
  std::string id;  ///< letters, digits and dashes; names the drawing's file
  std::string caption;
  std::vector<FigureView> views;  ///< at least one; the first is shown first, and printed
};

struct PageCell {
  std::string text;
  std::optional<double> value = {};  ///< what it is sorted by; set to the right
  bool marked = false;               ///< the best of its kind
};

/// Readers can sort it by any column and copy it as CSV.
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
  std::string verdict;             ///< the first thing that is read
  std::vector<std::string> notes;  ///< what a reader should know, one sentence each
  std::vector<PageSection> sections;
};

/// One file that needs no other and asks for none: its scripts (Chart.js among them) and styles are
/// in it. About 250 kB and what the charts hold.
[[nodiscard]] std::string html(const Page& page);

struct FigureFile {
  std::string name;  ///< losses.svg, losses-log.svg, ...
  std::string svg;
};

/// Every view of every figure, in the order of the page.
[[nodiscard]] std::vector<FigureFile> figure_files(const Page& page);

/// A cell with a number for people, sorted by its value.
[[nodiscard]] PageCell number_cell(double value, bool marked = false);
/// `share` in per cent of what; empty where there is none.
[[nodiscard]] PageCell percent_cell(const std::optional<double>& share);
[[nodiscard]] PageCell count_cell(std::size_t count);

/// How a run can be had again.
struct PageOrigin {
  std::string command;  ///< as typed
  struct Option {
    std::string group;
    std::string name;
    std::string value;
    std::string default_value;
  };
  std::vector<Option> options;                                  ///< all of them
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and value, what it read
};

/// `4,177 rows, 9 columns, CRC-64 0123456789abcdef`.
[[nodiscard]] std::string fingerprint_text(const DataFingerprint& print);

/// The last section: the command, `facts` (name and value) and those of the origin, versions and
/// all options.
[[nodiscard]] PageSection origin_section(
    const PageOrigin& origin, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace adacvar
