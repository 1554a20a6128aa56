#pragma once

#include <adacvar/base/communicator.hpp>
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

/// True if all of `field`, in UTF-8, is a finite number in that format: an optional sign and
/// currency sign, digits in one run or in groups of three (separated by blanks, `'`, or the one of
/// `,` and `.` that is not the decimal sign), decimals, exponent, `%` or currency sign. A minus is
/// a hyphen, U+2212 or parentheses around the number, `(5.00)`. A currency sign is optional, `%` is
/// not; the number before `%` is not divided by 100.
[[nodiscard]] bool parse_number(std::string_view field, const NumberFormat& format, double& value);

/// True if `field` is a number in some format.
[[nodiscard]] bool is_number_in_any_format(std::string_view field);

/// Number format of a column.
struct FoundFormat {
  NumberFormat format;
  bool ambiguous = false;   ///< both decimal signs fit, with different values
  std::size_t present = 0;  ///< values that are not missing
  std::size_t numbers = 0;  ///< values that are numbers in the format
};

/// Finds the format of most values; counts[i] is how often values[i] occurs. Plain numbers do not
/// make a column ambiguous.
[[nodiscard]] FoundFormat find_format(const CompactNames& values,
                                      std::span<const std::size_t> counts, DecimalChoice decimal);

/// Counts how often each level of a categorical column occurs, in all rows or in `rows`.
[[nodiscard]] std::vector<std::size_t> count_levels(const Column& column);
[[nodiscard]] std::vector<std::size_t> count_levels(const Column& column,
                                                    std::span<const Index> rows);

/// Converts a categorical column to a numeric one. Levels that are neither numbers nor words for a
/// missing value become its texts; numbers for which `is_missing` holds become missing.
[[nodiscard]] Column as_numeric(const Column& categorical, const NumberFormat& format,
                                const std::function<bool(double)>& is_missing = {});

/// Converts a column that was not declared categorical if all its values in `rows` of all ranks are
/// unambiguous numbers; otherwise returns nothing. The ranks have the same levels.
[[nodiscard]] std::optional<Column> numeric_in(const Column& categorical,
                                               std::span<const Index> rows, Communicator& ranks);
[[nodiscard]] std::optional<Column> numeric_in(const Column& categorical,
                                               std::span<const Index> rows);

}  // namespace adacvar
