#include "cli/program.hpp"

#include <adacvar/trees/xgboost_trees.hpp>

// The same program with boosted trees; adacvar starts it when the options need them.
int main(int count, char** arguments) {
  return adacvar::cli::run_program(count, arguments,
                                   {.trees = adacvar::xgboost_tree_maker().get()});
}
