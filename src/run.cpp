#include <adacvar/run.hpp>

#include "base/option_states.hpp"
#include "report/certificate_report.hpp"
#include "run_algorithms.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/predict.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace adacvar {

namespace {

constexpr std::array kAllAlgorithms = {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft,
                                       Algorithm::mean};

void check_tuning(const RunOptions& options, const PreparedData& data) {
  check_options(options.tune);
  if (!options.tune.tune) return;
  if (data.valid.rows == 0) {
    throw OptionError(
        "tune selects on validation rows, there are none: give them a share of split");
  }
  if (options.tune.select == Selection::accuracy && data.train.task == Task::regression) {
    throw OptionError("select = accuracy needs a target of classes; the target is a number");
  }
}

void check_alphas(std::vector<double> alphas) {
  std::ranges::sort(alphas);
  const auto twice = std::ranges::adjacent_find(alphas);
  if (twice != alphas.end()) throw OptionError(fmt::format("alphas has {} twice", *twice));
}

// Options that ask for something: passed over in silence they would be missed. The others are
// settings of what may not be in use, as in the options that a model was trained with.
bool is_request(const OptionState& state) {
  constexpr std::array kRequests = {"learner",    "information", "ridge",   "radius",
                                    "checkpoint", "alphas",      "certify", "until-gap"};
  const bool declines = state.name == "certify" && state.values[0] == "no";
  return std::ranges::find(kRequests, state.name) != kRequests.end() && !declines;
}

// All options of a run, for the check of requests that have no effect.
std::vector<OptionState> states_of(const RunOptions& options, std::span<const Algorithm> algorithms,
                                   const RunHooks& hooks) {
  const RunOptions defaults;
  OptionState algorithm{.name = "algorithm"};
  for (const Algorithm one : algorithms) algorithm.values.emplace_back(kAlgorithmNames.of(one));
  std::vector<OptionState> states = {algorithm};  // before that of `train`: the first counts
  add_states(options.data, defaults.data, states);
  add_states(options.data.source, defaults.data.source, states);
  add_states(options.loss, defaults.loss, states);
  add_states(options.train, defaults.train, states);
  add_states(options.train.optimizer, defaults.train.optimizer, states);
  add_states(options.train.sampler, defaults.train.sampler, states);
  add_states(options.tune, defaults.tune, states);
  add_states(options.solve, defaults.solve, states);
  add_states(options.network, defaults.network, states);
  add_states(options.checkpoint, defaults.checkpoint, states);
  for (OptionState& state : states) state.is_given = state.is_given && is_request(state);
  if (hooks.trace) states.push_back({"trace", {"true"}, true, follows_game()});
  return states;
}

// What keeps or follows a run can do so with one only.
void check_single(const RunOptions& options, const RunHooks& hooks) {
  if (options.solve.until_gap > 0 || hooks.trace || !options.checkpoint.checkpoint.empty()) {
    throw OptionError("until-gap, trace and checkpoint are for one algorithm, not for compare");
  }
}

void check_network(const RunOptions& options) {
  check_options(options.network);
  if (options.network.network.empty()) return;
  if (options.train.algorithm == Algorithm::exact) {
    throw OptionError("algorithm = exact is for linear models: not supported with network");
  }
  network_maker().check(options.network);
}

// One row or less: not an error, but rarely what was meant.
void note_small_tails(const PreparedData& data, double alpha, std::vector<std::string>& notes) {
  const auto note = [&](const Dataset& part, std::string_view name) {
    const double tail = alpha * static_cast<double>(part.rows);
    if (part.rows == 0 || tail >= 1.0) return;
    notes.push_back(
        fmt::format("alpha = {} of {} {} rows is {:.3g} rows, less than one: the CVaR of these "
                    "rows is their largest loss",
                    alpha, part.rows, name, tail));
  };
  note(data.train, "training");
  note(data.valid, "validation");
  note(data.test, "test");
}

// The sentence that a user of small tail shares needs: nothing is wrong with the program.
void note_uniform_optimum(const std::vector<RunResult>& results,
                          std::vector<std::string>& headlines) {
  double even = 0;
  std::size_t classes = 0;
  std::vector<std::string> alphas;
  for (const RunResult& result : results) {
    const LossKind kind = result.model.loss.kind();
    if (!result.certificate || (kind != LossKind::logistic && kind != LossKind::softmax)) continue;
    classes = result.model.preprocessor.parts().class_names.size();
    even = std::log(static_cast<double>(classes));
    const double alpha = result.model.options.alpha;
    if (alpha == 1 || result.certificate->lower < even * (1 - 1e-4)) continue;
    std::string text = fmt::format("{:g}", alpha);
    if (std::ranges::find(alphas, text) == alphas.end()) alphas.push_back(std::move(text));
  }
  if (alphas.empty()) return;
  headlines.push_back(fmt::format(
      "at alpha = {} no linear model has a training CVaR below {:.4f} = log {}, that of giving "
      "every class the same chance: by this measure there is nothing to learn. Look at the "
      "accuracy; a larger alpha, or gamma between 0 (CVaR) and 1 (mean), gives some of the tail "
      "away for it",
      fmt::join(alphas, ", "), even, classes));
}

bool is_exact(const RunResult& result) {
  return result.model.options.algorithm == Algorithm::exact;
}

// Epochs that ended before the gap that was asked for.
void note_missed_gap(const RunOptions& options, const std::vector<RunResult>& results,
                     std::vector<std::string>& notes) {
  if (!(options.solve.until_gap > 0) || !results[0].certificate) return;
  const StopReason reason = results[0].model.stop_reason;
  if (reason != StopReason::epochs && reason != StopReason::patience) return;
  const auto gap = results[0].certificate->relative_gap();
  notes.push_back(fmt::format("the gap of until-gap = {:g} was not reached in {} epochs{}",
                              options.solve.until_gap, results[0].epochs,
                              gap ? fmt::format(": it is {:.3g}", *gap) : ""));
}

void note_endings(const std::vector<RunResult>& results, std::vector<std::string>& notes) {
  for (const RunResult& result : results) {
    const bool is_stopped = result.model.stop_reason == StopReason::interrupted;
    if (is_exact(result) && is_stopped) {
      notes.push_back("exact was stopped before the tolerance was proved; its certificate holds");
    } else if (is_stopped && result.epochs == 0 && results.size() > 1) {
      notes.push_back(
          fmt::format("{} was stopped before its first epoch ended: its figures mean nothing",
                      kAlgorithmNames.of(result.model.options.algorithm)));
    }
    if (result.model.stop_reason == StopReason::not_attained) {
      notes.push_back(fmt::format(
          "the classes can be separated: the CVaR comes as near to 0 as one likes while the "
          "weights "
          "grow, no model attains it (here {:.3g}, norm of the parameters {:.3g}); ridge > 0 helps",
          result.train->risk.cvar, result.norm));
    }
    if (result.model.stop_reason == StopReason::stalled) {
      notes.push_back(
          fmt::format("the exact solver ended before the tolerance was proved; its certificate "
                      "still holds (norm of the parameters {:.3g})",
                      result.norm));
    }
    if (result.model.stop_reason != StopReason::diverged) continue;
    notes.push_back(fmt::format(
        "{} diverged after {} epochs: its last finite model with the least loss is "
        "kept; try a smaller learning rate{}",
        kAlgorithmNames.of(result.model.options.algorithm), result.epochs,
        result.no_certificate.empty() ? "" : ". No certificate, for " + result.no_certificate));
  }
}

void check_run(const RunOptions& options, std::span<const Algorithm> algorithms,
               const RunHooks& hooks) {
  check_options(options.train);
  check_options(options.solve);
  refuse_unused(states_of(options, algorithms, hooks));
  if (algorithms.size() > 1) check_single(options, hooks);
  check_alphas(options.solve.alphas);
  check_network(options);
}

RunReport run_algorithms(const PreparedData& data, const RunOptions& options,
                         std::span<const Algorithm> algorithms, const RunHooks& hooks) {
  check_tuning(options, data);
  if (hooks.data_ready) hooks.data_ready(data.notes);
  RunReport report;
  report.notes = data.notes;
  note_small_tails(data, options.train.alpha, report.notes);
  report.results = options.solve.alphas.empty()
                       ? run_all(data, options, hooks, algorithms)
                       : run_path(data, options, hooks, options.solve.alphas);
  note_endings(report.results, report.notes);
  note_missed_gap(options, report.results, report.notes);
  note_uniform_optimum(report.results, report.headlines);
  return report;
}

}  // namespace

