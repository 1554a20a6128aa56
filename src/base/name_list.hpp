#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace adacvar {

/// `a, b, c` for a message; of many names the first ones and how many more there are.
[[nodiscard]] inline std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 40;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  std::string list = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kShown) list += fmt::format(", ... ({} more)", names.size() - kShown);
  return list;
}

}  // namespace adacvar
