#include "cli/program.hpp"

#include <adacvar/trees/xgboost_trees.hpp>

namespace adacvar::cli {

std::unique_ptr<const TreeMaker> make_tree_maker() { return xgboost_tree_maker(); }

}  // namespace adacvar::cli
