#pragma once

#include "run/score.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/run/result.hpp>
#include "data/preprocess.hpp"

#include <span>

namespace adacvar {

/// A model's results on some rows.
struct RowsView {
  const Scorer& scorer;
  const Preprocessor& preprocessor;
  const Dataset& data;
  std::span<const Index> rows;  ///< zero-based row numbers in the original data
  const ScoredRows& scored;
};

/// Describes the `worst` rows with the largest losses (in decreasing order, ties by row), the
/// targets and predictions, or the classes and the calibration; the caller sets `part` and
/// `losses`. Values of the worst rows are those that the model sees: a missing number is the
/// training mean, for trees
/// `(missing)`, as an unknown category is; else that is `(other)`.
[[nodiscard]] PartDetail describe_rows(const RowsView& view, std::size_t worst);

}  // namespace adacvar
