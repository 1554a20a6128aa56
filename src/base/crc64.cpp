#include "base/crc64.hpp"

#include <fmt/core.h>
#include <lzma.h>

#include <cstdint>

namespace adacvar {

std::string crc64_text(std::string_view bytes) {
  return fmt::format(
      "{:016x}", lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0));
}

}  // namespace adacvar
