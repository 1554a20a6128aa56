#pragma once

#include <adacvar/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Shares of the rows, each at least 0, with sum 1. With `own_test` the test rows are the set's
/// own, and the shares refer to the other rows (see split_data).
struct SplitShares {
  double train = 0.5;
  double valid = 0.3;
  double test = 0.2;
  bool own_test = false;
};

/// Training, validation and test rows: disjoint, each in increasing order, together all rows.
struct Split {
  std::vector<Index> train;
  std::vector<Index> valid;
  std::vector<Index> test;

  friend bool operator==(const Split&, const Split&) = default;
};

/// Splits 0 .. rows - 1 at random; a seed gives the same split on every platform.
///
/// Sizes are the shares rounded by largest remainder, ties to the earlier set. With `classes` (one
/// number per row) that holds within every class, so the size of a set may differ from its rounded
/// share by less than the number of classes.
/// Cost: O(rows); with classes, O(rows log rows).
/// Throws: OptionError unless the shares are at least 0 and add up to 1 within 1e-9, and unless
/// `classes` is empty or has one entry per row; DataError when there are no rows or too many.
[[nodiscard]] Split split_rows(std::size_t rows, const SplitShares& shares, std::uint64_t seed,
                               std::span<const std::uint32_t> classes = {});

}  // namespace adacvar
