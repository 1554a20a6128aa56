#include "report/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

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

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t length = text_width(word);
    if (begin > 0 && column + 1 + length > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (begin > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += length;
    begin = end + 1;
  }
  return lines;
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], text_width(row[c]));
  }
  return widths;
}

std::size_t TextTable::width() const {
  const std::vector<std::size_t> columns = widths();
  if (columns.empty()) return 0;
  return std::accumulate(columns.begin(), columns.end(), 2 * (columns.size() - 1));
}

namespace {

// The ellipsis is in the middle, because names often differ at their ends.
std::string shorten_middle(const std::string& text, std::size_t width) {
  const std::size_t whole = text_width(text);
  if (whole <= width) return text;
  const std::size_t tail = (width - 1) / 2;
  const std::size_t head = width - 1 - tail;
  std::string result;
  std::size_t seen = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U && ++seen == head + 1) result += "…";
    if (seen <= head || seen > whole - tail) result += c;
  }
  return result;
}

}  // namespace

void TextTable::fit(std::size_t width, std::initializer_list<std::size_t> which) {
  constexpr std::size_t kLeast = 8;
  std::vector<std::size_t> columns = widths();
  std::size_t total = this->width();
  while (total > width) {
    const std::size_t widest =
        std::ranges::max(which, {}, [&](std::size_t c) { return columns[c]; });
    if (columns[widest] <= kLeast) break;
    --columns[widest];
    --total;
  }
  for (auto& row : rows_) {
    for (const std::size_t c : which) {
      if (c < row.size()) row[c] = shorten_middle(row[c], columns[c]);
    }
  }
}

std::string TextTable::text() const {
  const std::vector<std::size_t> widths = this->widths();
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
