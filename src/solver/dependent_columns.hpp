#pragma once

#include <adacvar/data/dataset.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace adacvar {

/// The features that are combinations of the intercept and of features before them, but for what
/// rounding to single precision leaves: a model gains nothing by them that a reader could trust.
/// Looks at some rows first, and at all of them only where these show one.
[[nodiscard]] std::vector<std::uint32_t> dependent_columns(const Dataset& data, unsigned threads);

/// Which of the features are combinations of the intercept and of features before them exactly.
[[nodiscard]] std::vector<bool> exactly_dependent_columns(const Dataset& data);

/// The columns of which a share of at most `least` is left, in squares, when those before them that
/// are not among them are taken away; `products` are those of columns of length 1, or 0.
[[nodiscard]] std::vector<Eigen::Index> passed_over(const Eigen::MatrixXd& products, double least);

}  // namespace adacvar
