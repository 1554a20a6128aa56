#include "report/significance.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

MeanSd mean_sd(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0.0};
}

double paired_t_test(std::span<const double> one, std::span<const double> other) {
  if (one.empty() || one.size() != other.size()) {
    throw OptionError(
        fmt::format("a paired test needs equal numbers of values, at least one; given {} and {}",
                    one.size(), other.size()));
  }
  if (one.size() == 1) return one[0] == other[0] ? 1.0 : 0.0;
  std::vector<double> differences(one.size());
  std::ranges::transform(one, other, differences.begin(), std::minus());
  const MeanSd gap = mean_sd(differences);
  if (gap.sd == 0) return gap.mean == 0 ? 1.0 : 0.0;
  const auto count = static_cast<double>(one.size());
  const double t = std::abs(gap.mean) * std::sqrt(count) / gap.sd;
  const boost::math::students_t distribution(count - 1);
  return 2 * boost::math::cdf(boost::math::complement(distribution, t));
}

std::vector<bool> best_set(const std::vector<std::vector<double>>& scores, bool larger_is_better,
                           double level) {
  const double sign = larger_is_better ? -1 : 1;
  const std::vector<double>* best = nullptr;
  for (const auto& row : scores) {
    if (row.empty()) continue;
    if (best == nullptr || sign * mean_sd(row).mean < sign * mean_sd(*best).mean) best = &row;
  }
  std::vector<bool> marks;
  marks.reserve(scores.size());
  for (const auto& row : scores) {
    const bool told_apart =
        row.empty() || best == nullptr || (&row != best && paired_t_test(row, *best) <= level);
    marks.push_back(!told_apart);
  }
  return marks;
}

std::vector<MeanSd> normalise_scores(const std::vector<std::vector<double>>& scores) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (const auto& row : scores) {
    if (row.empty()) continue;
    least = std::min(least, mean_sd(row).mean);
    largest = std::max(largest, mean_sd(row).mean);
  }
  std::vector<MeanSd> result;
  for (const auto& row : scores) {
    if (row.empty()) {
      result.push_back({kNone, kNone});
      continue;
    }
    const auto [mean, sd] = mean_sd(row);
    result.push_back({largest > least ? (mean - least) / (largest - least) : 0.0,
                      largest != 0 ? sd / std::abs(largest) : 0.0});
  }
  return result;
}

}  // namespace adacvar
