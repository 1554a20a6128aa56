#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace adacvar {

/// Returns the first block of `text` from `begin` on: about `size` bytes, up to a line end for
/// which `may_end(position)` holds, or to the end of the text.
template <class MayEnd>
std::string_view block_at(std::string_view text, std::size_t begin, std::size_t size,
                          MayEnd&& may_end) {
  std::size_t end = text.find('\n', std::min(begin + size, text.size()));
  while (end != std::string_view::npos && !may_end(end)) end = text.find('\n', end + 1);
  return text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
}

/// Splits `text` into consecutive blocks of about `size` bytes, each of whole lines.
inline std::vector<std::string_view> split_at_lines(std::string_view text, std::size_t size) {
  std::vector<std::string_view> blocks;
  for (std::size_t begin = 0; begin < text.size(); begin += blocks.back().size()) {
    blocks.push_back(block_at(text, begin, size, [](std::size_t) { return true; }));
  }
  return blocks;
}

}  // namespace adacvar
