#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Returns the CRC-64 (ECMA-182) of the bytes as 16 hexadecimal digits.
[[nodiscard]] std::string crc64_text(std::string_view bytes);

}  // namespace adacvar
