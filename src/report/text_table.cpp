#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace adacvar {

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (code < 0x20U || code == 0x7fU) {
      line += fmt::format("\\x{:02x}", code);
    } else {
      line += c;
    }
  }
  return line;
}

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = one_line(cell);
  rows_.push_back(std::move(row));
}

std::size_t text_width(const std::string& text) {
  // Bytes 10xxxxxx continue a character.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], text_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - text_width(row[c]), ' ');
      text += c == 0 ? row[c] + padding : "  " + padding + row[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace adacvar
