#pragma once

#include "run/best_tail.hpp"
#include "run/best_task.hpp"
#include "run/best_training.hpp"

#include <adacvar/run/best.hpp>

namespace adacvar {

/// A stack that is trained and corrected.
struct BestStack {
  const FoldedBases& bases;
  const StackedScores& stacked;  ///< of the training rows
  const TailChange& change;
  StackModel::Parts parts;  ///< weights, correction and factor included
};

/// Scores it on training, validation and test rows, and joins the notes. The caller sets `seconds`.
[[nodiscard]] BestReport describe_best(const BestTask& task, const BestStack& stack,
                                       const TimeLimit& limit);

}  // namespace adacvar
