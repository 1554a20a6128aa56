#include <adacvar/run/best.hpp>

#include "data/number_text.hpp"
#include "data/prepare_data.hpp"
#include "run/best_describe.hpp"
#include "run/best_tail.hpp"
#include "run/best_task.hpp"
#include "run/best_training.hpp"
#include "run/notes.hpp"
#include "run/prepare_matrix.hpp"
#include "run/stack_weights.hpp"
#include "run/time_limit.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

namespace adacvar {

BestTask::BestTask(const BestData& given_data, const DataOptions& given_reading,
                   const BestOptions& given_options, const BestHooks& given_hooks)
    : data(given_data),
      reading(given_reading),
      options(given_options),
      hooks(given_hooks),
      train(data.prepared.train),
      loss(make_loss(options.loss, train)),
      outputs(loss.outputs(train.class_names.size())),
      scale(data.prepared.preprocessor.target_scale()),
      unit(loss.unit(scale.sd)),
      kinds(base_kinds(train, data.expanded, loss, hooks)) {}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void set_default_split(DataOptions& data, const BestOptions& options) {
  if (!data.split.empty() || options.has_training_split) return;
  const double test = data.test_data.empty() ? 0.2 : 0.0;
  data.split = {1 - test, 0, test};
}

// `90`, `90s`, `5m` or `2h` in seconds; 0 for no text.
double seconds_in(const std::string& text) {
  if (text.empty()) return 0;
  const std::string_view units = "smh";
  const std::size_t unit = units.find(text.back());
  std::string_view number = text;
  if (unit != std::string_view::npos) number.remove_suffix(1);
  double seconds = 0;
  if (!parse_number(number, seconds) || !(seconds > 0)) {
    throw OptionError(
        fmt::format("time = '{}' is not a time above 0, such as 90s, 5m or 2h", text));
  }
  return seconds * (unit == 1 ? 60.0 : unit == 2 ? 3600.0 : 1.0);
}

/// Joins the rows with features for trees and the preprocessing for other models.
BestData with_expansion(PreparedData native, Preprocessor linear) {
  BestData data{.prepared = std::move(native), .expansion = nullptr, .expanded = {}};
  data.expansion =
      std::make_shared<FeatureExpansion>(data.prepared.preprocessor, std::move(linear));
  data.expanded = data.expansion->expand(data.prepared.train);
  return data;
}

BestData read_matrix(const MatrixView& features, const Column& target, const BestMatrix& given) {
  MatrixOptions options{
      .target = given.target, .has_missing = true, .weights = given.weights, .names = given.names};
  Preprocessor linear = preprocess_matrix(features, target, options);
  options.for_trees = true;
  return with_expansion(prepare_matrix(features, target, options), std::move(linear));
}

BestData read(DataOptions options, const BestOptions& best) {
  const std::uint64_t seed = best.seed;
  set_default_split(options, best);
  const RawData raw = read_data(options.data, options.source);
  Preprocessor linear = prepare_data(raw, options, seed).preprocessor;
  options.for_trees = true;
  PreparedData native = prepare_data(raw, options, seed);
  if (native.train.image.size() > 0) {
    throw OptionError("best is not supported with images; use train with a network");
  }
  if (native.valid.rows > 0 && !best.has_training_split) {
    throw OptionError(
        "best holds out folds and has no use for validation rows: give their share of split, or "
        "their file, to training");
  }
  return with_expansion(std::move(native), std::move(linear));
}

void check_rows(const PreparedData& data, std::size_t folds) {
  const Dataset& train = data.train;
  if (train.rows < 2 * folds) {
    throw DataError(
        fmt::format("has {} training rows, too few for {} folds: two of each are needed",
                    train.rows, folds),
        data.source);
  }
  std::vector<std::size_t> counts(train.class_names.size());
  if (train.task != Task::regression) {
    for (const double target : train.targets) ++counts[static_cast<std::size_t>(target)];
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] >= folds) continue;
    throw DataError(fmt::format("class '{}' has {} training rows, fewer than the {} folds",
                                train.class_names[c], counts[c], folds),
                    data.source);
  }
}

