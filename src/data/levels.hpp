#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Names of levels and their codes, in order of first appearance. A level costs its text and some
/// 20 bytes, so that a column that is distinct in every row takes about as much as its file.
class Levels {
 public:
  std::uint32_t code(std::string_view level) {
    if (2 * (size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[find_slot(level)];
    if (slot == 0) {
      text_ += level;
      ends_.push_back(text_.size());
      slot = static_cast<std::uint32_t>(size());
    }
    return slot - 1;
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view name(std::size_t code) const {
    const std::size_t begin = code == 0 ? 0 : ends_[code - 1];
    return std::string_view(text_).substr(begin, ends_[code] - begin);
  }
  std::vector<std::string> take() {
    slots_ = {};
    std::vector<std::string> names;
    names.reserve(size());
    for (std::size_t code = 0; code < size(); ++code) names.emplace_back(name(code));
    *this = {};
    return names;
  }

 private:
  // Where the level is, or would be put.
  [[nodiscard]] std::size_t find_slot(std::string_view level) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(level) & mask;
    while (slots_[at] != 0 && name(slots_[at] - 1) != level) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), 0);
    for (std::size_t code = 0; code < size(); ++code) {
      slots_[find_slot(name(code))] = static_cast<std::uint32_t>(code + 1);
    }
  }

  std::string text_;
  std::vector<std::size_t> ends_;     // of the names in text_
  std::vector<std::uint32_t> slots_;  // open addressing: a code + 1, or 0; at most half full
};

}  // namespace adacvar
