#include "base/utf8.hpp"

#include <cstddef>

namespace adacvar {

namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Returns the length of the first character, 0 if it is not valid. The range of the second byte
// excludes overlong forms, surrogates and code points above U+10FFFF.
std::size_t character_length(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80U) return 1;
  if (first < 0xc2U || first > 0xf4U) return 0;
  const std::size_t length = first < 0xe0U ? 2 : first < 0xf0U ? 3 : 4;
  if (text.size() < length) return 0;
  const unsigned char low = first == 0xe0U ? 0xa0U : first == 0xf0U ? 0x90U : 0x80U;
  const unsigned char high = first == 0xedU ? 0x9fU : first == 0xf4U ? 0x8fU : 0xbfU;
  if (byte_at(text, 1) < low || byte_at(text, 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80U) {
      result += c;
    } else {
      result += static_cast<char>(0xc0U | (code >> 6U));
      result += static_cast<char>(0x80U | (code & 0x3fU));
    }
  }
  return result;
}

}  // namespace adacvar
