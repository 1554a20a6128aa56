#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Returns a label as a name for files and anchors: lower-case ASCII letters and digits, with a
/// dash for every run of other characters between them. `Ada-CVaR, alpha 0.1` is
/// `ada-cvar-alpha-0-1`.
[[nodiscard]] std::string file_stem(std::string_view label);

}  // namespace adacvar
