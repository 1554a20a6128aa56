#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// Text with line ends and other control characters written as `\n`, `\x1b`, ...: names and values
/// come from users' files, and tables and terminals would be upset by them.
[[nodiscard]] std::string one_line(const std::string& text);

/// Rows of cells, lined up in columns: the first to the left, the others to the right. Cells are
/// shown as by `one_line`.
class TextTable {
 public:
  TextTable() = default;
  explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }

  /// Rows may have different numbers of cells.
  void add(std::vector<std::string> row);

  /// Every line ends with a line end, none with a blank.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// The number of places that UTF-8 text takes on a terminal, wide characters aside.
[[nodiscard]] std::size_t text_width(const std::string& text);

}  // namespace adacvar
