#pragma once

#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Sorted and without repeats: as numbers when all are numbers, else as text.
void sort_names(std::vector<std::string>& names);

/// A number as the shortest text that reads back as it: 1, -1, 0.5.
[[nodiscard]] std::string number_name(double number);

/// The value of `column` in `row` as text; a number in its shortest form. Not for missing values.
[[nodiscard]] std::string value_name(const Column& column, std::size_t row);

[[nodiscard]] bool is_missing_at(const Column& column, std::size_t row);

/// The text that a numeric column has in `row`; null: none.
[[nodiscard]] const TextValue* text_at(const Column& column, std::size_t row);

/// Where a value is, in words: `line 17` where that is known, else `row 16`.
[[nodiscard]] std::string place_of(const Table& table, const Column& column, std::size_t row);

/// Whether every name is a number in its shortest form, as classes that were numbers are named.
[[nodiscard]] bool are_number_names(const std::vector<std::string>& names);

/// The names that occur in `rows`, sorted; missing values are left out.
[[nodiscard]] std::vector<std::string> names_in(const Column& column, std::span<const Index> rows);

/// Throws: OptionError for a row that the table does not have; DataError when there are no rows.
void check_rows(std::span<const Index> rows, std::size_t table_rows, const std::string& source);

}  // namespace adacvar
