#include "data/expand_features.hpp"

#include "data/read_table.hpp"

#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace adacvar {
namespace {

std::vector<Index> all_rows(std::size_t count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

Preprocessor fitted(const Table& table, bool for_trees) {
  return Preprocessor::fit(table, all_rows(table.rows), {.target = "y", .for_trees = for_trees});
}

TEST(FeatureExpansion, gives_what_linear_preprocessing_gives) {
  const Table table =
      parse_csv("a,colour,b,y\n1,red,0.5,1\n,blue,0.25,2\n4,red,,3\n-2,,1,4\n", "t.csv", {});
  const Preprocessor native = fitted(table, true);
  const Preprocessor linear = fitted(table, false);
  const std::vector<Index> rows = {3, 0, 2, 1};
  const Dataset wanted = linear.apply(table, rows);
  const Dataset from = native.apply(table, all_rows(4));
  const Dataset found = FeatureExpansion(native, linear).expand(from, rows);
  EXPECT_EQ(found.dense, wanted.dense);
  EXPECT_EQ(found.targets, wanted.targets);
  EXPECT_EQ(found.features, wanted.features);
  EXPECT_EQ(found.reference_levels, wanted.reference_levels);
}

// Seconds since 1970 have more digits than a float.
TEST(FeatureExpansion, values_far_from_0_keep_their_differences) {
  const Table table = parse_csv("t,y\n1600000001,1\n1600000002,2\n,3\n1600000004,3\n", "t.csv", {});
  const Preprocessor native = fitted(table, true);
  const Preprocessor linear = fitted(table, false);
  const Dataset wanted = linear.apply(table, all_rows(4));
  const Dataset found = FeatureExpansion(native, linear).expand(native.apply(table, all_rows(4)));
  ASSERT_EQ(found.dense.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.dense[i], wanted.dense[i], 1e-5);
  EXPECT_EQ(native.notes().size(), 1U);
}

TEST(FeatureExpansion, values_not_seen_in_training_are_no_level) {
  const Table table = parse_csv("colour,y\nred,1\nblue,2\nred,4\n", "t.csv", {});
  const Table other = parse_csv("colour,y\ngreen,1\n", "t.csv", {});
  const Preprocessor native = fitted(table, true);
  const FeatureExpansion expansion(native, fitted(table, false));
  EXPECT_EQ(expansion.expand(native.apply(other, all_rows(1))).dense, (std::vector<float>{0, 0}));
}

TEST(FeatureExpansion, sparse_rows_are_scaled) {
  SparseRows rows;
  rows.start = {0, 1, 2, 2};
  rows.column = {0, 0};
  rows.value = {3, 6};
  rows.columns = 1;
  rows.target = {1, 2, 3};
  const auto fit = [&](bool for_trees) {
    return Preprocessor::fit(rows, all_rows(3), {.for_trees = for_trees});
  };
  const Dataset wanted = fit(false).apply(rows, all_rows(3));
  const Dataset found =
      FeatureExpansion(fit(true), fit(false)).expand(fit(true).apply(rows, all_rows(3)));
  EXPECT_EQ(found.value, wanted.value);
  EXPECT_EQ(found.start, wanted.start);
}

TEST(FeatureExpansion, other_columns_are_refused) {
  const Table one = parse_csv("a,y\n1,1\n2,2\n", "t.csv", {});
  const Table other = parse_csv("b,y\n1,1\n2,2\n", "t.csv", {});
  support::expect_words<DataError>(
      [&] { FeatureExpansion(fitted(one, true), fitted(other, false)); }, "'b'");
}

}  // namespace
}  // namespace adacvar
