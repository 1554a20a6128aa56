#include "base/did_you_mean.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

// Longer texts are data rather than names.
constexpr std::size_t kLongest = 64;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Edit distance: insertions, deletions, substitutions and swaps of adjacent characters.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = last[j - 1] + (one[i - 1] == other[j - 1] ? 0U : 1U);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string_view>& names) {
  if (given.empty() || given.size() > kLongest) return {};
  const std::string wanted = lower_case(given);
  std::string_view nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string_view name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t found = distance(wanted, lower_case(name));
    if (found >= least) continue;
    least = found;
    nearest = name;
  }
  // At most a third of the characters may be wrong, so none in a name of one character.
  if (nearest.empty() || least > (given.size() + 1) / 3) return {};
  return fmt::format("; did you mean {}?", nearest);
}

}  // namespace adacvar
