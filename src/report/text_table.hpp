#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// Rows of cells, lined up in columns: the first to the left, the others to the right.
class TextTable {
 public:
  TextTable() = default;
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}

  /// Rows may have different numbers of cells.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Every line ends with a line end, none with a blank.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// The number of places that UTF-8 text takes on a terminal, wide characters aside.
[[nodiscard]] std::size_t text_width(const std::string& text);

}  // namespace adacvar
