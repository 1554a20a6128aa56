#include "data/shift.hpp"

#include <adacvar/base/error.hpp>

#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace adacvar {
namespace {

/// 70 rows of class 0, then 30 of class 1.
std::vector<std::uint32_t> seventy_thirty() {
  std::vector<std::uint32_t> classes(100, 0);
  std::fill(classes.begin() + 70, classes.end(), 1U);
  return classes;
}

std::vector<Index> first_rows(std::size_t count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

std::size_t count_class(const std::vector<Index>& rows, const std::vector<std::uint32_t>& classes,
                        std::uint32_t which) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](Index row) { return classes[row] == which; }));
}

TEST(ThinMajority, leaves_the_ratio_and_all_of_the_others) {
  const auto classes = seventy_thirty();
  const auto rows = thin_majority(first_rows(100), classes, 0.1, 1);
  EXPECT_EQ(count_class(rows, classes, 0), 3U);
  EXPECT_EQ(count_class(rows, classes, 1), 30U);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size());
}

TEST(ThinMajority, the_majority_is_counted_over_all_rows) {
  auto classes = seventy_thirty();
  for (auto& c : classes) c = 1 - c;  // now class 1 is the larger
  // Among rows 60 .. 99 there are 10 of the majority and 30 of the others.
  std::vector<Index> rows(40);
  std::iota(rows.begin(), rows.end(), Index{60});
  const auto left = thin_majority(rows, classes, 0.1, 1);
  EXPECT_EQ(count_class(left, classes, 1), 3U);
  EXPECT_EQ(count_class(left, classes, 0), 30U);
}

TEST(ThinMajority, keeps_at_least_one_row) {
  const auto classes = seventy_thirty();
  EXPECT_EQ(count_class(thin_majority(first_rows(100), classes, 0.001, 1), classes, 0), 1U);
}

TEST(ThinMajority, a_majority_that_is_small_already_stays) {
  const auto classes = seventy_thirty();
  EXPECT_EQ(thin_majority(first_rows(100), classes, 10, 1), first_rows(100));
}

TEST(ThinMajority, depends_on_the_seed_alone) {
  const auto classes = seventy_thirty();
  const auto rows = first_rows(100);
  EXPECT_EQ(thin_majority(rows, classes, 0.5, 3), thin_majority(rows, classes, 0.5, 3));
  EXPECT_NE(thin_majority(rows, classes, 0.5, 3), thin_majority(rows, classes, 0.5, 4));
}

TEST(ThinMajority, refuses_what_it_cannot_do) {
  const auto rows = first_rows(3);
  EXPECT_THROW((void)thin_majority(rows, std::vector<std::uint32_t>{0, 1}, 0.1, 1), OptionError);
  EXPECT_EQ(support::message_of<OptionError>([&] {
              return thin_majority(rows, std::vector<std::uint32_t>{0, 1, 2}, 0.1, 1);
            }),
            "row 2 has class 2, a shift needs two");
  EXPECT_THROW((void)thin_majority(rows, std::vector<std::uint32_t>{0, 1, 1}, -1, 1), OptionError);
}

TEST(Upsample, repeats_each_row_as_evenly_as_possible) {
  const auto classes = seventy_thirty();
  const auto rows = upsample(first_rows(100), classes, 1);
  EXPECT_EQ(rows.size(), 140U);
  EXPECT_EQ(count_class(rows, classes, 1), 70U);
  for (Index row = 0; row < 100; ++row) {
    const auto times = std::ranges::count(rows, row);
    if (row < 70) {
      EXPECT_EQ(times, 1);
    } else {
      EXPECT_TRUE(times == 2 || times == 3) << row;
    }
  }
}

TEST(Upsample, one_class_alone_stays) {
  const std::vector<std::uint32_t> classes(5, 1);
  EXPECT_EQ(upsample(first_rows(5), classes, 1), first_rows(5));
}

TEST(Downsample, brings_both_to_the_smaller_size) {
  const auto classes = seventy_thirty();
  const auto rows = downsample(first_rows(100), classes, 1);
  EXPECT_EQ(count_class(rows, classes, 0), 30U);
  EXPECT_EQ(count_class(rows, classes, 1), 30U);
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), 60U);
}

