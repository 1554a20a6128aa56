#pragma once

#include "base/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

/// Loops over rows on several threads, in blocks that do not depend on their number: neither do the
/// sums.
namespace adacvar {

inline constexpr std::size_t kRowBlock = 4096;

template <class Work>
void for_each_row(std::size_t rows, unsigned threads, const Work& work) {
  for_each_block((rows + kRowBlock - 1) / kRowBlock, threads, [&](std::size_t b) {
    const std::size_t end = std::min((b + 1) * kRowBlock, rows);
    for (std::size_t r = b * kRowBlock; r < end; ++r) work(r);
  });
}

/// Total of what work(r, total) adds to; Total has a member `add(const Total&)`.
template <class Total, class Work>
[[nodiscard]] Total sum_rows(std::size_t rows, unsigned threads, const Work& work) {
  std::vector<Total> totals((rows + kRowBlock - 1) / kRowBlock);
  for_each_block(totals.size(), threads, [&](std::size_t b) {
    const std::size_t end = std::min((b + 1) * kRowBlock, rows);
    Total total;
    for (std::size_t r = b * kRowBlock; r < end; ++r) work(r, total);
    totals[b] = total;
  });
  Total all;
  for (const Total& total : totals) all.add(total);
  return all;
}

}  // namespace adacvar
