#pragma once

#include "data/prepare_data.hpp"
#include "data/table.hpp"

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/run/run.hpp>

#include <span>
#include <string>

namespace adacvar {

/// Makes a target column `y`. Throws: DataError for a number that is not finite.
[[nodiscard]] Column target_column(std::span<const double> targets);
[[nodiscard]] Column target_column(std::span<const std::string> classes);

/// Preprocesses a matrix in memory: all rows of weight above 0 are training rows.
/// Throws: as `fit`.
[[nodiscard]] PreparedData prepare_matrix(const MatrixView& features, const Column& target,
                                          const FitOptions& options);

/// The options of a run that `fit` makes; its algorithm is not set.
[[nodiscard]] RunOptions run_options(const FitOptions& options);

}  // namespace adacvar
