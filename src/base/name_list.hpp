#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// `a, b, c` for a message; of many names the first ones and how many more there are.
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

}  // namespace adacvar
