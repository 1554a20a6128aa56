#pragma once

#include <adacvar/base/options.hpp>

#include <cstdint>
#include <vector>

namespace adacvar {

/// Gradient-boosted trees to train instead of a linear model.
struct TreeOptions {
  bool trees = false;
  std::uint64_t rounds = 1000;
  std::uint64_t depth = 6;
  std::uint64_t leaves = 0;
  double tree_rate = 0.1;
  double subsample = 1.0;
  double min_leaf_weight = 1.0;
  double leaf_ridge = 1.0;
  std::uint64_t bins = 256;
  std::uint64_t tree_patience = 50;

  static const std::vector<OptionSpec>& options();
};

}  // namespace adacvar
