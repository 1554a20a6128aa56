#pragma once

#include "base/collectives.hpp"

#include <adacvar/base/communicator.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {

/// Text that differs between ranks, of different lengths: none, "1", "22", ...
inline std::string text_of_rank(std::size_t rank) {
  return std::string(rank, static_cast<char>('0' + rank % 10));
}

inline void check_sums(Communicator& ranks) {
  const auto n = static_cast<std::int64_t>(ranks.size());
  const auto r = static_cast<std::int64_t>(ranks.rank());
  std::vector<std::int64_t> whole{r, -1, std::int64_t{1} << 60U};
  ranks.sum(std::span(whole).first(2));
  EXPECT_EQ(whole, (std::vector<std::int64_t>{n * (n - 1) / 2, -n, std::int64_t{1} << 60U}));
  std::vector<double> numbers{0.5, 0.1 * static_cast<double>(r)};
  ranks.sum(numbers);
  EXPECT_EQ(numbers[0], 0.5 * static_cast<double>(n));
  for (const double other : gather_one(ranks, numbers[1])) EXPECT_EQ(other, numbers[1]);
  EXPECT_EQ(sum_of(ranks, 3), 3 * ranks.size());
  EXPECT_EQ(sum_before(ranks, 2), 2 * ranks.rank());
  EXPECT_EQ(max_of(ranks, -static_cast<double>(r)), 0);
  EXPECT_TRUE(any_of(ranks, r == 0));
  EXPECT_FALSE(any_of(ranks, false));
}

inline void check_gathering(Communicator& ranks) {
  const std::vector<std::size_t> numbers = gather_one(ranks, ranks.rank());
  std::vector<std::size_t> expected(ranks.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(numbers, expected);
  std::vector<std::string> texts;
  for (const std::size_t rank : expected) texts.push_back(text_of_rank(rank));
  EXPECT_EQ(gather_text(ranks, text_of_rank(ranks.rank())), texts);
}

inline void check_exchange(Communicator& ranks) {
  GatheredBlocks to{{}, {0}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    // Rank a gives rank b the number a once more often than b.
    to.bytes.insert(to.bytes.end(), rank + 1, static_cast<std::byte>(ranks.rank()));
    to.start.push_back(to.bytes.size());
  }
  const GatheredBlocks from = ranks.exchange(to);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<std::byte> block(from.of(rank).begin(), from.of(rank).end());
    EXPECT_EQ(block, std::vector<std::byte>(ranks.rank() + 1, static_cast<std::byte>(rank)));
  }
}

inline void check_broadcast(Communicator& ranks) {
  for (std::size_t root = 0; root < ranks.size(); ++root) {
    std::vector<std::byte> data(100, static_cast<std::byte>(ranks.rank()));
    ranks.broadcast(data, root);
    EXPECT_EQ(data, std::vector<std::byte>(100, static_cast<std::byte>(root)));
  }
}

/// Checks every function of a communicator, on each rank.
inline void check_communicator(Communicator& ranks) {
  ASSERT_LT(ranks.rank(), ranks.size());
  check_sums(ranks);
  check_gathering(ranks);
  check_exchange(ranks);
  check_broadcast(ranks);
}

}  // namespace adacvar
