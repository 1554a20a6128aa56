#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/data/data_options.hpp>
#include "data/table.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// A column that is numeric whatever its values, and its number format.
struct KnownNumbers {
  std::string name;
  NumberFormat format = {};
};

/// How a table of text is read; by default the format is detected.
struct ReadOptions {
  char separator = 0;                   ///< 0: detected among tab, `;`, `|`, `,` and blank
  std::optional<bool> header = {};      ///< none: detected, see read_csv
  std::vector<std::string> names = {};  ///< names for a file without a header; none: c1, c2, ...
  std::vector<std::string> categorical =
      {};                              ///< columns that are categories though they look numeric
  std::vector<std::string> drop = {};  ///< columns to leave out
  std::vector<std::string> known_names = {};  ///< a first row that has all of these is a header
  std::vector<std::string> known_categorical = {};    ///< as categorical, if the file has them
  std::optional<std::vector<std::string>> only = {};  ///< the only columns to keep
  std::vector<KnownNumbers> known_numeric = {};       ///< numeric columns, if the file has them
  std::vector<std::string> verbatim = {};  ///< columns whose text is kept too, whatever their kind
  DecimalChoice decimal = DecimalChoice::automatic;
  std::vector<std::string> missing = {};  ///< words, or numbers, that mean a missing value
  bool needs_rows = true;                 ///< a header alone is an error
  unsigned threads = 0;                   ///< 0: all of the machine; does not affect the result
  std::string preamble = {};              ///< top lines that begin with one of these are skipped
  ReadProgress progress = {};
};

/// Reads CSV, TSV and the like; `.gz` and `.xz` are recognised by their first bytes.
///
/// Fields may be quoted (`""` is a quote; separators and line ends inside are text). Line ends are
/// LF or CR LF; blank lines are skipped; blanks around a field are ignored. If the separator is a
/// blank, a run of blanks is one separator. Names and categories that are not UTF-8 are converted
/// from Latin-1 to UTF-8. Empty fields, `?`, `NA` and `NaN` (in any case) and the values in
/// `missing` are missing; in a numeric column also `null`, `none`, `n/a`, `#n/a` and `-`.
///
/// A column is numeric if nine in ten of its values that are not missing are numbers, plain or in
/// one format with separated thousands, a decimal comma, a currency sign or `%`; the others are its
/// `texts`. `1,234` alone may be 1234 or 1.234: such a column stays text, with a note, unless
/// `decimal` is given. All other columns are categorical. A first column without a name in the
/// header is a row index and is not read. Header detection: the first row is a header if none of
/// its fields is a number or missing, and either a column below is numeric, or its fields are
/// distinct and none occurs in the first 100 rows.
///
/// Cost: a mapped file is parsed in blocks of 1 MiB, over 200 MB/s per core for numbers; a second
/// pass when a column that began with numbers turns out to be categorical.
/// Throws: DataError with the file and line of the first error.
[[nodiscard]] Table read_csv(const std::filesystem::path& path, const ReadOptions& options = {});

/// Parses text in memory; `source` is its name in messages.
[[nodiscard]] Table parse_csv(std::string_view text, const std::string& source,
                              const ReadOptions& options = {});

/// Parses the part of this rank of a text that all ranks have (parse_csv_file.hpp).
[[nodiscard]] Table parse_csv(std::string_view text, const std::string& source,
                              const ReadOptions& options, Communicator& ranks);

/// Reads `label index:value ...` with increasing indices from 1 and comments after `#`; also
/// compressed. The rows stay sparse. `threads` as in ReadOptions.
/// Throws: DataError with file and line; `qid:` (ranking) is refused.
[[nodiscard]] SparseRows read_libsvm(const std::filesystem::path& path, unsigned threads = 0);
[[nodiscard]] SparseRows parse_libsvm(std::string_view text, const std::string& source,
                                      unsigned threads = 0);

/// Reads a NumPy array of one or two dimensions, in C or Fortran order: versions 1 and 2, b1, i1,
/// u1 and little-endian i2, u2, i4, u4, i8, u8, f4, f8. Columns are c1, c2, ...; NaN is a missing
/// value. Throws: DataError for any other format, for a wrong length and for infinities.
[[nodiscard]] Table read_npy(const std::filesystem::path& path);
[[nodiscard]] Table parse_npy(std::string_view bytes, const std::string& source);

enum class FileKind : std::uint8_t { csv, libsvm, npy, idx };

/// Detects the format of a file by its content: NPY and idx by their first bytes; LIBSVM if the
/// first line that is not blank, a comment or a lone number reads `number index:value ...`; else
/// CSV. Compressed text is decompressed as far as needed. Batches of CIFAR-10 have no signature;
/// read_data recognises them by name. Throws: DataError when the file cannot be read.
[[nodiscard]] FileKind find_file_kind(const std::filesystem::path& path);
/// Detects the format from the beginning of a file in memory.
[[nodiscard]] FileKind find_content_kind(std::string_view text);

}  // namespace adacvar
