#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/run/best.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adacvar {

/// Rows of one fold of `best`, with features as trees take them and as linear models do.
struct FoldRows {
  Dataset native;
  Dataset expanded;
};

/// What a base is trained with in one fold. Several folds are trained at once.
struct FoldTask {
  const FoldRows& training;
  const FoldRows& held_out;
  const Loss& loss;
  const BestOptions& options;
  const BestHooks& hooks;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  const Scorer* plain = nullptr;  ///< the base for the mean that precedes it
  const std::atomic<bool>* stop = nullptr;
};

/// A kind of model that `best` trains.
struct BaseKind {
  std::string name;
  bool is_expanded = false;
  bool follows_plain = false;  ///< takes the model of the kind before it as FoldTask::plain
  std::function<std::shared_ptr<const Scorer>(const FoldTask&)> train;
};

/// The kinds that the data and the parts that are built allow, the most useful first.
[[nodiscard]] std::vector<BaseKind> base_kinds(const Dataset& native, const Dataset& expanded,
                                               const Loss& loss, const BestHooks& hooks);

}  // namespace adacvar
