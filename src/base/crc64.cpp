#include "base/crc64.hpp"

#include <fmt/core.h>
#include <lzma.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace adacvar {

namespace {

constexpr std::uint64_t kPolynomial = 0xc96c'5795'd787'0f42U;  // ECMA-182, lowest bit first

// What zero bytes do to a checksum, a linear map over bits: column i is the image of bit i.
using Map = std::array<std::uint64_t, 64>;

std::uint64_t image_of(const Map& map, std::uint64_t bits) noexcept {
  std::uint64_t image = 0;
  for (std::size_t i = 0; bits != 0; ++i, bits >>= 1U) {
    if ((bits & 1U) != 0) image ^= map[i];
  }
  return image;
}

Map squared(const Map& map) noexcept {
  Map result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = image_of(map, map[i]);
  return result;
}

Map zero_bit() noexcept {
  Map map{};
  map[0] = kPolynomial;
  for (std::size_t i = 1; i < map.size(); ++i) map[i] = std::uint64_t{1} << (i - 1);
  return map;
}

}  // namespace

std::uint64_t join_crc64(std::uint64_t first, std::uint64_t second,
                         std::uint64_t second_length) noexcept {
  Map map = zero_bit();
  for (int doubling = 0; doubling < 3; ++doubling) map = squared(map);  // a zero byte
  for (std::uint64_t left = second_length; left != 0; left >>= 1U) {
    if ((left & 1U) != 0) first = image_of(map, first);
    map = squared(map);
  }
  return first ^ second;
}

std::string crc64_text(std::string_view bytes) {
  return fmt::format(
      "{:016x}", lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0));
}

}  // namespace adacvar
