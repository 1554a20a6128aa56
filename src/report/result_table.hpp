#pragma once

#include <optional>
#include <string>
#include <vector>

namespace adacvar {

struct ResultCell {
  std::string text = {};
  bool best = false;
  std::optional<double> value = {};  ///< the number that the text rounds; a mean beside its
  std::optional<double> sd = {};     ///< standard deviation
};

/// A table of results that can be printed, pasted into a document or typeset.
struct ResultTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<ResultCell>> rows;  ///< as many cells as the header
  std::vector<std::string> notes = {};        ///< sentences below the table
};

/// Lined up for a terminal of 80 columns: what is longer is broken at blanks; best cells end with
/// `*`.
[[nodiscard]] std::string table_text(const ResultTable& table);
/// Best cells in bold.
[[nodiscard]] std::string table_markdown(const ResultTable& table);
/// A floating table for the packages booktabs and inputenc; best cells in bold.
[[nodiscard]] std::string table_latex(const ResultTable& table);

}  // namespace adacvar
