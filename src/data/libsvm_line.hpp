#pragma once

#include <string_view>

namespace adacvar {

/// `label index:value ...`, before any comment; "12:30" alone in a line is a time of day.
[[nodiscard]] bool is_libsvm_line(std::string_view line);

/// `index:value ...` with growing indices and no label: two entries or more.
[[nodiscard]] bool is_libsvm_line_without_label(std::string_view line);

}  // namespace adacvar
