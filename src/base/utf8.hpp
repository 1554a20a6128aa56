#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Whether the bytes are UTF-8: no overlong forms, surrogates or code points above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Returns the text itself if it is UTF-8; else decodes it as Latin-1.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace adacvar
