#include <adacvar/solver/exact_cvar.hpp>

#include "solver/column_units.hpp"
#include "solver/follow.hpp"
#include "solver/minimise.hpp"
#include "solver/problem.hpp"
#include "solver/solve_for_all.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

// From this many rows on, a sample finds the neighbourhood first.
constexpr std::size_t kLarge = 50'000;
constexpr std::size_t kSampleShare = 8;

void check(const Dataset& data, const Loss& loss, const ExactOptions& options) {
  check_range("alpha", options.alpha, Bounds{.low = 0, .high = 1, .low_ok = false});
  check_range("ridge", options.ridge, Bounds{.low = 0});
  check_range("tolerance", options.tolerance, Bounds{.low = 0, .low_ok = false});
  if (!loss.fits(data.task)) throw OptionError("the loss does not fit the task of the data");
}

/// Every kSampleShare-th row of a random order, as a data set of its own.
Dataset sample_of(const Dataset& data) {
  Rng rng(0);
  Dataset sample;
  sample.features = data.features;
  sample.task = data.task;
  sample.target_mean = data.target_mean;
  sample.target_sd = data.target_sd;
  sample.class_names = data.class_names;
  if (data.is_sparse()) sample.start.push_back(0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    if (rng.below(kSampleShare) != 0) continue;
    sample.targets.push_back(data.targets[i]);
    if (data.is_sparse()) {
      for (std::size_t e = data.start[i]; e < data.start[i + 1]; ++e) {
        sample.column.push_back(data.column[e]);
        sample.value.push_back(data.value[e]);
      }
      sample.start.push_back(sample.column.size());
    } else {
      const auto row = std::span(data.dense).subspan(i * data.features, data.features);
      sample.dense.insert(sample.dense.end(), row.begin(), row.end());
    }
  }
  sample.rows = sample.targets.size();
  return sample;
}

Eigen::VectorXd parameters_of(const LinearModel& model, Eigen::Index size) {
  const auto parameters = model.parameters();
  if (parameters.size() != static_cast<std::size_t>(size)) {
    throw OptionError(fmt::format("the model to start from has {} parameters, {} are needed",
                                  parameters.size(), size));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (std::isfinite(parameters[i])) continue;
    throw OptionError(
        fmt::format("parameter {} of the model to start from is {}", i, parameters[i]));
  }
  return Eigen::Map<const Eigen::VectorXd>(parameters.data(), size);
}

Start find_start(const Problem& problem, std::span<const double> units,
                 const ExactOptions& options) {
  if (problem.rows() < kLarge) return {Eigen::VectorXd::Zero(problem.size()), 0};
  const Dataset data = sample_of(problem.data());
  const Problem sample(data, problem.loss(), options.ridge, options.threads, units);
  ExactOptions rough = options;
  rough.tolerance = std::max(options.tolerance, 1e-3);
  const SolverOutcome found = minimise_cvar(sample, rough, find_start(sample, units, rough));
  const double level = found.certificate.upper;
  const Eigen::VectorXd constant = sample.constant();
  // A sample's optimum is off by about its own error.
  if (found.last.gap == 0 || found.theta != constant) return {found.theta, 0.002 * level};
  // Around a model that has the same loss for all rows the path is a line. It may be joined near
  // its end.
  const double share = std::min(1.0, 0.5 * options.tolerance * level / found.last.gap);
  return {constant + share * (found.last.theta - constant), share * found.last.gap};
}

RowLaw law_of(std::span<const double> q, std::size_t rows) {
  if (q.size() != rows) {
    throw OptionError(fmt::format("q has {} entries, the data {} rows", q.size(), rows));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(q[i] >= 0) || !std::isfinite(q[i])) {
      throw OptionError(fmt::format("q[{}] = {} is not a probability", i, q[i]));
    }
  }
  // Leaving a row out gives a bound as well, and what hardly counts makes the solver slow.
  const double most = *std::ranges::max_element(q);
  if (most == 0) throw OptionError("q is 0 for every row");
  RowLaw law;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(q[i] > 1e-13 * most)) continue;
    law.rows.push_back(static_cast<Index>(i));
    law.weights.push_back(q[i] / most);
  }
  // Within its limits it stays as it is.
  const double sum = std::accumulate(law.weights.begin(), law.weights.end(), 0.0);
  const double scale = most < 1 / sum ? most : 1 / sum;
  for (double& weight : law.weights) weight *= scale;
  return law;
}

