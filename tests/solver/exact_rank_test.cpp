#include "solver/exact_rank.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

using Matrix = std::vector<std::vector<float>>;  // row by row
using Found = std::vector<bool>;

Found dependent_in(const Matrix& matrix) {
  const std::size_t columns = matrix.empty() ? 0 : matrix[0].size();
  return exactly_dependent(matrix.size(), columns, [&](std::size_t i, std::span<float> entries) {
    std::ranges::copy(matrix[i], entries.begin());
  });
}

TEST(ExactRank, small_matrices_by_hand) {
  EXPECT_EQ(dependent_in({{1, 0}, {0, 1}}), (Found{false, false}));
  EXPECT_EQ(dependent_in({{1, 2}, {2, 4}}), (Found{false, true}));
  EXPECT_EQ(dependent_in({{0, 1, 0}, {0, 2, 0}}), (Found{true, false, true}));
  // The third is the sum of the others; the fourth a new one.
  EXPECT_EQ(dependent_in({{1, 2, 3, 0}, {4, 5, 9, 0}, {7, 9, 16, 1}}),
            (Found{false, false, true, false}));
  EXPECT_EQ(dependent_in({{1, 1, 1}}), (Found{false, true, true}));
  EXPECT_EQ(dependent_in({}), Found());
}

// Fractions, signs and powers of two are what they are: no number is too small to matter.
TEST(ExactRank, a_last_digit_tells_columns_apart) {
  const float third = 1.0F / 3;
  const float next = std::nextafter(third, 1.0F);
  EXPECT_EQ(dependent_in({{third, third}, {1, 1}}), (Found{false, true}));
  EXPECT_EQ(dependent_in({{third, next}, {1, 1}}), (Found{false, false}));
  EXPECT_EQ(dependent_in({{third, -third}, {-1, 1}}), (Found{false, true}));
  EXPECT_EQ(dependent_in({{third, third * 0x1p-100F}, {1, 0x1p-100F}}), (Found{false, true}));
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(dependent_in({{1, 1}, {0, tiny}}), (Found{false, false}));
  EXPECT_EQ(dependent_in({{tiny, 3 * tiny}, {0x1p126F, 0x1p127F}}), (Found{false, false}));
  // 2^61 = 1 and 2^31 = 1 modulo primes that are known for it.
  EXPECT_EQ(dependent_in({{1, 1}, {1, 0x1p61F}}), (Found{false, false}));
  EXPECT_EQ(dependent_in({{1, 1}, {1, 0x1p31F}}), (Found{false, false}));
}

// Its determinant is 2147483629 * 2147483587: primes that are always the same could be fooled.
TEST(ExactRank, no_primes_are_known_beforehand) {
  EXPECT_EQ(dependent_in({{1, 0, 0, 0, 0},
                          {1, -3880093, 8235434, -1343694, 1855354},
                          {1, -6271095, 6693809, -5239203, 618923},
                          {1, 170088, 7457312, 7981145, 3018523},
                          {1, -4431913, 4349165, -7437425, 61888}}),
            (Found{false, false, false, false, false}));
}

// Long after relations are taken for granted.
TEST(ExactRank, one_row_of_many_is_not_missed) {
  Rng rng(1);
  for (const std::size_t odd : {std::size_t{5}, std::size_t{40}, std::size_t{4999}}) {
    Matrix matrix;
    for (std::size_t i = 0; i < 5000; ++i) {
      const auto x = static_cast<float>(rng.below(1000));
      const auto y = static_cast<float>(rng.below(1000));
      matrix.push_back({x, y, x + y, x - 2 * y, 1, 3});
    }
    EXPECT_EQ(dependent_in(matrix), (Found{false, false, true, true, false, true}));
    matrix[odd][3] += 1;
    EXPECT_EQ(dependent_in(matrix), (Found{false, false, true, false, false, true}));
  }
}

// As many categories as columns: standardised values are rounded, yet there are only so many rows.
TEST(ExactRank, categories_depend_exactly_on_the_intercept_and_each_other) {
  Rng rng(2);
  Matrix matrix;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t category = rng.below(3);
    std::vector<float> row{1};
    for (const double share : {0.2, 0.35, 0.45}) {
      const bool own = row.size() == category + 1;
      row.push_back(static_cast<float>(((own ? 1 : 0) - share) / std::sqrt(share * (1 - share))));
    }
    matrix.push_back(row);
  }
  EXPECT_EQ(dependent_in(matrix), (Found{false, false, false, true}));
}

// Against the rank of integers small enough for plain fractions: sums of products of random
// factors.
TEST(ExactRank, products_of_thin_matrices) {
  Rng rng(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = 1 + rng.below(12);
    const std::size_t columns = 1 + rng.below(8);
    const std::size_t rank = 1 + rng.below(static_cast<std::uint32_t>(std::min(rows, columns)));
    // Columns up to the rank are free (below a unit matrix), later ones combinations of them.
    Matrix left(rows, std::vector<float>(rank));
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < rank; ++k) {
        left[i][k] = i < rank ? (i == k ? 1.0F : 0.0F) : static_cast<float>(rng.below(100));
      }
    }
    Matrix matrix(rows, std::vector<float>(columns));
    Found expected(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      expected[c] = c >= rank;
      for (std::size_t k = 0; k < rank; ++k) {
        const float factor = c < rank ? (c == k ? 1.0F : 0.0F) : static_cast<float>(rng.below(50));
        for (std::size_t i = 0; i < rows; ++i) matrix[i][c] += factor * left[i][k];
      }
    }
    EXPECT_EQ(dependent_in(matrix), expected) << trial;
  }
}

}  // namespace
}  // namespace adacvar
