#include "base/name_list.hpp"

#include "base/join.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace adacvar {

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 40;
  std::string list = join(std::span(names).first(std::min(names.size(), kShown)), ", ");
  if (names.size() > kShown) list += fmt::format(", ... ({} more)", names.size() - kShown);
  return list;
}

}  // namespace adacvar