ExactResult solve(const Dataset& data, const Loss& loss, const ExactOptions& options,
                  const LinearModel* start) {
  const ColumnUnits columns(data, loss);
  ExactOptions inside = options;
  inside.ridge = columns.to_units(options.ridge);
  const Problem problem(columns.data(), columns.loss(), inside.ridge, options.threads,
                        columns.units());
  Start from = start != nullptr ? Start{columns.to_units(parameters_of(*start, problem.size())), 0}
                                : find_start(problem, columns.units(), inside);
  problem.hold(from.theta);
  const auto [found, bound] = solve_for_all(
      problem, options.alpha, options.tolerance, from,
      [&](const Problem& one, const Start& begin, double tolerance) {
        ExactOptions next = inside;
        next.tolerance = tolerance;
        return minimise_cvar(one, next, begin);
      },
      [&](const Eigen::VectorXd& theta) {
        return cvar(problem.losses(theta), options.alpha) + problem.penalty(theta);
      });
  const Eigen::VectorXd theta = columns.from_units(found.theta);
  ExactResult result{.model = problem.model(theta),
                     .certificate = columns.from_units(found.certificate),
                     .status = found.status,
                     .steps = found.steps,
                     .norm = theta.norm(),
                     .dependent = problem.dependent(),
                     .q = std::vector<double>(data.rows)};
  Certificate& certificate = result.certificate;
  if (columns.is_changed()) {
    certificate.upper = cvar(losses_of(result.model, data, loss), options.alpha) +
                        result.model.penalty(options.ridge);
    const Problem as_given(data, loss, options.ridge, options.threads);
    certificate.rounding = std::max(certificate.rounding, as_given.rounding(0));
  }
  // Scores of far columns are rounded more; what is lower than a bound is a bound.
  certificate.lower = std::min(certificate.lower, certificate.upper);
  result.lower_without = certificate.lower;
  const bool was_within = is_within(certificate, options.tolerance);
  const double of_all = columns.from_units(Certificate{.lower = bound.value}).lower;
  certificate.lower = std::min(of_all, certificate.lower);
  if (found.status == ExactStatus::optimal && !is_within(certificate, options.tolerance)) {
    result.status = was_within ? ExactStatus::dependent : ExactStatus::stalled;
  }
  for (std::size_t r = 0; r < bound.law.rows.size(); ++r) {
    result.q[bound.law.rows[r]] = bound.law.weights[r];
  }
  return result;
}

bool is_tiny(double ridge) { return ridge > 0 && ridge <= 1e-8; }

// A ridge that is next to nothing hardly changes the optimum, but keeps columns that nearly depend
// on others from being told apart. Where that left a gap the optimum without it is better: its
// model has the ridge's term added, its bound holds with one as well.
void compare_without_ridge(const Dataset& data, const Loss& loss, const ExactOptions& options,
                           const LinearModel* start, ExactResult& result) {
  if (!is_tiny(options.ridge) || result.status != ExactStatus::stalled) return;
  ExactOptions plain = options;
  plain.ridge = 0;
  ExactResult without = solve(data, loss, plain, start);
  if (without.certificate.lower > result.certificate.lower) {
    result.certificate.lower = without.certificate.lower;
    result.q = std::move(without.q);
  }
  const double upper = without.certificate.upper + without.model.penalty(options.ridge);
  if (upper < result.certificate.upper) {
    result.certificate.upper = upper;
    result.model = std::move(without.model);
    result.norm = without.norm;
  }
  result.certificate.lower = std::min(result.certificate.lower, result.certificate.upper);
  result.lower_without = result.certificate.lower;
  result.steps += without.steps;
  if (is_within(result.certificate, options.tolerance)) result.status = ExactStatus::optimal;
  if (without.status == ExactStatus::interrupted) result.status = ExactStatus::interrupted;
}

}  // namespace

ExactResult solve_exact(const Dataset& data, const Loss& loss, const ExactOptions& options,
                        const LinearModel* start) {
  check(data, loss, options);
  ExactResult result = solve(data, loss, options, start);
  compare_without_ridge(data, loss, options, start, result);
  return result;
}

Certificate certify(const LinearModel& model, const Dataset& data, const Loss& loss,
                    std::span<const double> q, const CertifyOptions& options) {
  constexpr double kTolerance = 1e-9;
  check(data, loss, {.alpha = options.alpha, .ridge = options.ridge});
  const ColumnUnits columns(data, loss);
  const Problem problem(columns.data(), columns.loss(), columns.to_units(options.ridge),
                        options.threads, columns.units());
  const RowLaw law = law_of(q, data.rows);
  const Eigen::VectorXd theta = columns.to_units(parameters_of(model, problem.size()));
  Eigen::VectorXd start = theta;
  problem.hold(start);
  const auto [found, bound] = solve_for_all(
      problem, options.alpha, kTolerance, {start, 0},
      [&](const Problem& one, const Start& begin, double tolerance) {
        return minimise_weighted(one, options.alpha, law, begin.theta, tolerance, nullptr);
      },
      [&](const Eigen::VectorXd& at) { return weighted_objective(problem, law, at); });
  Certificate certificate = found.certificate;
  certificate.lower = bound.value;
  certificate = columns.from_units(certificate);
  if (is_tiny(options.ridge) && found.status == ExactStatus::stalled) {
    CertifyOptions plain = options;
    plain.ridge = 0;
    certificate.lower = std::max(certificate.lower, certify(model, data, loss, q, plain).lower);
  }
  certificate.upper =
      cvar(losses_of(model, data, loss), options.alpha) + model.penalty(options.ridge);
  return certificate;
}

}  // namespace adacvar
