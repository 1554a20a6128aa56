#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/trees.hpp>

#include <functional>
#include <memory>
#include <string>

namespace adacvar::cli {

/// What trains models that are not linear; null: not part of this program.
struct Makers {
  const NetworkMaker* networks = nullptr;
  const TreeMaker* trees = nullptr;
  /// The processes that work on the command together, in adacvar-mpi; rank 0 prints and writes.
  Communicator* ranks = nullptr;

  [[nodiscard]] bool is_first_rank() const { return ranks == nullptr || ranks->rank() == 0; }
};

/// A job of several processes that run the program with the same arguments.
struct RankJob {
  /// Ends the job by an error of this process; prints the first one and returns its exit code.
  std::function<int(int code, const std::string& message)> fail;
};

/// The maker of trees of `adacvar-deep`; null if it is built without trees.
[[nodiscard]] std::unique_ptr<const TreeMaker> make_tree_maker();

/// Runs the program: parses the arguments, runs the command, prints errors as one line and returns
/// the exit code. `adacvar` itself is built without libtorch and XGBoost and has no makers; `job`
/// is null in all programs but `adacvar-mpi`, whose makers have its ranks.
[[nodiscard]] int run_program(int count, char** arguments, const Makers& makers = {},
                              const RankJob* job = nullptr);

}  // namespace adacvar::cli
