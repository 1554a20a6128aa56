#include "report/text_table.hpp"

#include <algorithm>

namespace adacvar {

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
