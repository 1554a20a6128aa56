#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// Returns `a, b, c` for a message; a long list is cut after 40 names: `..., (7 more)`.
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

}  // namespace adacvar
