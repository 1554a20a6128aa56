#include "cli/program.hpp"

#ifdef ADACVAR_WITH_TREES
#include <adacvar/trees/xgboost_trees.hpp>
#endif

namespace adacvar::cli {

std::unique_ptr<const TreeMaker> make_tree_maker() {
#ifdef ADACVAR_WITH_TREES
  return xgboost_tree_maker();
#else
  return nullptr;
#endif
}

}  // namespace adacvar::cli
