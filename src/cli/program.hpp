#pragma once

#include <adacvar/learner/network.hpp>
#include <adacvar/learner/trees.hpp>

#include <memory>

namespace adacvar::cli {

/// What trains models that are not linear; null: not part of this program.
struct Makers {
  const NetworkMaker* networks = nullptr;
  const TreeMaker* trees = nullptr;
};

/// Of `adacvar-deep`: null if it is built without trees.
[[nodiscard]] std::unique_ptr<const TreeMaker> make_tree_maker();

/// Runs the program: parses the arguments, runs the command, prints errors as one line and returns
/// the exit code. `adacvar` itself is built without libtorch and XGBoost and has no makers.
[[nodiscard]] int run_program(int count, char** arguments, const Makers& makers = {});

}  // namespace adacvar::cli
