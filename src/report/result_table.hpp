#pragma once

#include <optional>
#include <string>
#include <vector>

namespace adacvar {

struct ResultCell {
  std::string text = {};
  bool best = false;
  std::optional<double> value = {};  ///< number shown in the text; a mean if there is
  std::optional<double> sd = {};     ///< a standard deviation
};

/// A table of results, for terminals, Markdown and LaTeX.
struct ResultTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<ResultCell>> rows;  ///< as many cells as the header
  std::vector<std::string> notes = {};        ///< sentences below the table
};

/// Formats the table for a terminal of 80 columns; long cells are wrapped, best cells end with `*`.
[[nodiscard]] std::string table_text(const ResultTable& table);
/// Formats the table as Markdown; best cells are bold.
[[nodiscard]] std::string table_markdown(const ResultTable& table);
/// Formats a floating table for the packages booktabs and inputenc; best cells are bold.
[[nodiscard]] std::string table_latex(const ResultTable& table);

}  // namespace adacvar
