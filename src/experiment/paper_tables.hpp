#pragma once

#include <string_view>

namespace adacvar {

/// experiments/paper/tables.csv, embedded at build time (cmake/EmbedText.cmake).
extern const std::string_view kPaperTables;

}  // namespace adacvar
