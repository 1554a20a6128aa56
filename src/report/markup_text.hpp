#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Text for HTML and SVG, between tags or in a quoted attribute: what is markup is escaped, bytes
/// that are not UTF-8 are taken for Latin-1, control characters are shown as by `one_line`.
[[nodiscard]] std::string markup_text(std::string_view text);

/// The text, cut to at most `characters` with an ellipsis at its end.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t characters);

}  // namespace adacvar
