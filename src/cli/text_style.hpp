#pragma once

#include "report/histogram_text.hpp"

namespace adacvar::cli {

/// Of standard output: colour on a terminal unless NO_COLOR is set or TERM is dumb, bars of eighths
/// where the locale's letters are UTF-8.
[[nodiscard]] TextStyle text_style();

}  // namespace adacvar::cli
