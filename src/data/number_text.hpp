#pragma once

#include <charconv>
#include <string_view>

namespace adacvar {

/// Reads the number that `begin` starts with, an optional plus sign before it. Independent of
/// the locale; what is too small for a double is 0, what is too large infinity.
[[nodiscard]] std::from_chars_result read_number(const char* begin, const char* end, double& value);

/// True when the whole of `field` is a number ("inf" is; "nan" is not: it is a missing value).
[[nodiscard]] bool parse_number(std::string_view field, double& value);

/// Empty, `?`, `NA`, `NaN`, in any case.
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

/// These, and `null`, `none`, `n/a`, `#n/a` in any case, `-`: missing in a column of numbers, while
/// elsewhere they may be categories.
[[nodiscard]] bool is_missing_number(std::string_view field) noexcept;

}  // namespace adacvar
