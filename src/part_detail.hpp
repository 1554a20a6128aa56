#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/preprocess.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/predict.hpp>
#include <adacvar/report/part_detail.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// A model and what it makes of some rows.
struct JudgedRows {
  const LinearModel* linear;  ///< null for a network
  const Preprocessor& preprocessor;
  const Dataset& data;
  std::span<const Index> rows;  ///< their numbers in the data they came from, from 0
  std::span<const double> losses;
  const Predictions& predictions;
};

/// The rows with the largest losses, the largest first; of equal ones the earlier.
[[nodiscard]] std::vector<WorstRow> worst_rows(const JudgedRows& judged, std::size_t count);

/// All but `part` and `losses`. Values of the worst rows are those that the model saw: a missing
/// number is the training mean, a category that training did not have is `(other)`.
[[nodiscard]] PartDetail look_closely(const JudgedRows& judged, std::size_t worst);

}  // namespace adacvar
