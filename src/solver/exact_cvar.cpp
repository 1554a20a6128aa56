#include <adacvar/solver/exact_cvar.hpp>

#include "solver/column_units.hpp"
#include "solver/minimise.hpp"

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
  check_range("radius", options.radius, Bounds{.low = 0, .high = 1e9});
  check_range("alpha", options.alpha, Bounds{.low = 0, .high = 1, .low_ok = false});
  check_range("ridge", options.ridge, Bounds{.low = 0});
  check_range("tolerance", options.tolerance, Bounds{.low = 0, .low_ok = false});
  if (!loss.fits(data.task)) throw OptionError("the loss does not fit the task of the data");
}

/// About one row in kSampleShare, as a data set of its own.
Dataset sample_of(const Dataset& data) {
  Rng rng(0);
  std::vector<Index> rows;
  for (std::size_t i = 0; i < data.rows; ++i) {
    if (rng.below(kSampleShare) == 0) rows.push_back(static_cast<Index>(i));
  }
  return rows_of(data, rows);
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
                 const SearchOptions& options) {
  if (problem.rows() < kLarge) return {Eigen::VectorXd::Zero(problem.size()), 0};
  const Dataset data = sample_of(problem.data());
  const Problem sample(data, problem.loss(), problem.settings(), units);
  SearchOptions rough = options;
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

double risk_of(const LinearModel& model, const Dataset& data, const Loss& loss,
               const ExactOptions& options) {
  const std::vector<double> losses = losses_of(model, data, loss);
  const double risk = data.weights.empty() ? cvar(losses, options.alpha)
                                           : cvar(losses, data.weights, options.alpha);
  return risk + model.penalty(options.ridge);
}

RowWeights weights_of(std::span<const double> q, const Problem& problem) {
  if (q.size() != problem.rows()) {
    throw OptionError(fmt::format("q has {} entries, the data {} rows", q.size(), problem.rows()));
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] >= 0) || !std::isfinite(q[i])) {
      throw OptionError(fmt::format("q[{}] = {} is not a probability", i, q[i]));
    }
  }
  // Leaving a row out gives a bound as well, and rows that hardly count make the solver slow.
  const double most = *std::ranges::max_element(q);
  if (most == 0) throw OptionError("q is 0 for every row");
  RowWeights weights;
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] > 1e-13 * most)) continue;
    weights.rows.push_back(static_cast<Index>(i));
    weights.weights.push_back(q[i] / most);
    sum += q[i] / most;
  }
  // Within its limits it stays as it is.
  double scale = std::min(most, 1 / sum);
  for (std::size_t r = 0; r < weights.rows.size(); ++r) {
    scale = std::min(scale, problem.cap(weights.rows[r]) / weights.weights[r]);
  }
  for (double& weight : weights.weights) weight *= scale;
  limit_weights(problem, weights);
  weights.fixed = weights.rows.size();
  return weights;
}

}  // namespace

ExactResult solve_exact(const Dataset& data, const Loss& loss, const ExactOptions& options,
                        const LinearModel* start) {
  check(data, loss, options);
  const ColumnUnits columns(data, loss);
  const Problem problem(columns.data(), columns.loss(),
                        {.alpha = options.alpha,
                         .ridge = columns.to_units(options.ridge),
                         .threads = options.threads},
                        columns.units());
  const SearchOptions search{.tolerance = options.tolerance,
                             .radius = options.radius,
                             .most_steps = options.max_steps,
                             .stop = options.stop};
  Start from = start != nullptr ? Start{columns.to_units(parameters_of(*start, problem.size())), 0}
                                : find_start(problem, columns.units(), search);
  problem.hold(from.theta);
  const SolverOutcome found = minimise_cvar(problem, search, from);
  const Eigen::VectorXd theta = columns.from_units(found.theta);
  ExactResult result{.model = problem.model(theta),
                     .certificate = columns.from_units(found.certificate),
                     .status = found.status,
                     .steps = found.steps,
                     .norm = theta.norm(),
                     .q = std::vector<double>(data.rows)};
  Certificate& certificate = result.certificate;
  if (columns.is_changed()) certificate.upper = risk_of(result.model, data, loss, options);
  // Scores of far columns are rounded more; a number below a bound is a bound.
  certificate.lower = std::min(certificate.lower, certificate.upper);
  if (found.status == ExactStatus::optimal || found.status == ExactStatus::stalled) {
    result.status = ending(problem, certificate, options.tolerance).value_or(ExactStatus::stalled);
  }
  for (std::size_t r = 0; r < found.dual.q.rows.size(); ++r) {
    result.q[found.dual.q.rows[r]] += found.dual.q.weights[r];
  }
  return result;
}

Certificate certify(const LinearModel& model, const Dataset& data, const Loss& loss,
                    std::span<const double> q, const CertifyOptions& options) {
  const ExactOptions exact{.alpha = options.alpha,
                           .ridge = options.ridge,
                           .radius = options.radius,
                           .threads = options.threads};
  check(data, loss, exact);
  const ColumnUnits columns(data, loss);
  const Problem problem(columns.data(), columns.loss(),
                        {.alpha = options.alpha,
                         .ridge = columns.to_units(options.ridge),
                         .threads = options.threads},
                        columns.units());
  Eigen::VectorXd start = columns.to_units(parameters_of(model, problem.size()));
  problem.hold(start);
  const double radius = options.radius > 0 ? std::max(options.radius, start.norm()) : 0;
  const SolverOutcome found = minimise_weighted(problem, weights_of(q, problem), start,
                                                {.tolerance = 1e-9, .radius = radius});
  Certificate certificate = columns.from_units(found.certificate);
  certificate.upper = risk_of(model, data, loss, exact);
  return certificate;
}

}  // namespace adacvar
