#include "base/join.hpp"

#include <fmt/format.h>

namespace adacvar {

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string join(std::span<const double> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string join(std::span<const std::size_t> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace adacvar
