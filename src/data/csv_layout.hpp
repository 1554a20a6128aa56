#pragma once

#include "data/read_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Layout of a text file, as found in its first rows.
struct CsvLayout {
  char separator = ',';
  bool header = false;
  bool has_index = false;  ///< the header has no name for the first column
  std::vector<std::string> names;
  std::vector<bool> textual;  ///< columns with a field that is neither number nor missing
  std::vector<std::string>
      dotted;            ///< example value of each column that may have points between thousands
  std::size_t body = 0;  ///< where the first row of data begins
};

/// Detects the separator, header and names that `options` does not give.
/// Throws: RowError.
[[nodiscard]] CsvLayout find_layout(std::string_view text, const ReadOptions& options);

/// The quoted parts of a text that contain a line end; a row must not be split there. A quote that
/// is not closed extends to the end of the text. The text is searched only as far as it is asked
/// about.
class QuotedLines {
 public:
  QuotedLines(std::string_view text, char separator) : text_(text), separator_(separator) {}
  /// Searches the lines from `begin`; `is_inside`: the first is within quotes.
  QuotedLines(std::string_view text, char separator, std::size_t begin, bool is_inside);

  [[nodiscard]] bool contain(std::size_t position);
  /// Whether a quote is open at the end of the text. Searches all of it.
  [[nodiscard]] bool ends_inside();

 private:
  struct Part {
    std::size_t begin;
    std::size_t end;
  };

  void search_to(std::size_t position);
  [[nodiscard]] bool opens_field(std::size_t quote) const;
  [[nodiscard]] std::size_t find_close(std::size_t from);

  std::string_view text_;
  char separator_;
  std::size_t searched_ = 0;
  std::vector<Part> parts_;  // in order
  bool is_open_ = false;     // the last quote is not closed
};

}  // namespace adacvar
