#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace adacvar {

/// Bytes as text [RFC 4648, with padding].
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// None if the text is not such.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace adacvar
