#pragma once

#include "run/best_task.hpp"
#include "run/stack.hpp"
#include "run/time_limit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// How the tail of a stack is changed: by a correction of one output, by a factor of several.
struct TailChange {
  std::optional<Model> correction = {};
  double factor = 1;
  std::vector<BestPoint> frontier = {};           ///< of one output: by budget
  std::vector<std::optional<Model>> models = {};  ///< the correction of each point of it
  std::optional<TailRisk> held_out = {};  ///< of the training rows, if there is a correction
  std::string why_not = {};               ///< of one output: why no correction was looked for
};

/// Finds the change of least CVaR within the mean budget, judged on held-out rows; where their tail
/// has fewer than 20 rows, at a larger tail share (judged_alpha). A correction has to keep the
/// budget with a standard error of the mean to spare; to that end several are fitted, some within
/// less than the budget. Gives up when the limit is over.
[[nodiscard]] TailChange change_tail(const BestTask& task, const StackedScores& stacked,
                                     TimeLimit& limit);

}  // namespace adacvar