std::optional<BestReport> run_best(const BestData& data, const DataOptions& reading,
                                   const BestOptions& options, const BestHooks& hooks,
                                   Clock::time_point begin) {
  if (hooks.data_ready) hooks.data_ready(data_notes(data.prepared, options.alpha));
  const BestTask task(data, reading, options, hooks);
  const double seconds = seconds_in(options.time);
  TimeLimit limit(hooks.stop, seconds > 0 ? std::max(0.0, seconds - seconds_since(begin))
                                          : std::numeric_limits<double>::infinity());
  const FoldedBases bases = train_bases(task, limit);
  if (bases.bases.empty()) return std::nullopt;
  const std::vector<double> weights =
      fit_stack_weights(bases.held_out, task.train, task.loss, task.train.task == Task::regression);
  const StackedScores stacked = stacked_scores(bases.held_out, weights, task.outputs);
  const TailChange change = change_tail(task, stacked, limit);
  StackModel::Parts parts{.outputs = task.outputs,
                          .bases = bases.bases,
                          .expansion = data.expansion,
                          .correction = change.correction,
                          .factor = change.factor};
  for (std::size_t b = 0; b < weights.size(); ++b) parts.bases[b].weight = weights[b];
  BestReport report = describe_best(task, {bases, stacked, change, std::move(parts)}, limit);
  report.seconds = seconds_since(begin);
  return report;
}

void check(const BestOptions& options) {
  check_options(options);
  check_options(options.loss);
  (void)seconds_in(options.time);
  if (options.guarantee > 0 && options.loss_max == 0) {
    throw OptionError("guarantee needs loss-max, the largest loss that a row can have");
  }
}

std::optional<BestReport> best_of_column(const MatrixView& features, const Column& target,
                                         const BestMatrix& matrix, const BestOptions& options,
                                         const BestHooks& hooks) {
  check(options);
  if (!options.checkpoint.empty() || options.guarantee > 0) {
    throw OptionError("checkpoint and guarantee are not supported with a matrix in memory");
  }
  const auto begin = Clock::now();
  const BestData data = read_matrix(features, target, matrix);
  check_rows(data.prepared, options.folds);
  return run_best(data, {}, options, hooks, begin);
}

}  // namespace

const std::vector<OptionSpec>& BestOptions::options() {
  using O = BestOptions;
  static const std::vector<OptionSpec> all{
      {"alpha", &O::alpha, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail share: CVaR is the mean of the worst alpha of the losses"},
      {"mean-budget", &O::mean_budget, Bounds{.low = 0, .high = 100},
       "the mean loss may exceed that of the stack by this share, such as 2%; judged on held-out "
       "rows, with a standard error to spare"},
      {"folds", &O::folds, Bounds{.low = 2, .high = 100},
       "folds of the training rows: every model is trained once per fold, on the others"},
      {"time", &O::time,
       "time for everything, such as 90s, 5m or 2h; models that are not done by then are left out, "
       "the first kind as far as it came"},
      {"seed", &O::seed, Bounds{.low = 0}, "seed of the split, the folds and all draws"},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "number of threads; 0: one per core; does not change the result"},
      {"checkpoint", &O::checkpoint,
       "folder for the models that are done; after an interruption the same command resumes from "
       "them, with the same result"},
      {"guarantee", &O::guarantee, Bounds{.low = 0, .high = 1, .high_ok = false},
       "confidence of an upper bound on the CVaR of future rows, from the test rows; 0: none"},
      {"loss-max", &O::loss_max, Bounds{.low = 0},
       "largest loss that a row can have, for the guarantee", without("guarantee", {"0"})},
  };
  return all;
}

RunResult to_run_result(const BestReport& report) {
  RunResult result{.model = report.model};
  result.train = report.train;
  result.valid = report.valid;
  result.test = report.test;
  result.seconds = report.seconds;
  result.detail = report.detail;
  return result;
}

std::optional<BestReport> best(DataOptions data, const BestOptions& options,
                               const BestHooks& hooks) {
  check(options);
  const auto begin = Clock::now();
  const BestData read_rows = read(data, options);
  check_rows(read_rows.prepared, options.folds);
  if (options.guarantee > 0 && read_rows.prepared.test.rows == 0) {
    throw OptionError("guarantee needs test rows: give them a share of split, or test-data");
  }
  if (options.guarantee > 0 && !data.weight.empty()) {
    throw OptionError(
        "guarantee is not supported with row weights: it is proved for rows drawn alike");
  }
  return run_best(read_rows, data, options, hooks, begin);
}

std::optional<BestReport> best(const MatrixView& features, std::span<const double> targets,
                               const BestMatrix& matrix, const BestOptions& options,
                               const BestHooks& hooks) {
  return best_of_column(features, target_column(targets), matrix, options, hooks);
}

std::optional<BestReport> best(const MatrixView& features, std::span<const std::string> classes,
                               const BestMatrix& matrix, const BestOptions& options,
                               const BestHooks& hooks) {
  return best_of_column(features, target_column(classes), matrix, options, hooks);
}

}  // namespace adacvar
