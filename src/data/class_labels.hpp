#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Sorts the names and removes duplicates; names that are all numbers are sorted as numbers.
void sort_names(std::vector<std::string>& names);

/// Returns the shortest text that reads back as the same number: 1, -1, 0.5.
[[nodiscard]] std::string number_name(double number);

/// Returns the value of `column` in `row` as text, numbers in their shortest form. The value must
/// not be missing.
[[nodiscard]] std::string value_name(const Column& column, std::size_t row);

[[nodiscard]] bool is_missing_at(const Column& column, std::size_t row);

/// Returns the text that a numeric column has in `row`, or null.
[[nodiscard]] const TextValue* text_at(const Column& column, std::size_t row);

/// Returns the position of a value for messages: `line 17` if known, else `row 16`.
[[nodiscard]] std::string place_of(const Table& table, const Column& column, std::size_t row);

/// True if every name is a number in its shortest form: the classes of a numeric target.
[[nodiscard]] bool are_number_names(const std::vector<std::string>& names);

/// Returns the distinct values of `rows` on all ranks that are not missing, in increasing order.
[[nodiscard]] std::vector<double> distinct_in(const CompactNumbers& numbers,
                                              std::span<const Index> rows, Communicator& ranks);

/// Returns the names that occur in `rows` of all ranks, which have the same levels; sorted, without
/// missing values.
[[nodiscard]] std::vector<std::string> names_in(const Column& column, std::span<const Index> rows,
                                                Communicator& ranks);

/// Throws: OptionError for a row that the table does not have; DataError when there are no rows.
void check_rows(std::span<const Index> rows, std::size_t table_rows, const std::string& source);

}  // namespace adacvar
