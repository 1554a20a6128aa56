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

std::optional<Task> task_of(const FitOptions& options, const Column& target) {
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

PreparedData prepare_matrix(const MatrixView& features, const Column& target,
                            const FitOptions& options) {
  const std::size_t targets = target.categorical ? target.codes.size() : target.numbers.size();
  check_length(targets, features.rows(), target.categorical ? "classes" : "targets", "rows");
  std::vector<std::string> names(options.names.begin(), options.names.end());
  if (names.empty()) names = default_names(features.columns());
  check_length(names.size(), features.columns(), "names", "columns");
  check_names(names);
  std::vector<Index> rows = rows_with_weight(features.rows(), options.weights);
  std::vector<double> weights;
  if (!options.weights.empty()) {
    for (const Index row : rows) weights.push_back(options.weights[row]);
    // Only ratios matter: equal weights are none.
    if (std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) == weights.end()) {
      weights.clear();
    }
  }
  Preprocessor preprocessor =
      Preprocessor::fit(features, rows, names, target, weights,
                        {.task = task_of(options, target), .standardise = options.standardise});
  PreparedData data{.preprocessor = std::move(preprocessor),
                    .train = {},
                    .valid = {},
                    .test = {},
                    .rows = {},
                    .shares = {.train = 1, .valid = 0, .test = 0},
                    .fingerprint = {features.rows(), features.columns(), ""},
                    .source = "matrix",
                    .notes = {}};
  data.train = data.preprocessor.apply_features(features, rows);
  data.train.targets = data.preprocessor.apply_targets(target, rows, "the targets");
  data.train.weights = std::move(weights);
  data.rows.train = std::move(rows);
  return data;
}

RunOptions run_options(const FitOptions& options) {
  RunOptions run;
  run.loss = options.loss;
  run.train = options.steps;
  run.train.alpha = options.alpha;
  run.train.gamma = options.gamma;
  run.budget = {.mean_budget = options.mean_budget, .cvar_limit = options.cvar_limit};
  run.train.ridge = options.ridge;
  run.train.seed = options.seed;
  run.tune.threads = options.threads;
  return run;
}

}  // namespace adacvar
