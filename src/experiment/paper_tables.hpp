#pragma once

#include <string_view>

namespace adacvar {

/// experiments/paper/tables.csv, which the build puts into the library (cmake/EmbedText.cmake).
extern const std::string_view kPaperTables;

}  // namespace adacvar