std::vector<double> losses_in_units(const Scorer& model, const Loss& loss, const Dataset& data) {
  std::vector<double> losses = losses_of(model, data, loss);
  const double unit = loss.unit(data.target_sd);
  for (double& value : losses) value *= unit;
  return losses;
}

PartRisk judge(const Scorer& model, const Loss& loss, double alpha, const Dataset& data) {
  return judge(model, loss, alpha, data, losses_in_units(model, loss, data));
}

PartRisk judge(const Scorer& model, const Loss& loss, double alpha, const Dataset& data,
               std::span<const double> losses) {
  PartRisk result;
  result.rows = data.rows;
  result.risk = tail_risk(losses, alpha);
  if (data.task == Task::regression) return result;
  ConfusionMatrix matrix(data.class_names.size());
  const Predictions predictions = predict(model, loss, data);
  for (std::size_t i = 0; i < data.rows; ++i) {
    matrix.add(static_cast<std::size_t>(data.targets[i]),
               static_cast<std::size_t>(predictions.values[i]));
  }
  result.accuracy = matrix.accuracy();
  result.min_class_precision = matrix.min_class_precision();
  return result;
}

RunReport run(const RunOptions& options, const RunHooks& hooks) {
  const std::array algorithms = {options.train.algorithm};
  check_run(options, algorithms, hooks);
  return run_algorithms(prepare_data(options.data, options.train.seed), options, algorithms, hooks);
}

RunReport compare(const RunOptions& options, const RunHooks& hooks) {
  check_run(options, kAllAlgorithms, hooks);
  return run_algorithms(prepare_data(options.data, options.train.seed), options, kAllAlgorithms,
                        hooks);
}

std::vector<RunReport> compare_repeated(const RunOptions& options, const RunHooks& hooks) {
  check_options(options.repeat);
  check_run(options, kAllAlgorithms, hooks);
  const std::size_t repeats = options.repeat.repeats;
  std::size_t done = 0;
  RunHooks hooks_of_one = hooks;
  if (hooks.progress) {
    hooks_of_one.progress = [&](RunProgress progress) {
      progress.repeats_done = done;
      progress.repeats = repeats;
      hooks.progress(progress);
    };
  }
  const RawData data = read_data(options.data.data, options.data.source);
  RunOptions options_of_one = options;
  std::vector<RunReport> reports;
  for (; done < repeats; ++done) {
    options_of_one.train.seed = options.train.seed + done;
    RunReport report = run_algorithms(prepare_data(data, options.data, options_of_one.train.seed),
                                      options_of_one, kAllAlgorithms, hooks_of_one);
    const bool is_stopped = hooks.stop != nullptr && *hooks.stop;
    if (!is_stopped || reports.empty()) reports.push_back(std::move(report));
    if (is_stopped) break;
    hooks_of_one.detail = Detail::none;
    hooks_of_one.data_ready = {};
  }
  return reports;
}

}  // namespace adacvar
