#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace adacvar {

/// Escapes line ends and other control characters as `\n`, `\x1b`, ...: names and values come from
/// users' files and could break tables and terminals.
[[nodiscard]] std::string one_line(const std::string& text);

/// A table with aligned columns: the first to the left, the others to the right. Cells are escaped
/// by `one_line`.
class TextTable {
 public:
  TextTable() = default;
  explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }

  /// Rows may have different numbers of cells.
  void add(std::vector<std::string> row);

  /// Shortens cells of the columns `which`, the widest first, by an ellipsis in their middle, until
  /// lines have at most `width` characters or these columns have only eight.
  void fit(std::size_t width, std::initializer_list<std::size_t> which);

  /// Width of the longest line.
  [[nodiscard]] std::size_t width() const;

  /// Every line ends with `\n`, none with a space.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

/// Wraps text at spaces to lines of at most `width` characters; a longer word gets its own line.
/// Lines after the first are indented by `indent`.
[[nodiscard]] std::string wrap(const std::string& text, std::size_t width, std::size_t indent = 0);

/// Assumed number of columns of a terminal.
inline constexpr std::size_t kTerminalWidth = 80;

/// Returns the number of columns that UTF-8 text needs on a terminal, ignoring wide characters.
[[nodiscard]] std::size_t text_width(const std::string& text);

}  // namespace adacvar
