#include "cli/program.hpp"

namespace adacvar::cli {

// For a program that is built without XGBoost.
std::unique_ptr<const TreeMaker> make_tree_maker() { return nullptr; }

}  // namespace adacvar::cli
