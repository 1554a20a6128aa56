#pragma once

#include <gtest/gtest.h>
#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

/// Chi-square tests of counted draws against their distribution.
namespace adacvar::support {

/// How often a right sampler would be called wrong, per comparison, if its seed were new. Seeds are
/// fixed, so a test passes always or never; a change that only reorders draws runs this risk once.
/// All such tests together make some 200 comparisons: a false alarm in 1 of 5,000 such changes.
inline constexpr double kFalseAlarm = 1e-6;

/// The chi-square approximation is good from about this many expected draws in a cell.
inline constexpr double kLeastExpected = 10;

/// One or more values of a distribution, counted together.
struct Cell {
  std::size_t value = 0;   // one of them
  std::size_t values = 0;  // how many
  double count = 0;
  double expected = 0;

  [[nodiscard]] double distance() const {
    return (count - expected) * (count - expected) / expected;
  }
};

/// Cells of at least kLeastExpected each: the rarest values first, put together until they reach
/// it. Which values are merged depends on the probabilities only, never on the counts. Values of
/// probability 0 are left out.
inline std::vector<Cell> merge_cells(std::span<const std::uint64_t> counts,
                                     std::span<const double> probabilities) {
  const auto draws =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [probabilities](std::size_t value) { return probabilities[value]; });
  std::vector<Cell> cells;
  Cell open;
  for (const std::size_t value : order) {
    if (probabilities[value] <= 0) continue;
    open.value = value;
    ++open.values;
    open.count += static_cast<double>(counts[value]);
    open.expected += draws * probabilities[value];
    if (open.expected < kLeastExpected) continue;
    cells.push_back(open);
    open = {};
  }
  if (open.values > 0 && !cells.empty()) {
    cells.back().values += open.values;
    cells.back().count += open.count;
    cells.back().expected += open.expected;
  }
  return cells;
}

/// Chance of counts at least this far from the expected ones; degrees of freedom: cells - 1.
inline double chi_square_p_value(std::span<const Cell> cells) {
  double statistic = 0;
  for (const Cell& cell : cells) statistic += cell.distance();
  const boost::math::chi_squared_distribution<double> distribution(
      static_cast<double>(cells.size() - 1));
  return boost::math::cdf(boost::math::complement(distribution, statistic));
}

/// Whether counts[v] draws of every value v agree with probabilities[v], p > kFalseAlarm.
/// A failure prints the p-value and the counts furthest from the expected ones.
[[nodiscard]] inline testing::AssertionResult follows_distribution(
    std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  if (counts.size() != probabilities.size()) {
    return testing::AssertionFailure()
           << counts.size() << " counts, " << probabilities.size() << " probabilities";
  }
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  if (!(std::abs(total - 1) < 1e-9)) {
    return testing::AssertionFailure() << "the probabilities sum to " << total;
  }
  for (std::size_t value = 0; value < probabilities.size(); ++value) {
    if (probabilities[value] < 0 || (probabilities[value] == 0 && counts[value] > 0)) {
      return testing::AssertionFailure()
             << "value " << value << " of probability " << probabilities[value] << " was drawn "
             << counts[value] << " times";
    }
  }
  std::vector<Cell> cells = merge_cells(counts, probabilities);
  if (cells.size() < 2) return testing::AssertionFailure() << "too few draws for two cells";
  const double p_value = chi_square_p_value(cells);
  if (p_value > kFalseAlarm) return testing::AssertionSuccess() << "p-value " << p_value;

  constexpr std::size_t kPrinted = 20;
  auto failure = testing::AssertionFailure();
  failure << "p-value " << p_value << ", " << cells.size()
          << " cells; furthest from the expected counts:\n";
  std::ranges::stable_sort(cells, std::ranges::greater{}, &Cell::distance);
  for (const Cell& cell : std::span(cells).first(std::min(kPrinted, cells.size()))) {
    failure << "  value " << cell.value;
    if (cell.values > 1) failure << " and " << cell.values - 1 << " more";
    failure << ": drawn " << cell.count << " times, expected " << cell.expected << '\n';
  }
  return failure;
}

/// The same where all values have one probability.
[[nodiscard]] inline testing::AssertionResult is_uniform(std::span<const std::uint64_t> counts) {
  return follows_distribution(
      counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

}  // namespace adacvar::support
