#include "run/check_run.hpp"

#include <adacvar/solver/exact_cvar.hpp>
#include "base/option_states.hpp"
#include "learner/train_conditions.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace adacvar {

namespace {

void check_alphas(std::vector<double> alphas) {
  std::ranges::sort(alphas);
  const auto twice = std::ranges::adjacent_find(alphas);
  if (twice != alphas.end())
    throw OptionError(fmt::format("alphas: {} is given more than once", *twice));
}

// Options that request something, which must not be ignored silently. The others are settings that
// may stay unused, as in the options that a model was trained with.
bool is_request(const OptionState& state) {
  constexpr std::array kRequests = {"learner",     "information", "ridge",     "radius",
                                    "checkpoint",  "alphas",      "certify",   "until-gap",
                                    "mean-budget", "cvar-limit",  "fine-tune", "mix"};
  const bool declines = state.name == "certify" && state.values[0] == "no";
  return std::ranges::find(kRequests, state.name) != kRequests.end() && !declines;
}

std::vector<OptionState> states_of(const RunOptions& options, std::span<const Algorithm> algorithms,
                                   const RunHooks& hooks) {
  const RunOptions defaults;
  OptionState algorithm{.name = "algorithm"};
  for (const Algorithm one : algorithms) algorithm.values.emplace_back(kAlgorithmNames.of(one));
  std::vector<OptionState> states = {algorithm};  // before that of `train`: the first one is used
  add_states(options.data, defaults.data, states);
  add_states(options.data.source, defaults.data.source, states);
  add_states(options.loss, defaults.loss, states);
  add_states(options.train, defaults.train, states);
  add_states(options.train.optimizer, defaults.train.optimizer, states);
  add_states(options.train.sampler, defaults.train.sampler, states);
  add_states(options.tune, defaults.tune, states);
  add_states(options.solve, defaults.solve, states);
  add_states(options.budget, defaults.budget, states);
  add_states(options.network, defaults.network, states);
  add_states(options.train.trees, defaults.train.trees, states);
  add_states(options.blend, defaults.blend, states);
  add_states(options.checkpoint, defaults.checkpoint, states);
  add_states(options.checkpoint_folder, defaults.checkpoint_folder, states);
  for (OptionState& state : states) state.is_given = state.is_given && is_request(state);
  if (hooks.trace) states.push_back({"trace", {"true"}, true, follows_game()});
  return states;
}

void check_single(const RunOptions& options, const RunHooks& hooks) {
  if (options.solve.until_gap > 0 || hooks.trace || !options.checkpoint.checkpoint.empty()) {
    throw OptionError("until-gap, trace and checkpoint are not supported with compare");
  }
}

void check_network(const RunOptions& options, const NetworkMaker* networks) {
  check_options(options.network);
  if (options.network.network.empty()) return;
  if (options.train.algorithm == Algorithm::exact) {
    throw OptionError("algorithm = exact is not supported with network");
  }
  require_networks(networks).check(options.network);
}

void check_trees(const RunOptions& options, std::span<const Algorithm> algorithms,
                 const TreeMaker* trees) {
  check_options(options.train.trees);
  if (!options.train.trees.trees) return;
  for (const Algorithm algorithm : algorithms) {
    if (algorithm == Algorithm::adacvar || algorithm == Algorithm::mean) continue;
    throw OptionError(fmt::format("algorithm = {} is not supported with trees; use adacvar or mean",
                                  kAlgorithmNames.of(algorithm)));
  }
  if (options.train.trees.depth == 0 && options.train.trees.leaves == 0) {
    throw OptionError("depth = 0 and leaves = 0: one of them must limit the size of trees");
  }
  (void)require_trees(trees);
}

}  // namespace

void check_run(const RunOptions& options, std::span<const Algorithm> algorithms,
               const RunHooks& hooks) {
  check_options(options.train);
  check_options(options.solve);
  check_options(options.budget);
  check_options(options.blend);
  refuse_unused(states_of(options, algorithms, hooks));
  if (algorithms.size() > 1) check_single(options, hooks);
  check_alphas(options.solve.alphas);
  check_network(options, hooks.networks);
  check_trees(options, algorithms, hooks.trees);
}

void check_tree_rows(const RunOptions& options, const PreparedData& data) {
  if (!options.train.trees.trees) return;
  if (data.train.image.size() > 0) {
    throw OptionError("trees are not supported with images; use a network");
  }
  if (data.valid.rows == 0 && options.train.trees.tree_patience > 0) {
    throw OptionError(
        "trees choose their rounds on validation rows, of which there are none: give them a share "
        "of split, or keep all rounds by tree-patience = 0");
  }
}

void check_calibration(const RunOptions& options, const Dataset& training,
                       std::size_t validation_rows) {
  if (options.calibrate.calibrate != CalibrateChoice::yes) return;
  const Loss loss = make_loss(options.loss, training);
  if (!loss.has_probabilities()) {
    throw OptionError(
        fmt::format("calibrate = yes needs a classifier with probabilities, by the logistic or "
                    "softmax loss; the loss is {}",
                    kLossNames.of(loss.kind())));
  }
  if (validation_rows == 0) {
    throw OptionError("calibrate = yes needs validation rows: give them a share of split");
  }
}

void check_tuning(const TuneOptions& options, const PreparedData& data) {
  check_options(options);
  if (!options.tune) return;
  if (data.valid.rows == 0) {
    throw OptionError("tune needs validation rows: give them a share of split");
  }
  if (options.select == Selection::accuracy && data.train.task == Task::regression) {
    throw OptionError("select = accuracy needs classes; the target is a number");
  }
}

std::size_t parameter_count(const Dataset& data, const Loss& loss) {
  return loss.outputs(data.class_names.size()) * (data.features + 1);
}

bool wants_certificates(const RunOptions& options, const Dataset& training, const Loss& loss) {
  if (!options.network.network.empty() || options.train.trees.trees) return false;
  const std::size_t parameters = parameter_count(training, loss);
  if (options.solve.certify == CertifyChoice::yes && parameters > kMostParameters) {
    throw OptionError(fmt::format("certify = yes: {} parameters exceed the limit of {}", parameters,
                                  kMostParameters));
  }
  if (options.solve.certify != CertifyChoice::automatic) {
    return options.solve.certify == CertifyChoice::yes;
  }
  const auto count = static_cast<double>(parameters);
  const double rows = std::max(static_cast<double>(training.rows), 10 * count);
  return parameters <= kMostParameters && rows * count * count <= 1e9;
}

}  // namespace adacvar
