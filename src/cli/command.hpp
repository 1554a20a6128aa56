#pragma once

#include "cli/option_list.hpp"
#include "cli/program.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace adacvar::cli {

/// A command of the program.
struct Command {
  std::string name;     ///< one word, or two: `data make`
  std::string usage;    ///< arguments after the name
  std::string about;    ///< one sentence, without a full stop
  std::string example;  ///< a complete command line
  OptionList options;
  /// Sets defaults that depend on other options, before these are checked; takes the names of the
  /// options given. Empty: there are none.
  std::function<void(const std::set<std::string>& given)> resolve_defaults = {};
  /// Returns the exit code; throws the library's errors.
  std::function<int(const Makers& makers)> run;
  /// Whether the given options need networks; empty: never.
  std::function<bool()> needs_networks = {};
  std::function<bool()> needs_trees = {};
  bool runs_on_ranks = false;  ///< whether several processes can run it together
};

[[nodiscard]] Command make_best_command();
[[nodiscard]] Command make_train_command();
[[nodiscard]] Command make_compare_command();
[[nodiscard]] Command make_frontier_command();
[[nodiscard]] Command make_correct_command();
[[nodiscard]] Command make_evaluate_command();
[[nodiscard]] Command make_predict_command();
[[nodiscard]] Command make_reproduce_command();
[[nodiscard]] std::vector<Command> make_data_commands();

/// All commands, in the order of the help.
[[nodiscard]] std::vector<Command> make_commands();

/// Exit codes, documented in docs/options.md.
// NOLINTNEXTLINE(performance-enum-size): main returns an int
enum ExitCode : int {
  // NOLINTBEGIN(readability-identifier-naming): not scoped, so named as constants
  kDone = 0,
  kBadOption = 2,
  kBadData = 3,
  kNumerical = 4,
  kInternalError = 70,
  kNoMemory = 71,
  kLostRank = 72,
  // NOLINTEND(readability-identifier-naming)
};

}  // namespace adacvar::cli
