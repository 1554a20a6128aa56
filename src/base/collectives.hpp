#pragma once

#include <adacvar/base/communicator.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace adacvar {

/// Returns the sum over the ranks.
[[nodiscard]] inline std::uint64_t sum_of(Communicator& ranks, std::uint64_t value) {
  auto total = static_cast<std::int64_t>(value);
  ranks.sum(std::span(&total, 1));
  return static_cast<std::uint64_t>(total);
}

/// Gathers one value of each rank.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<T> gather_one(Communicator& ranks, const T& mine) {
  std::vector<T> all(ranks.size());
  ranks.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Copies the values of a block.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<T> values_in(std::span<const std::byte> block) {
  std::vector<T> values(block.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), block.data(), values.size() * sizeof(T));
  return values;
}

/// Gathers the values of all ranks, in the order of the ranks; ranks may differ in their number.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<T> gather_values(Communicator& ranks, std::span<const T> mine) {
  return values_in<T>(ranks.all_gather(std::as_bytes(mine)).bytes);
}

/// Gathers a text of each rank.
[[nodiscard]] inline std::vector<std::string> gather_text(Communicator& ranks,
                                                          std::string_view mine) {
  const GatheredBlocks blocks = ranks.all_gather(std::as_bytes(std::span(mine)));
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<char> text = values_in<char>(blocks.of(rank));
    texts.emplace_back(text.begin(), text.end());
  }
  return texts;
}

/// Replaces counts by their sums over the ranks.
inline void sum_counts(Communicator& ranks, std::span<std::size_t> counts) {
  if (ranks.size() == 1) return;
  std::vector<std::int64_t> sums(counts.begin(), counts.end());
  ranks.sum(std::span(sums));
  std::ranges::transform(sums, counts.begin(),
                         [](std::int64_t sum) { return static_cast<std::size_t>(sum); });
}

[[nodiscard]] inline double max_of(Communicator& ranks, double value) {
  return std::ranges::max(gather_one(ranks, value));
}

/// True on all ranks if it is on one.
[[nodiscard]] inline bool any_of(Communicator& ranks, bool value) {
  return sum_of(ranks, value ? 1 : 0) > 0;
}

/// Returns the sum over the ranks before this one.
[[nodiscard]] inline std::uint64_t sum_before(Communicator& ranks, std::uint64_t value) {
  const std::vector<std::uint64_t> all = gather_one(ranks, value);
  std::uint64_t total = 0;
  for (std::size_t rank = 0; rank < ranks.rank(); ++rank) total += all[rank];
  return total;
}

}  // namespace adacvar
