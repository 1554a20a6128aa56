#include "data/shift.hpp"

#include "base/portable_math.hpp"
#include "data/shuffle.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/base/rng.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace adacvar {

namespace {

using Rows = std::vector<Index>;

void check_row(Index row, std::span<const std::uint32_t> classes) {
  if (row < classes.size()) return;
  throw OptionError(fmt::format("row {}: classes are given for {} rows", row, classes.size()));
}

std::array<Rows, 2> by_class(std::span<const Index> rows, std::span<const std::uint32_t> classes) {
  std::array<Rows, 2> parts;
  for (const Index row : rows) {
    check_row(row, classes);
    if (classes[row] > 1) {
      throw OptionError(fmt::format("row {} has class {}, a shift needs two", row, classes[row]));
    }
    parts[classes[row]].push_back(row);
  }
  return parts;
}

std::map<std::uint32_t, Rows> by_number(std::span<const Index> rows,
                                        std::span<const std::uint32_t> classes) {
  std::map<std::uint32_t, Rows> parts;
  for (const Index row : rows) {
    check_row(row, classes);
    parts[classes[row]].push_back(row);
  }
  return parts;
}

/// Returns the number of rows of each class among `total`, rounded by largest remainder.
std::map<std::uint32_t, std::size_t> stratified_sizes(const std::map<std::uint32_t, Rows>& parts,
                                                      std::size_t total, std::size_t rows) {
  std::map<std::uint32_t, std::size_t> sizes;
  std::vector<std::pair<std::size_t, std::uint32_t>> remainders;
  std::size_t given = 0;
  for (const auto& [number, part] : parts) {
    sizes[number] = part.size() * total / rows;
    given += sizes[number];
    remainders.emplace_back(part.size() * total % rows, number);
  }
  std::ranges::stable_sort(remainders, std::ranges::greater(),
                           &std::pair<std::size_t, std::uint32_t>::first);
  for (std::size_t i = 0; given < total; ++i, ++given) ++sizes[remainders[i].second];
  return sizes;
}

// Draws `size` of the rows without replacement, in increasing order.
Rows some_of(Rows rows, std::size_t size, Rng& rng) {
  shuffle(rows, rng);
  rows.resize(std::min(size, rows.size()));
  std::ranges::sort(rows);
  return rows;
}

Rows merged(const Rows& one, const Rows& other) {
  Rows result;
  result.reserve(one.size() + other.size());
  std::ranges::merge(one, other, std::back_inserter(result));
  return result;
}

}  // namespace

std::vector<Index> thin_majority(std::span<const Index> rows,
                                 std::span<const std::uint32_t> classes, double ratio,
                                 std::uint64_t seed) {
  check_range("ratio", ratio, {.low = 0});
  const auto ones = static_cast<std::size_t>(std::ranges::count(classes, 1U));
  const std::size_t majority = 2 * ones > classes.size() ? 1 : 0;
  std::array<Rows, 2> parts = by_class(rows, classes);
  const Rows& others = parts[1 - majority];
  const double left = std::max(1.0, std::round(ratio * static_cast<double>(others.size())));
  Rng rng(seed, 1);  // not the stream of the split
  return merged(some_of(parts[majority], static_cast<std::size_t>(left), rng), others);
}

std::vector<Index> upsample(std::span<const Index> rows, std::span<const std::uint32_t> classes,
                            std::uint64_t seed) {
  std::array<Rows, 2> parts = by_class(rows, classes);
  const std::size_t small = parts[0].size() < parts[1].size() ? 0 : 1;
  const Rows& whole = parts[1 - small];
  if (parts[small].empty()) return whole;
  Rng rng(seed, 1);  // not the stream of the split
  Rows repeated;
  while (repeated.size() + parts[small].size() <= whole.size()) {
    repeated.insert(repeated.end(), parts[small].begin(), parts[small].end());
  }
  const Rows rest = some_of(parts[small], whole.size() - repeated.size(), rng);
  repeated.insert(repeated.end(), rest.begin(), rest.end());
  std::ranges::sort(repeated);
  return merged(repeated, whole);
}

std::vector<Index> downsample(std::span<const Index> rows, std::span<const std::uint32_t> classes,
                              std::uint64_t seed) {
  const std::array<Rows, 2> parts = by_class(rows, classes);
  const std::size_t size = std::min(parts[0].size(), parts[1].size());
  Rng rng(seed, 1);  // not the stream of the split
  const Rows zeros = some_of(parts[0], size, rng);
  return merged(zeros, some_of(parts[1], size, rng));
}

std::vector<Index> power_law_rows(std::span<const Index> rows,
                                  std::span<const std::uint32_t> classes, double beta,
                                  std::uint64_t seed) {
  check_range("beta", beta, {.low = 0, .high = 1, .low_ok = false});
  std::map<std::uint32_t, Rows> parts = by_number(rows, classes);
  std::size_t least = rows.size();
  for (const auto& [number, part] : parts) least = std::min(least, part.size());
  Rng rng(seed, 1);  // not the stream of the split
  Rows kept;
  for (auto& [number, part] : parts) {
    const double share = portable::exp(portable::log(beta) * portable::log(number + 1.0));
    const double size = std::max(1.0, std::round(static_cast<double>(least) * share));
    kept = merged(kept, some_of(std::move(part), static_cast<std::size_t>(size), rng));
  }
  return kept;
}

std::vector<Index> thin_rows(std::span<const Index> rows, std::span<const std::uint32_t> classes,
                             std::size_t total, std::uint64_t seed) {
  if (total == 0 || total > rows.size()) {
    throw OptionError(fmt::format("total = {} is outside [1, {}]", total, rows.size()));
  }
  std::map<std::uint32_t, Rows> parts = by_number(rows, classes);
  const auto sizes = stratified_sizes(parts, total, rows.size());
  Rng rng(seed, 1);  // not the stream of the split
  Rows kept;
  for (auto& [number, part] : parts) {
    kept = merged(kept, some_of(std::move(part), sizes.at(number), rng));
  }
  return kept;
}

}  // namespace adacvar
