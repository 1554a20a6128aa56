#include <adacvar/run/run.hpp>

#include "run/check_run.hpp"
#include "run/notes.hpp"
#include "run/runner.hpp"

#include <fmt/core.h>
#include <adacvar/base/error.hpp>
#include "data/prepare_data.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

constexpr std::array kAllAlgorithms = {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft,
                                       Algorithm::mean};
constexpr std::array kTreeAlgorithms = {Algorithm::adacvar, Algorithm::mean};

std::span<const Algorithm> compared(const RunOptions& options) {
  if (options.train.trees.trees) return kTreeAlgorithms;
  return kAllAlgorithms;
}

}  // namespace

DataOptions data_options(const RunOptions& options) {
  DataOptions data = options.data;
  data.for_trees = options.train.trees.trees;
  return data;
}

RunReport run_prepared(const PreparedData& data, const RunOptions& options,
                       std::span<const Algorithm> algorithms, const RunHooks& hooks) {
  check_tuning(options.tune, data);
  check_tree_rows(options, data);
  check_calibration(options, data.train, data.valid.rows);
  if (hooks.data_ready) hooks.data_ready(data.notes);
  RunReport report;
  report.notes = data_notes(data, options.train.alpha);
  report.results = options.solve.alphas.empty()
                       ? run_all(data, options, hooks, algorithms)
                       : run_path(data, options, hooks, options.solve.alphas);
  add_result_notes(options, report);
  return report;
}

RunReport run(const RunOptions& options, const RunHooks& hooks) {
  const std::array algorithms = {options.train.algorithm};
  check_run(options, algorithms, hooks);
  return run_prepared(prepare_data(data_options(options), options.train.seed), options, algorithms,
                      hooks);
}

RunReport compare(const RunOptions& options, const RunHooks& hooks) {
  check_run(options, compared(options), hooks);
  return run_prepared(prepare_data(data_options(options), options.train.seed), options,
                      compared(options), hooks);
}

std::vector<RunReport> compare_repeated(const RunOptions& options, const RunHooks& hooks) {
  check_options(options.repeat);
  check_run(options, compared(options), hooks);
  const std::size_t repeats = options.repeat.repeats;
  if (repeats - 1 > std::numeric_limits<std::uint64_t>::max() - options.train.seed) {
    throw OptionError(fmt::format("seed = {} with repeats = {}: the last seed exceeds 2^64 - 1",
                                  options.train.seed, repeats));
  }
  std::size_t done = 0;
  RunHooks repeat_hooks = hooks;
  if (hooks.progress) {
    repeat_hooks.progress = [&](RunProgress progress) {
      progress.repeats_done = done;
      progress.repeats = repeats;
      hooks.progress(progress);
    };
  }
  const RawData data = read_data(options.data.data, options.data.source);
  RunOptions repeat_options = options;
  std::vector<RunReport> reports;
  for (; done < repeats; ++done) {
    repeat_options.train.seed = options.train.seed + done;
    RunReport report =
        run_prepared(prepare_data(data, data_options(options), repeat_options.train.seed),
                     repeat_options, compared(options), repeat_hooks);
    const bool is_stopped = hooks.stop != nullptr && *hooks.stop;
    if (!is_stopped || reports.empty()) reports.push_back(std::move(report));
    if (is_stopped) break;
    repeat_hooks.detail = Detail::none;
    repeat_hooks.data_ready = {};
  }
  return reports;
}

}  // namespace adacvar
