#pragma once

#include <adacvar/base/index.hpp>
#include "data/read_table.hpp"
#include "data/table.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// True when the whole of `field`, in UTF-8, is a finite number written in that format: an optional
/// sign and currency sign, digits in one run or in groups of three (separated by blanks, `'`, or
/// the one of `,` and `.` that is not the decimal sign), decimals, exponent, `%` or currency sign.
/// A minus is a hyphen, U+2212 or parentheses around the number, `(5.00)`.
/// A currency sign may be left out, `%` may not; the number before `%` is not divided by 100.
[[nodiscard]] bool parse_number(std::string_view field, const NumberFormat& format, double& value);

/// Whether `field` is a number in some format.
[[nodiscard]] bool is_number_in_any_format(std::string_view field);

/// The format that a column's values agree on.
struct FoundFormat {
  NumberFormat format;
  bool ambiguous = false;   ///< both decimal signs fit, with different values
  std::size_t present = 0;  ///< values that are not words for a missing number
  std::size_t numbers = 0;  ///< of these, numbers in the format
};

/// `counts`: how often each of the values occurs. Of two formats the one that more values have;
/// values that are numbers without any format do not make a column ambiguous.
[[nodiscard]] FoundFormat find_format(const CompactNames& values,
                                      std::span<const std::size_t> counts, DecimalChoice decimal);

/// How often each level of a categorical column occurs, in all rows or in those named.
[[nodiscard]] std::vector<std::size_t> count_levels(const Column& column);
[[nodiscard]] std::vector<std::size_t> count_levels(const Column& column,
                                                    std::span<const Index> rows);

/// The column with its levels read as numbers; those that are neither numbers nor words for a
/// missing one are its texts. Numbers that `is_missing` are missing too.
[[nodiscard]] Column as_numeric(const Column& categorical, const NumberFormat& format,
                                const std::function<bool(double)>& is_missing = {});

/// The same where a column that was not declared categorical has numbers only in `rows`, and none
/// that is ambiguous; else nothing.
[[nodiscard]] std::optional<Column> numeric_in(const Column& categorical,
                                               std::span<const Index> rows);

}  // namespace adacvar
