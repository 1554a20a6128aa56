#pragma once

#include "data/read_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// What the first rows of a text say about all of it.
struct CsvLayout {
  char separator = ',';
  bool header = false;
  bool has_index = false;  ///< the header has no name for the first column
  std::vector<std::string> names;
  std::vector<bool> textual;  ///< columns with a field that is neither number nor missing
  std::vector<std::string>
      dotted;            ///< of a column that might have points between thousands: a value
  std::size_t body = 0;  ///< where the first row of data begins
};

/// Finds separator, header and names, as far as `options` does not give them.
/// Throws: RowError.
[[nodiscard]] CsvLayout find_layout(std::string_view text, const ReadOptions& options);

/// Parts of a text in quotes that hold a line end, in order; a row may not be cut there. A quote
/// that is never closed reaches to the end of the text.
struct QuotedLines {
  explicit QuotedLines(std::string_view text, char separator);
  [[nodiscard]] bool contain(std::size_t position) const;

  struct Part {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Part> parts;
};

}  // namespace adacvar
