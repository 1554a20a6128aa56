#pragma once

#include "data/prepare_data.hpp"
#include "data/table.hpp"

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/run/run.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace adacvar {

/// Makes a target column `y`. Throws: DataError for a number that is not finite.
[[nodiscard]] Column target_column(std::span<const double> targets);
[[nodiscard]] Column target_column(std::span<const std::string> classes);

/// What is known of a matrix beside its values, and what its features are for.
struct MatrixOptions {
  FitOptions::Target target = FitOptions::Target::automatic;
  bool standardise = true;
  bool for_trees = false;
  bool has_missing = false;  ///< a NaN is a missing value
  double validation = 0;     ///< share of the rows
  std::uint64_t seed = 0;    ///< of the rows for validation
  std::span<const double> weights = {};
  std::span<const std::string> names = {};
};
[[nodiscard]] MatrixOptions matrix_options(const FitOptions& options);

/// Fits the preprocessing of a matrix in memory to its training rows. Throws: as `fit`.
[[nodiscard]] Preprocessor preprocess_matrix(const MatrixView& features, const Column& target,
                                             const MatrixOptions& options);

/// Preprocesses a matrix in memory: rows of weight above 0 are training rows, but for a share that
/// is drawn for validation, within classes. Throws: as `fit`.
[[nodiscard]] PreparedData prepare_matrix(const MatrixView& features, const Column& target,
                                          const MatrixOptions& options);

/// The options of a run that `fit` makes; an automatic algorithm is adacvar.
[[nodiscard]] RunOptions run_options(const FitOptions& options);

}  // namespace adacvar
