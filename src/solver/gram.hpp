#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// sum over the rows named of weights[r] * x x', x being a row of the data with a 1 behind it.
/// Weights may be negative; rows of weight 0 cost nothing. The sum is made in parts that do not
/// depend on the number of threads, so neither does the result; its last digits depend on the
/// instructions that the processor has.
///
/// Cost: O(rows * (features + 1)^2), for sparse data O(sum of squared entries); memory for up to 16
/// such matrices, or two of more than 2,000 features.
[[nodiscard]] Eigen::MatrixXd weighted_gram(const Dataset& data, std::span<const Index> rows,
                                            std::span<const double> weights, unsigned threads);

/// The features that are linear combinations of the intercept and of features before them, up to
/// the rounding of single precision. Looks at some rows first, and at all of them only where these
/// show one.
[[nodiscard]] std::vector<std::size_t> collinear_columns(const Dataset& data, unsigned threads);

}  // namespace adacvar
