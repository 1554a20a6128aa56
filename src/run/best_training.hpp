#pragma once

#include "run/best_task.hpp"
#include "run/stack.hpp"
#include "run/time_limit.hpp"

#include <vector>

namespace adacvar {

/// The kinds of models that were trained in every fold, a prefix of BestTask::kinds.
struct FoldedBases {
  std::vector<StackBase> bases = {};               ///< without weights
  std::vector<std::vector<double>> held_out = {};  ///< scores of the training rows by each base
  std::vector<double> seconds = {};                ///< of each base
  bool is_cut = false;  ///< the first kind was stopped by the limit, and is as far as it came
};

/// Trains kind after kind until all are done, the user stops it or two thirds of the time are over.
/// A kind that is stopped is left out, except that the time ends the first one with the models that
/// are reached: each fold has the same share of half of the time. None are returned if the user
/// stops the first kind.
[[nodiscard]] FoldedBases train_bases(const BestTask& task, TimeLimit& limit);

}  // namespace adacvar
