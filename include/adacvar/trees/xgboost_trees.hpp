#pragma once

#include <adacvar/learner/trees.hpp>

#include <memory>

namespace adacvar {

/// Returns a maker that grows trees with XGBoost, by its histogram method.
[[nodiscard]] std::unique_ptr<const TreeMaker> xgboost_tree_maker();

}  // namespace adacvar
