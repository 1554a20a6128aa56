#include "report/markup_text.hpp"

#include "base/utf8.hpp"
#include "report/text_table.hpp"

namespace adacvar {

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : one_line(as_utf8(text))) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string shorten(const std::string& text, std::size_t characters) {
  if (text_width(text) <= characters) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins && ++seen == characters) break;
  }
  return text.substr(0, end) + "\xe2\x80\xa6";
}

}  // namespace adacvar
