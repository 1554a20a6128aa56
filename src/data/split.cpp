#include "data/split.hpp"

#include "data/shuffle.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

using Sizes = std::array<std::size_t, 3>;
using Shares = std::array<double, 3>;

Shares checked(const SplitShares& shares) {
  const Shares values = {shares.train, shares.valid, shares.test};
  const std::string text = fmt::format("{},{},{}", values[0], values[1], values[2]);
  double sum = 0;
  for (const double value : values) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw OptionError(fmt::format("split = {}: a share must be at least 0", text));
    }
    sum += value;
  }
  if (!(std::abs(sum - 1) <= 1e-9)) {
    throw OptionError(fmt::format("split = {} adds up to {}, not 1", text, sum));
  }
  return values;
}

Sizes largest_remainder(std::size_t rows, const Shares& shares) {
  Sizes sizes{};
  Shares remainder{};
  std::size_t given = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    const double exact = shares[part] * static_cast<double>(rows);
    // 0.3 * 10 may end just below 3: rounding, not a remainder.
    const double whole = std::floor(exact + 1e-9 * static_cast<double>(rows));
    sizes[part] = std::min(static_cast<std::size_t>(whole), rows - given);
    remainder[part] = shares[part] > 0 ? exact - whole : -1.0;
    given += sizes[part];
  }
  for (; given < rows; ++given) {
    const auto part =
        static_cast<std::size_t>(std::ranges::max_element(remainder) - remainder.begin());
    ++sizes[part];
    remainder[part] -= 1;
  }
  return sizes;
}

void deal(std::span<const Index> rows, const Shares& shares, Split& split) {
  const Sizes sizes = largest_remainder(rows.size(), shares);
  const std::array parts = {&split.train, &split.valid, &split.test};
  for (std::size_t part = 0; part < 3; ++part) {
    const std::span<const Index> share = rows.first(sizes[part]);
    parts[part]->insert(parts[part]->end(), share.begin(), share.end());
    rows = rows.subspan(sizes[part]);
  }
}

}  // namespace

Split split_rows(std::size_t rows, const SplitShares& shares, std::uint64_t seed,
                 std::span<const std::uint32_t> classes) {
  const Shares values = checked(shares);
  if (rows == 0) throw DataError("there are no rows to split");
  if (rows > kMaxSize)
    throw DataError(fmt::format("{} rows, at most {} are allowed", rows, kMaxSize));
  if (!classes.empty() && classes.size() != rows) {
    throw OptionError(fmt::format("{} classes are given for {} rows", classes.size(), rows));
  }
  std::vector<Index> order(rows);
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(seed);
  shuffle(order, rng);
  const auto class_of = [&](Index row) { return classes.empty() ? 0U : classes[row]; };
  if (!classes.empty()) std::ranges::stable_sort(order, {}, class_of);

  Split split;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(),
                                  [&](Index row) { return class_of(row) != class_of(*begin); });
    deal({begin, end}, values, split);
    begin = end;
  }
  for (auto* part : {&split.train, &split.valid, &split.test}) std::ranges::sort(*part);
  return split;
}

}  // namespace adacvar
