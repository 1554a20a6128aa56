#pragma once

#include <charconv>
#include <string_view>

namespace adacvar {

/// Reads the number at `begin`, with an optional plus sign. Independent of the locale; underflow
/// gives 0, overflow infinity.
[[nodiscard]] std::from_chars_result read_number(const char* begin, const char* end, double& value);

/// True if all of `field` is a number ("inf" is; "nan" is not: it is a missing value).
[[nodiscard]] bool parse_number(std::string_view field, double& value);

/// True for an empty field, `?`, `NA` and `NaN`, in any case.
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

/// True also for `null`, `none`, `n/a`, `#n/a`, in any case, and `-`: missing in a numeric column,
/// but possibly categories elsewhere.
[[nodiscard]] bool is_missing_number(std::string_view field) noexcept;

}  // namespace adacvar
