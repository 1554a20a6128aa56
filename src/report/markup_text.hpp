#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Escapes text for HTML and SVG, between tags or in a quoted attribute. Text that is not UTF-8 is
/// decoded as Latin-1; control characters are shown like by `one_line`.
[[nodiscard]] std::string markup_text(std::string_view text);

/// Cuts the text to at most `characters`, with an ellipsis at its end.
[[nodiscard]] std::string shorten(const std::string& text, std::size_t characters);

}  // namespace adacvar
