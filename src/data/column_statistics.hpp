#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include "data/table.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace adacvar {

/// The training rows and their weights; no weights: all 1.
struct TrainingRows {
  std::span<const Index> rows;
  std::vector<double> weights;
  std::size_t first_row = 0;  ///< number of row 0, for messages
};

/// The number of training rows on all ranks.
[[nodiscard]] std::size_t row_count(const TrainingRows& training, Communicator& ranks);

/// The values of a column that are not missing, each with the weight of its row.
struct WeightedValues {
  std::vector<double> values;
  std::vector<double> weights;  ///< empty: all 1

  [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

[[nodiscard]] WeightedValues present_values(const Column& column, const TrainingRows& training);

/// The values of a column on all ranks.
struct Spread {
  std::size_t count = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool is_constant() const { return !(low < high); }
};

[[nodiscard]] Spread spread_of(std::span<const double> values, Communicator& ranks);

/// Weighted mean and population standard deviation.
struct Moments {
  double mean = 0;
  double sd = 0;
};

/// Moments of the values on all ranks, at least one, by exact sums: neither the order of the rows
/// nor the number of ranks matters. A standard deviation beyond the range of doubles is not finite.
[[nodiscard]] Moments moments(const WeightedValues& sample, Communicator& ranks);

/// Standard deviations of the columns that occur in the training rows, absent entries counting as
/// 0.
struct SparseSpread {
  std::vector<std::uint32_t> columns;
  std::vector<double> sd;
};

[[nodiscard]] SparseSpread sparse_spread(const SparseRows& sparse, const TrainingRows& training);

}  // namespace adacvar
