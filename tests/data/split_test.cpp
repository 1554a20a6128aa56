#include "data/split.hpp"
#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include "support/expect_words.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

using Sizes = std::array<std::size_t, 3>;
using support::message_of;

Sizes sizes(const Split& split) {
  return {split.train.size(), split.valid.size(), split.test.size()};
}

std::vector<Index> all_of(const Split& split) {
  std::vector<Index> rows = split.train;
  rows.insert(rows.end(), split.valid.begin(), split.valid.end());
  rows.insert(rows.end(), split.test.begin(), split.test.end());
  std::ranges::sort(rows);
  return rows;
}

TEST(Split, largest_remainder) {
  EXPECT_EQ(sizes(split_rows(10, {}, 1)), (Sizes{5, 3, 2}));
  EXPECT_EQ(sizes(split_rows(11, {}, 1)), (Sizes{6, 3, 2}));  // 5.5, 3.3, 2.2
  EXPECT_EQ(sizes(split_rows(7, {}, 1)), (Sizes{4, 2, 1}));   // 3.5, 2.1, 1.4
  EXPECT_EQ(sizes(split_rows(3, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1)), (Sizes{1, 1, 1}));
  EXPECT_EQ(sizes(split_rows(1, {}, 1)), (Sizes{1, 0, 0}));
  EXPECT_EQ(sizes(split_rows(9, {1, 0, 0}, 1)), (Sizes{9, 0, 0}));
  EXPECT_EQ(sizes(split_rows(5, {0.5, 0, 0.5}, 1)), (Sizes{3, 0, 2}));
}

TEST(Split, every_row_once_and_in_order) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, 1);
    const std::size_t rows = 1 + rng.below(200);
    std::vector<std::uint32_t> classes(rows);
    for (std::uint32_t& label : classes) label = rng.below(4);
    for (const bool stratified : {false, true}) {
      const Split split =
          split_rows(rows, {}, seed, stratified ? classes : std::vector<std::uint32_t>{});
      const std::vector<Index> all = all_of(split);
      ASSERT_EQ(all.size(), rows);
      for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(all[i], i);
      ASSERT_TRUE(std::ranges::is_sorted(split.train));
    }
  }
}

TEST(Split, classes_keep_their_shares) {
  std::vector<std::uint32_t> classes(1000, 0);
  for (std::size_t i = 0; i < 100; ++i) classes[i * 7] = 1;
  const Split split = split_rows(1000, {}, 5, classes);
  const auto rare = [&](const std::vector<Index>& rows) {
    return std::ranges::count_if(rows, [&](Index row) { return classes[row] == 1; });
  };
  EXPECT_EQ(rare(split.train), 50);
  EXPECT_EQ(rare(split.valid), 30);
  EXPECT_EQ(rare(split.test), 20);
  EXPECT_EQ(sizes(split), (Sizes{500, 300, 200}));
}

// Changing these draws is an entry in CHANGELOG.
TEST(Split, a_seed_gives_the_same_rows_everywhere) {
  const Split split = split_rows(10, {}, 42);
  EXPECT_EQ(split, split_rows(10, {}, 42));
  EXPECT_NE(split, split_rows(10, {}, 43));
  EXPECT_EQ(split.train, (std::vector<Index>{0, 1, 3, 5, 9}));
  EXPECT_EQ(split.test, (std::vector<Index>{2, 8}));
}

TEST(Split, bad_shares_are_refused) {
  const auto refusal = [](const SplitShares& shares) {
    return message_of<OptionError>([&] { return split_rows(10, shares, 1); });
  };
  EXPECT_PRED2(support::has_words, refusal({0.5, 0.3, 0.3}), "split = 0.5,0.3,0.3 ... 1.1 ... 1");
  EXPECT_PRED2(support::has_words, refusal({1.5, -0.5, 0}),
               "split = 1.5,-0.5,0 ... share ... least 0");
  EXPECT_PRED2(support::has_words, refusal({std::nan(""), 0.5, 0.5}),
               "split = nan,0.5,0.5 ... share ... least 0");
  EXPECT_PRED2(support::has_words, message_of<DataError>([] { return split_rows(0, {}, 1); }),
               "no rows");
  const std::vector<std::uint32_t> classes(3);
  EXPECT_PRED2(support::has_words,
               message_of<OptionError>([&] { return split_rows(10, {}, 1, classes); }),
               "3 classes ... given ... 10 rows");
}

}  // namespace
}  // namespace adacvar
