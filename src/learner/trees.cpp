#include <adacvar/learner/trees.hpp>

#include <adacvar/base/error.hpp>

namespace adacvar {

const std::vector<OptionSpec>& TreeOptions::options() {
  using O = TreeOptions;
  static const Condition trees = with("trees");
  static const std::vector<OptionSpec> all{
      {"trees", &O::trees, "trains gradient-boosted trees (XGBoost)"},
      {"rounds", &O::rounds, Bounds{.low = 1, .high = 1e6},
       "most rounds of boosting, a tree for each output; the validation rows choose", trees},
      {"depth", &O::depth, Bounds{.low = 0, .high = 30},
       "most splits from the root of a tree to a leaf; 0: no limit, with leaves", trees},
      {"leaves", &O::leaves, Bounds{.low = 0, .high = 1e6},
       "most leaves of a tree, which then grows where it gains most; 0: no limit", trees},
      {"tree-rate", &O::tree_rate, Bounds{.low = 0, .high = 1, .low_ok = false},
       "factor on every tree, the learning rate of boosting", trees},
      {"subsample", &O::subsample, Bounds{.low = 0, .high = 1, .low_ok = false},
       "share of the rows that a tree is grown on, drawn at random", trees},
      {"min-leaf-weight", &O::min_leaf_weight, Bounds{.low = 0},
       "least sum of second derivatives in a leaf; for squared loss the rows", trees},
      {"leaf-ridge", &O::leaf_ridge, Bounds{.low = 0}, "ridge penalty on the values of leaves",
       trees},
      {"bins", &O::bins, Bounds{.low = 2, .high = 65536}, "most values at which a number is split",
       trees},
      {"tree-patience", &O::tree_patience, Bounds{.low = 0},
       "rounds without a better one on the validation rows before stopping; 0: all rounds are kept",
       trees},
  };
  return all;
}

const TreeMaker& require_trees(const TreeMaker* trees) {
  if (trees != nullptr) return *trees;
  throw OptionError(
      "trees are not part of this build: install the package adacvar-trees, or install XGBoost "
      "(Debian: libxgboost-dev) and build again with -DADACVAR_BUILD_TREES=ON");
}

}  // namespace adacvar
