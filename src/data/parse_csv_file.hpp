#pragma once

#include "data/file_bytes.hpp"

#include "data/read_table.hpp"

namespace adacvar {

/// As parse_csv on the text of `file`; what has been read of a mapped file leaves memory.
[[nodiscard]] Table parse_csv(FileBytes& file, ReadOptions options);

}  // namespace adacvar
