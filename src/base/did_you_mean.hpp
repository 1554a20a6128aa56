#pragma once

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Returns `; did you mean X?`, to append to a message, where X is the name closest to `given`;
/// empty if none is close. Cost: O(sum of lengths * length of given).
[[nodiscard]] std::string did_you_mean(std::string_view given,
                                       const std::vector<std::string_view>& names);

/// Overload for any range of texts.
template <std::ranges::input_range Names>
[[nodiscard]] std::string did_you_mean(std::string_view given, const Names& names) {
  std::vector<std::string_view> views;
  for (const auto& name : names) views.emplace_back(name);
  return did_you_mean(given, views);
}

}  // namespace adacvar
