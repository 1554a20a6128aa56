#include "data/column_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

WeightedValues present_values(const Column& column, const TrainingRows& training) {
  WeightedValues result;
  result.values.reserve(training.rows.size());
  for (std::size_t i = 0; i < training.rows.size(); ++i) {
    const double value = column.numbers[training.rows[i]];
    if (std::isnan(value)) continue;
    result.values.push_back(value);
    if (!training.weights.empty()) result.weights.push_back(training.weights[i]);
  }
  return result;
}

bool is_constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values[0]; });
}

// Divided before they are added, so that large values do not overflow.
Moments moments(const WeightedValues& sample) {
  const std::vector<double>& values = sample.values;
  const double total = sample.weights.empty()
                           ? static_cast<double>(values.size())
                           : std::accumulate(sample.weights.begin(), sample.weights.end(), 0.0);
  Moments result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.mean += sample.weight(i) * (values[i] / total);
  }
  double furthest = 0;
  for (const double value : values) {
    furthest = std::max(furthest, std::abs(value - result.mean));
  }
  if (furthest == 0) return result;
  double square = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = (values[i] - result.mean) / furthest;
    square += sample.weight(i) * (share * share);
  }
  result.sd = furthest * std::sqrt(square / total);
  return result;
}

// Only columns that occur are stored: their indices may be large though they are few.
SparseSpread sparse_spread(const SparseRows& sparse, const TrainingRows& training) {
  SparseSpread result;
  const auto for_entries = [&](const auto& use) {
    for (std::size_t i = 0; i < training.rows.size(); ++i) {
      const Index row = training.rows[i];
      const double weight = training.weights.empty() ? 1.0 : training.weights[i];
      for (std::size_t e = sparse.start[row]; e < sparse.start[row + 1]; ++e) use(e, weight);
    }
  };
  for_entries([&](std::size_t e, double) { result.columns.push_back(sparse.column[e]); });
  std::ranges::sort(result.columns);
  const auto repeats = std::ranges::unique(result.columns);
  result.columns.erase(repeats.begin(), repeats.end());

  const std::size_t count = result.columns.size();
  const double total = training.weights.empty()
                           ? static_cast<double>(training.rows.size())
                           : std::accumulate(training.weights.begin(), training.weights.end(), 0.0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> mean(count), squares(count), present(count);
  std::vector<double> low(count, kInfinity), high(count, -kInfinity);
  std::vector<std::size_t> entries(count);
  const auto place = [&](std::size_t e) {
    const auto found = std::ranges::lower_bound(result.columns, sparse.column[e]);
    return static_cast<std::size_t>(found - result.columns.begin());
  };
  for_entries([&](std::size_t e, double weight) {
    mean[place(e)] += weight * static_cast<double>(sparse.value[e]) / total;
  });
  for_entries([&](std::size_t e, double weight) {
    const std::size_t c = place(e);
    const auto value = static_cast<double>(sparse.value[e]);
    squares[c] += weight * (value - mean[c]) * (value - mean[c]);
    present[c] += weight;
    ++entries[c];
    low[c] = std::min(low[c], value);
    high[c] = std::max(high[c], value);
  });
  for (std::size_t c = 0; c < count; ++c) {
    double absent = 0;
    if (entries[c] < training.rows.size()) {
      absent = std::max(total - present[c], 0.0);
      low[c] = std::min(low[c], 0.0);
      high[c] = std::max(high[c], 0.0);
    }
    // Rounding of the mean would give a constant column a standard deviation above 0.
    const double variance = (squares[c] + absent * mean[c] * mean[c]) / total;
    result.sd.push_back(low[c] == high[c] ? 0.0 : std::sqrt(variance));
  }
  return result;
}

}  // namespace adacvar
