#pragma once

#include <adacvar/learner/loss.hpp>
#include <adacvar/run/best.hpp>
#include "data/expand_features.hpp"
#include "data/prepare_data.hpp"
#include "run/best_bases.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace adacvar {

/// The data of `best` with both kinds of features.
struct BestData {
  PreparedData prepared;  ///< features as trees take them
  std::shared_ptr<const FeatureExpansion> expansion;
  Dataset expanded;  ///< training rows
};

/// What is asked of `best`, and what follows from it. Keeps references.
struct BestTask {
  BestTask(const BestData& given_data, const DataOptions& given_reading,
           const BestOptions& given_options, const BestHooks& given_hooks);

  const BestData& data;
  const DataOptions& reading;
  const BestOptions& options;
  const BestHooks& hooks;
  const Dataset& train;
  Loss loss;
  std::size_t outputs;
  TargetScale scale;
  double unit;  ///< of losses, in the user's units
  std::vector<BaseKind> kinds;
};

}  // namespace adacvar
