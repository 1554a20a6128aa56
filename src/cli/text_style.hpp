#pragma once

#include "report/histogram_text.hpp"

namespace adacvar::cli {

/// Returns the style of standard output: colour on a terminal unless NO_COLOR is set or TERM is
/// dumb, Unicode bars if the locale is UTF-8.
[[nodiscard]] TextStyle text_style();

}  // namespace adacvar::cli
