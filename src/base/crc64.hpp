#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adacvar {

/// Returns the CRC-64 (ECMA-182) of the bytes as 16 hexadecimal digits.
[[nodiscard]] std::string crc64_text(std::string_view bytes);

/// Returns the CRC-64 of two texts behind each other, from their own and the length of the second.
/// Cost: O(log length).
[[nodiscard]] std::uint64_t join_crc64(std::uint64_t first, std::uint64_t second,
                                       std::uint64_t second_length) noexcept;

}  // namespace adacvar
