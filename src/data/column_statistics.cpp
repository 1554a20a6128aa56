#include "data/column_statistics.hpp"

#include "base/collectives.hpp"
#include "base/exact_sum.hpp"

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

std::size_t row_count(const TrainingRows& training, Communicator& ranks) {
  return sum_of(ranks, training.rows.size());
}

Spread spread_of(std::span<const double> values, Communicator& ranks) {
  Spread mine{.count = values.size()};
  for (const double value : values) {
    mine.low = std::min(mine.low, value);
    mine.high = std::max(mine.high, value);
  }
  Spread all;
  for (const Spread& one : gather_one(ranks, mine)) {
    all.count += one.count;
    all.low = std::min(all.low, one.low);
    all.high = std::max(all.high, one.high);
  }
  return all;
}

namespace {

double sum_over(Communicator& ranks, ExactSum sum) {
  adacvar::sum(ranks, std::span(&sum, 1));
  return sum.value();
}

/// Returns the sum of the weights on all ranks, rounded once.
double total_weight(const WeightedValues& sample, Communicator& ranks) {
  if (sample.weights.empty()) return static_cast<double>(sum_of(ranks, sample.values.size()));
  return sum_over(ranks, exact_sum(sample.weights));
}

}  // namespace

// Divided before they are added, so that large values do not overflow.
Moments moments(const WeightedValues& sample, Communicator& ranks) {
  const std::vector<double>& values = sample.values;
  const double total = total_weight(sample, ranks);
  Moments result;
  ExactSum mean;
  for (std::size_t i = 0; i < values.size(); ++i) mean.add(sample.weight(i) * (values[i] / total));
  result.mean = sum_over(ranks, mean);
  double furthest = 0;
  for (const double value : values) {
    furthest = std::max(furthest, std::abs(value - result.mean));
  }
  furthest = max_of(ranks, furthest);
  if (furthest == 0) return result;
  ExactSum square;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = (values[i] - result.mean) / furthest;
    square.add(sample.weight(i) * (share * share));
  }
  result.sd = furthest * std::sqrt(sum_over(ranks, square) / total);
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