/// 20 rows of class 0, 16 of class 1, 18 of class 2, 16 of class 3.
std::vector<std::uint32_t> four_classes() {
  std::vector<std::uint32_t> classes;
  for (const auto& [number, count] :
       {std::pair(0U, 20), std::pair(1U, 16), std::pair(2U, 18), std::pair(3U, 16)}) {
    classes.insert(classes.end(), static_cast<std::size_t>(count), number);
  }
  return classes;
}

std::vector<std::size_t> counts_of(const std::vector<Index>& rows,
                                   const std::vector<std::uint32_t>& classes) {
  std::vector<std::size_t> counts;
  for (std::uint32_t c = 0; c < 4; ++c) counts.push_back(count_class(rows, classes, c));
  return counts;
}

using Counts = std::vector<std::size_t>;

// beta = 1/e: sizes n / c. 1/e^2: n / c^2, so 16, 4, 1.78, 1.
TEST(PowerLawRows, sizes_follow_the_law) {
  const auto classes = four_classes();
  const auto counts = [&](double beta) {
    return counts_of(power_law_rows(first_rows(70), classes, beta, 1), classes);
  };
  EXPECT_EQ(counts(1), (Counts{16, 16, 16, 16}));
  EXPECT_EQ(counts(0.36787944117144233), (Counts{16, 8, 5, 4}));
  EXPECT_EQ(counts(0.1353352832366127), (Counts{16, 4, 2, 1}));
  EXPECT_EQ(counts(1e-9), (Counts{16, 1, 1, 1}));
}

TEST(PowerLawRows, rows_are_drawn_once_each_by_the_seed) {
  const auto classes = four_classes();
  const auto rows = power_law_rows(first_rows(70), classes, 0.5, 3);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_EQ(rows, power_law_rows(first_rows(70), classes, 0.5, 3));
  EXPECT_NE(rows, power_law_rows(first_rows(70), classes, 0.5, 4));
  // A class that is not among the rows keeps its number: 3 is still the fourth.
  std::vector<Index> some(34);
  std::iota(some.begin(), some.end(), Index{36});
  EXPECT_EQ(counts_of(power_law_rows(some, classes, 0.1353352832366127, 1), classes),
            (Counts{0, 0, 2, 1}));
}

TEST(PowerLawRows, refuses_what_it_cannot_do) {
  const auto classes = four_classes();
  for (const double beta : {0.0, 1.5, -1.0}) {
    EXPECT_THROW((void)power_law_rows(first_rows(70), classes, beta, 1), OptionError) << beta;
  }
  EXPECT_EQ(support::message_of<OptionError>(
                [&] { return power_law_rows(first_rows(70), classes, 2, 1); }),
            "beta = 2 is outside (0, 1]");
  EXPECT_EQ(support::message_of<OptionError>(
                [&] { return power_law_rows(first_rows(71), classes, 1, 1); }),
            "row 70: classes are given for 70 rows");
}

// 35 of 70: halves. 7: a tenth is 2, 1.6, 1.8, 1.6, so the rests go to classes 2, 1.
TEST(ThinRows, keeps_the_shares_of_the_classes) {
  const auto classes = four_classes();
  const auto counts = [&](std::size_t total) {
    return counts_of(thin_rows(first_rows(70), classes, total, 1), classes);
  };
  EXPECT_EQ(counts(35), (Counts{10, 8, 9, 8}));
  EXPECT_EQ(counts(7), (Counts{2, 2, 2, 1}));
  EXPECT_EQ(counts(1), (Counts{1, 0, 0, 0}));
  EXPECT_EQ(thin_rows(first_rows(70), classes, 70, 1), first_rows(70));
  EXPECT_NE(thin_rows(first_rows(70), classes, 30, 1), thin_rows(first_rows(70), classes, 30, 2));
  EXPECT_TRUE(std::ranges::is_sorted(thin_rows(first_rows(70), classes, 30, 1)));
}

TEST(ThinRows, refuses_what_it_cannot_do) {
  const auto classes = four_classes();
  for (const std::size_t total : {0U, 71U}) {
    EXPECT_EQ(support::message_of<OptionError>(
                  [&] { return thin_rows(first_rows(70), classes, total, 1); }),
              "total = " + std::to_string(total) + " is outside [1, 70]");
  }
  EXPECT_THROW((void)thin_rows(first_rows(71), classes, 5, 1), OptionError);
}

}  // namespace
}  // namespace adacvar
