#pragma once

#include "data/compact_columns.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace adacvar {

/// Names of levels and their codes, in order of first appearance. A level takes its text and about
/// 15 bytes, so a column that is distinct in every row takes about as much memory as its text.
class Levels {
 public:
  std::uint32_t code(std::string_view level) {
    if (4 * (size() + 1) > 3 * slots_.size()) grow();
    std::uint32_t& slot = slots_[find_slot(level)];
    if (slot == 0) {
      names_.push_back(level);
      slot = static_cast<std::uint32_t>(size());
    }
    return slot - 1;
  }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] std::string_view name(std::size_t code) const { return names_[code]; }
  CompactNames take() {
    slots_ = {};
    return std::exchange(names_, {});
  }

 private:
  // Returns the slot of the level, or the free slot for it.
  [[nodiscard]] std::size_t find_slot(std::string_view level) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(level) & mask;
    while (slots_[at] != 0 && name(slots_[at] - 1) != level) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    const std::size_t size_now = slots_.size();
    slots_ = {};  // frees the memory before the larger table is allocated
    slots_.assign(size_now == 0 ? 16 : 2 * size_now, 0);
    for (std::size_t code = 0; code < size(); ++code) {
      slots_[find_slot(name(code))] = static_cast<std::uint32_t>(code + 1);
    }
  }

  CompactNames names_;
  std::vector<std::uint32_t> slots_;  // open addressing: a code + 1, or 0; three quarters full
};

}  // namespace adacvar
