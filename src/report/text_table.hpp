#pragma once

#include <cstddef>
#include <initializer_list>
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

  /// Shortens cells of the columns `which`, the widest first, by an ellipsis in their middle until
  /// lines have at most `width` places or all of these columns are down to eight.
  void fit(std::size_t width, std::initializer_list<std::size_t> which);

  /// Places that the longest line takes.
  [[nodiscard]] std::size_t width() const;

  /// Every line ends with a line end, none with a blank.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

/// Text in lines of at most `width` places, broken at blanks; a longer word has a line of its own.
/// Lines after the first begin with `indent` blanks.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width,
                                  std::size_t indent = 0);

/// What terminals are taken to have.
inline constexpr std::size_t kTerminalWidth = 80;

/// The number of places that UTF-8 text takes on a terminal, wide characters aside.
[[nodiscard]] std::size_t text_width(const std::string& text);

}  // namespace adacvar
