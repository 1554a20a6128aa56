#pragma once

#include "data/file_bytes.hpp"

#include "data/read_table.hpp"

namespace adacvar {

/// Parses the text of `file` as parse_csv does; memory of a mapped file is released once it is
/// read.
[[nodiscard]] Table parse_csv(FileBytes& file, ReadOptions options);

}  // namespace adacvar
