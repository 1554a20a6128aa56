#pragma once

#include <string_view>

namespace adacvar {

/// True for `label index:value ...`, ignoring a comment; a lone "12:30" is a time of day.
[[nodiscard]] bool is_libsvm_line(std::string_view line);

/// True for `index:value ...` without a label: at least two entries, with increasing indices.
[[nodiscard]] bool is_libsvm_line_without_label(std::string_view line);

}  // namespace adacvar
