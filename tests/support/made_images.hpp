#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adacvar::support {

inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes += static_cast<char>((number >> shift) & 0xffU);
  }
  return bytes;
}

inline std::string idx_labels(const std::vector<std::uint8_t>& labels) {
  return big_endian(0x0801) + big_endian(static_cast<std::uint32_t>(labels.size())) +
         std::string(labels.begin(), labels.end());
}

inline std::string idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width,
                              const std::vector<std::uint8_t>& pixels) {
  return big_endian(0x0803) + big_endian(count) + big_endian(height) + big_endian(width) +
         std::string(pixels.begin(), pixels.end());
}

/// A batch of CIFAR-10; every pixel is 10 * channel + label.
inline std::string batch(const std::vector<std::uint8_t>& labels) {
  std::string bytes;
  for (const std::uint8_t label : labels) {
    bytes += static_cast<char>(label);
    for (int channel = 0; channel < 3; ++channel) {
      bytes += std::string(1024, static_cast<char>(10 * channel + label));
    }
  }
  return bytes;
}

}  // namespace adacvar::support
