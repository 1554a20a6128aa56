#pragma once

#include "data/named_sets.hpp"

#include <string_view>
#include <vector>

namespace adacvar {

/// Returns the files of a named set, in the order in which they are concatenated.
[[nodiscard]] std::vector<NamedFile> named_files(std::string_view set);

}  // namespace adacvar
