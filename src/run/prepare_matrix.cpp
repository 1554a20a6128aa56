#include "run/prepare_matrix.hpp"

#include "data/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace adacvar {

namespace {

void check_length(std::size_t length, std::size_t expected, std::string_view what,
                  std::string_view of) {
  if (length == expected) return;
  throw DataError(fmt::format("{} {}, the matrix has {} {}", length, what, expected, of));
}

void check_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    throw DataError(fmt::format("column name '{}' is given more than once", *twice));
  }
  if (!names.empty() && names[0].empty()) throw DataError("a column name is empty");
}

std::optional<Task> task_of(const MatrixOptions& options, const Column& target) {
  if (target.categorical) {
    if (options.target == FitOptions::Target::number) {
      throw OptionError("target = number: the targets are names of classes");
    }
    return std::nullopt;
  }
  if (options.target == FitOptions::Target::number) return Task::regression;
  if (options.target == FitOptions::Target::automatic) return std::nullopt;
  const std::set<double> values(target.numbers.begin(), target.numbers.end());
  return values.size() > 2 ? Task::multiclass : Task::binary;
}

// The class of every row, for the split; empty for numbers.
std::vector<std::uint32_t> classes_of(const Column& target, std::optional<Task> task,
                                      std::span<const Index> rows) {
  std::map<double, std::uint32_t> codes;
  std::vector<std::uint32_t> classes;
  for (const Index row : rows) {
    if (target.categorical) {
      classes.push_back(target.codes[row]);
    } else {
      const auto code = static_cast<std::uint32_t>(codes.size());
      classes.push_back(codes.emplace(target.numbers[row], code).first->second);
    }
  }
  const bool is_number = task == Task::regression || (!task && codes.size() > 2);
  return is_number && !target.categorical ? std::vector<std::uint32_t>{} : classes;
}

// Only ratios matter: equal weights are none.
std::span<const double> distinct_weights(std::span<const double> weights,
                                         std::span<const Index> rows) {
  const bool are_equal = std::ranges::all_of(
      rows, [&](Index row) { return weights.empty() || weights[row] == weights[rows[0]]; });
  return are_equal ? std::span<const double>{} : weights;
}

struct WeightedSplit {
  Split rows;
  std::span<const double> weights;  // of all rows; empty: all 1
};

WeightedSplit split_matrix(std::size_t count, const Column& target, const MatrixOptions& options) {
  if (!(options.validation >= 0 && options.validation < 1)) {
    throw OptionError(fmt::format("validation = {} is not a share in [0, 1)", options.validation));
  }
  const std::vector<Index> rows = rows_with_weight(count, options.weights);
  WeightedSplit result{.rows = {.train = rows, .valid = {}, .test = {}},
                       .weights = distinct_weights(options.weights, rows)};
  if (options.validation == 0) return result;
  result.rows = split_rows(rows.size(), {1 - options.validation, options.validation, 0},
                           options.seed, classes_of(target, task_of(options, target), rows));
  for (auto* const part : {&result.rows.train, &result.rows.valid}) {
    for (Index& row : *part) row = rows[row];
  }
  return result;
}

std::vector<double> weights_at(std::span<const double> weights, std::span<const Index> rows) {
  std::vector<double> result;
  if (weights.empty()) return result;
  for (const Index row : rows) result.push_back(weights[row]);
  return result;
}

// Automatic ones are chosen later.
Algorithm algorithm_of(FitAlgorithm algorithm) {
  switch (algorithm) {
    case FitAlgorithm::exact:
      return Algorithm::exact;
    case FitAlgorithm::trunc:
      return Algorithm::trunc;
    case FitAlgorithm::soft:
      return Algorithm::soft;
    case FitAlgorithm::mean:
      return Algorithm::mean;
    case FitAlgorithm::adacvar:
    case FitAlgorithm::automatic:
      break;
  }
  return Algorithm::adacvar;
}

}  // namespace

Column target_column(std::span<const double> targets) {
  Column column;
  column.name = std::string("y");
  column.numbers = std::vector<double>(targets.begin(), targets.end());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isfinite(targets[i])) continue;
    throw DataError(fmt::format("target {} is {}: targets must be finite", i + 1, targets[i]));
  }
  return column;
}

Column target_column(std::span<const std::string> classes) {
  Column column;
  column.name = std::string("y");
  column.categorical = true;
  std::map<std::string_view, std::uint32_t> codes;
  for (const std::string& name : classes) {
    const auto code = static_cast<std::uint32_t>(codes.size());
    const auto [entry, is_new] = codes.emplace(name, code);
    if (is_new) column.levels.push_back(name);
    column.codes.push_back(entry->second);
  }
  return column;
}

Preprocessor preprocess_matrix(const MatrixView& features, const Column& target,
                               const MatrixOptions& options) {
  const std::size_t targets = target.categorical ? target.codes.size() : target.numbers.size();
  check_length(targets, features.rows(), target.categorical ? "classes" : "targets", "rows");
  std::vector<std::string> names(options.names.begin(), options.names.end());
  if (names.empty()) names = default_names(features.columns());
  check_length(names.size(), features.columns(), "names", "columns");
  check_names(names);
  const WeightedSplit split = split_matrix(features.rows(), target, options);
  return Preprocessor::fit(features, split.rows.train, names, target,
                           weights_at(split.weights, split.rows.train),
                           {.task = task_of(options, target),
                            .standardise = options.standardise,
                            .for_trees = options.for_trees,
                            .has_missing = options.has_missing});
}

PreparedData prepare_matrix(const MatrixView& features, const Column& target,
                            const MatrixOptions& options) {
  Preprocessor preprocessor = preprocess_matrix(features, target, options);
  WeightedSplit split = split_matrix(features.rows(), target, options);
  PreparedData data{.preprocessor = std::move(preprocessor),
                    .train = {},
                    .valid = {},
                    .test = {},
                    .rows = {},
                    .shares = {1 - options.validation, options.validation, 0},
                    .fingerprint = {features.rows(), features.columns(), ""},
                    .source = "matrix",
                    .notes = {}};
  const auto apply = [&](std::span<const Index> part) {
    Dataset result = data.preprocessor.apply_features(features, part);
    result.targets = data.preprocessor.apply_targets(target, part, "the targets");
    result.weights = weights_at(split.weights, part);
    return result;
  };
  data.train = apply(split.rows.train);
  if (!split.rows.valid.empty()) data.valid = apply(split.rows.valid);
  data.rows = std::move(split.rows);
  return data;
}

MatrixOptions matrix_options(const FitOptions& options) {
  const bool has_trees = options.trees != nullptr;
  return {.target = options.target,
          .standardise = options.standardise,
          .for_trees = has_trees,
          .has_missing = has_trees,
          .validation = options.validation,
          .seed = options.seed,
          .weights = options.weights,
          .names = options.names};
}

RunOptions run_options(const FitOptions& options) {
  RunOptions run;
  run.loss = options.loss;
  run.train = options.steps;
  run.train.algorithm = algorithm_of(options.algorithm);
  run.train.alpha = options.alpha;
  run.train.gamma = options.gamma;
  run.budget = {.mean_budget = options.mean_budget, .cvar_limit = options.cvar_limit};
  run.train.ridge = options.ridge;
  run.train.seed = options.seed;
  run.tune.threads = options.threads;
  run.train.trees.trees = options.trees != nullptr;
  return run;
}

}  // namespace adacvar
