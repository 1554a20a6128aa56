#include "base/join.hpp"

#include <fmt/core.h>

namespace adacvar {

namespace {

template <class Item>
std::string join_items(std::span<const Item> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += fmt::format("{}", parts[i]);
  }
  return text;
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_items(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_items(parts, separator);
}

std::string join(std::span<const double> parts, std::string_view separator) {
  return join_items(parts, separator);
}

std::string join(std::span<const std::size_t> parts, std::string_view separator) {
  return join_items(parts, separator);
}

}  // namespace adacvar
