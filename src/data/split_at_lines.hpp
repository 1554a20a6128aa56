#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace adacvar {

/// Splits `text` into consecutive blocks of about `size` bytes; each block but the last ends after
/// a line end for which `may_end(position)` holds.
template <class MayEnd>
std::vector<std::string_view> split_at_lines(std::string_view text, std::size_t size,
                                             const MayEnd& may_end) {
  std::vector<std::string_view> blocks;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', std::min(begin + size, text.size()));
    while (end != std::string_view::npos && !may_end(end)) end = text.find('\n', end + 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    blocks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return blocks;
}

}  // namespace adacvar
