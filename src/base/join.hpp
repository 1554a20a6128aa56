#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// Joins `parts` with `separator`. Not a template, unlike `fmt::join`, which needs all of fmt's
/// headers in every file that calls it.
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string join(std::span<const std::string_view> parts, std::string_view separator);
[[nodiscard]] std::string join(std::span<const double> parts, std::string_view separator);
[[nodiscard]] std::string join(std::span<const std::size_t> parts, std::string_view separator);

}  // namespace adacvar
