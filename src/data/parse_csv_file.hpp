#pragma once

#include "data/file_bytes.hpp"

#include "data/read_table.hpp"

#include <adacvar/base/communicator.hpp>

namespace adacvar {

/// Parses the text of `file` as parse_csv does; memory of a mapped file is released once it is
/// read.
[[nodiscard]] Table parse_csv(FileBytes& file, ReadOptions options);

/// Parses the part of this rank: the ranks' rows follow each other, and make the table that one
/// rank gets; a row with quoted line ends is not cut. All ranks have the same columns, kinds,
/// formats, levels and notes. Throws: DataError for an error in this rank's part.
[[nodiscard]] Table parse_csv(FileBytes& file, ReadOptions options, Communicator& ranks);

}  // namespace adacvar
