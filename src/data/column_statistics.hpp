#pragma once

#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// The training rows and their weights; no weights: all 1.
struct TrainingRows {
  std::span<const Index> rows;
  std::vector<double> weights;
};

/// The values of a column that are not missing, each with the weight of its row.
struct WeightedValues {
  std::vector<double> values;
  std::vector<double> weights;  ///< empty: all 1

  [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

[[nodiscard]] WeightedValues present_values(const Column& column, const TrainingRows& training);

/// Whether all values are equal. Requires at least one.
[[nodiscard]] bool is_constant(std::span<const double> values);

/// Weighted mean and population standard deviation.
struct Moments {
  double mean = 0;
  double sd = 0;
};

/// Requires at least one value. A standard deviation beyond the range of doubles is not finite.
[[nodiscard]] Moments moments(const WeightedValues& sample);

/// Standard deviations of the columns that occur in the training rows, absent entries counting as
/// 0.
struct SparseSpread {
  std::vector<std::uint32_t> columns;
  std::vector<double> sd;
};

[[nodiscard]] SparseSpread sparse_spread(const SparseRows& sparse, const TrainingRows& training);

}  // namespace adacvar
