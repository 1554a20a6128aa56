#pragma once

#include "data/compact_columns.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Code of a missing value in a categorical column. (A missing number is NaN.)
inline constexpr std::uint32_t kMissingLevel = 0xffff'ffffU;

/// How the numbers of a column are written: `1,234.50`, `0,64`, `$5`, `12 %`.
struct NumberFormat {
  char decimal = '.';     ///< `.` or `,`; the other one may separate thousands
  std::string mark = {};  ///< currency sign or `%` next to the numbers
  bool grouped = false;   ///< thousands are separated: `1,234` is 1234, else not a number

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// Text in a numeric column; it counts as missing.
struct TextValue {
  std::size_t row = 0;
  std::size_t line = 0;  ///< in the source, from 1; 0: not known
  std::string text;

  friend bool operator==(const TextValue&, const TextValue&) = default;
};

/// One column of a table: numbers, or codes of named levels.
struct Column {
  std::string name;
  bool categorical = false;
  CompactNumbers numbers;             ///< numeric: one per row, NaN where missing
  std::vector<std::uint32_t> codes;   ///< categorical: one per row, kMissingLevel where missing
  CompactNames levels;                ///< categorical: in order of first appearance
  bool declared = false;              ///< declared categorical by the user
  NumberFormat format = {};           ///< numeric: format of its numbers
  std::vector<TextValue> texts = {};  ///< numeric: values that are not numbers, by row

  friend bool operator==(const Column&, const Column&) = default;  // NaN differs from NaN
};

/// The fields of a column of text as they were written, without quotes and surrounding blanks, in
/// UTF-8.
struct VerbatimColumn {
  std::string name;
  CompactNames fields;  ///< one per row
};

/// A file read into columns of equal length; `source` is its name in messages.
struct Table {
  std::vector<Column> columns;
  std::size_t rows = 0;
  std::string source;
  std::size_t first_row = 0;                  ///< number of the first row in the source, from 0
  std::vector<std::string> unread = {};       ///< columns of the source that were not read
  std::vector<std::string> notes = {};        ///< notes for the user on how it was read
  std::vector<VerbatimColumn> verbatim = {};  ///< text: the columns of ReadOptions::verbatim
};

/// Sparse rows with a target each: row i has the entries start[i] .. start[i + 1] - 1.
struct SparseRows {
  std::vector<std::size_t> start = {0};
  std::vector<std::uint32_t> column;  ///< from 0, increasing within a row
  std::vector<float> value;
  std::vector<double> target;
  std::size_t columns = 0;
  std::string source;

  [[nodiscard]] std::size_t rows() const noexcept { return target.size(); }
};

/// Returns the names of the columns, then of those not read, for messages: `a, b, c`. A list of
/// more than 40 is cut, with the number of further names.
[[nodiscard]] std::string column_names(const Table& table);

/// Finds the column `name`.
/// Throws: DataError `<role> column '<name>' is not one of: ...` when there is none.
[[nodiscard]] const Column& find_column(const Table& table, std::string_view name,
                                        std::string_view role);

/// Converts sparse rows to a table: a column `target`, then c1, c2, ..., with explicit zeros.
[[nodiscard]] Table to_table(const SparseRows& sparse);

/// Returns the rows of `first` followed by those of `second`; columns must agree in number, name
/// and kind.
/// Throws: DataError otherwise.
[[nodiscard]] Table append_rows(const Table& first, const Table& second);

}  // namespace adacvar
