#pragma once

#include "run/score.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/run/result.hpp>
#include "data/preprocess.hpp"

#include <span>

namespace adacvar {

/// A model's results on some rows.
struct RowsView {
  const LinearModel* linear;  ///< null for a network
  const Preprocessor& preprocessor;
  const Dataset& data;
  std::span<const Index> rows;  ///< their numbers in the data they came from, from 0
  const ScoredRows& scored;
};

/// Describes the `worst` rows with the largest losses (the largest first, ties in order), the
/// classes and the calibration; `part` and `losses` are left to the caller. Values of the worst
/// rows are those that the model saw: a missing number is the training mean, a category that
/// training did not have is `(other)`.
[[nodiscard]] PartDetail describe_rows(const RowsView& view, std::size_t worst);

}  // namespace adacvar
