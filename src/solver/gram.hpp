#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <Eigen/Core>

#include <span>

namespace adacvar {

/// sum over the rows named of weights[r] * x x', x being a row of the data with a 1 behind it.
/// Weights may be negative. The sum is made in parts that do not depend on the number of threads,
/// so neither does the result.
///
/// Cost: O(rows * (features + 1)^2), for sparse data O(sum of squared entries); memory for 16 such
/// matrices at most.
[[nodiscard]] Eigen::MatrixXd weighted_gram(const Dataset& data, std::span<const Index> rows,
                                            std::span<const double> weights, unsigned threads);

}  // namespace adacvar
