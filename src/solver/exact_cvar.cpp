#include <adacvar/solver/exact_cvar.hpp>

#include "solver/exact_search.hpp"

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

const Dataset& checked(const Dataset& data, const Loss& loss, const ExactOptions& options) {
  check_range("radius", options.radius, Bounds{.low = 0, .high = 1e9});
  check_risk(options.risk);
  check_range("ridge", options.ridge, Bounds{.low = 0});
  check_range("tolerance", options.tolerance, Bounds{.low = 0, .low_ok = false});
  if (!loss.fits(data.task)) throw OptionError("the loss does not fit the task of the data");
  if (!options.ridge_factors.empty() && options.ridge_factors.size() != data.features) {
    throw OptionError(fmt::format("{} factors of the ridge were given for {} features",
                                  options.ridge_factors.size(), data.features));
  }
  for (const double factor : options.ridge_factors) {
    check_range("ridge factor", factor, Bounds{.low = 0, .low_ok = false});
  }
  return data;
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

double model_risk(const LinearModel& model, const Dataset& data, const Loss& loss,
                  const Risk& risk) {
  return risk.of(tail_risk(losses_of(model, data, loss), data.weights, risk.alpha));
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
    const Index row = weights.rows[r];
    scale = std::min(scale, (problem.low(row) + problem.cap(row)) / weights.weights[r]);
  }
  for (double& weight : weights.weights) weight *= scale;
  limit_weights(problem, weights);
  weights.fixed = weights.rows.size();
  return weights;
}

}  // namespace

ExactSearch::ExactSearch(const Dataset& data, const Loss& loss, const ExactOptions& options)
    : data_(data),
      loss_(loss),
      options_(options),
      columns_(checked(data, loss, options), loss),
      problem_(columns_.data(), columns_.loss(),
               {.risk = options.risk,
                .ridge = columns_.to_units(options.ridge),
                .ridge_factors = options.ridge_factors,
                .threads = options.threads},
               columns_.units()) {}

SearchOptions ExactSearch::search_options(double tolerance) const {
  return {.tolerance = tolerance,
          .radius = options_.radius,
          .most_steps = options_.max_steps,
          .stop = options_.stop};
}

Start ExactSearch::start(const Risk& risk, double factor) const {
  return find_start(problem_.with_risk(risk, factor), columns_.units(),
                    search_options(options_.tolerance));
}

Start ExactSearch::start_at(const LinearModel& model) const {
  return {columns_.to_units(parameters_of(model, problem_.size())), 0};
}

SolverOutcome ExactSearch::solve(const Risk& risk, double factor, double tolerance,
                                 Start from) const {
  const Problem problem = problem_.with_risk(risk, factor);
  problem.hold(from.theta);
  return minimise_cvar(problem, search_options(tolerance), from);
}

LinearModel ExactSearch::model(const Eigen::VectorXd& theta) const {
  return problem_.model(columns_.from_units(theta));
}

ExactResult ExactSearch::result(const SolverOutcome& found, const Risk& risk,
                                double tolerance) const {
  ExactResult result{.model = model(found.theta),
                     .certificate = in_data_units(found.certificate),
                     .status = found.status,
                     .steps = found.steps,
                     .q = std::vector<double>(data_.rows)};
  for (const double value : result.model.parameters()) result.norm += value * value;
  result.norm = std::sqrt(result.norm);
  Certificate& certificate = result.certificate;
  if (columns_.is_changed()) {
    const double penalty = options_.ridge_factors.empty()
                               ? result.model.penalty(options_.ridge)
                               : loss_unit() * problem_.penalty(found.theta);
    certificate.upper = model_risk(result.model, data_, loss_, risk) + penalty;
  }
  // Scores of far columns are rounded more; a number below a bound is a bound.
  certificate.lower = std::min(certificate.lower, certificate.upper);
  if (found.status == ExactStatus::optimal || found.status == ExactStatus::stalled) {
    result.status = ending(problem_, certificate, tolerance).value_or(ExactStatus::stalled);
  }
  for (std::size_t r = 0; r < found.dual.q.rows.size(); ++r) {
    result.q[found.dual.q.rows[r]] += found.dual.q.weights[r];
  }
  return result;
}

ExactResult solve_exact(const Dataset& data, const Loss& loss, const ExactOptions& options,
                        const LinearModel* start) {
  const ExactSearch search(data, loss, options);
  const SolverOutcome found =
      search.solve(options.risk, 1, options.tolerance,
                   start != nullptr ? search.start_at(*start) : search.start(options.risk));
  return search.result(found, options.risk, options.tolerance);
}

Certificate certify(const LinearModel& model, const Dataset& data, const Loss& loss,
                    std::span<const double> q, const CertifyOptions& options) {
  const ExactOptions exact{.risk = options.risk,
                           .ridge = options.ridge,
                           .radius = options.radius,
                           .threads = options.threads};
  const ExactSearch search(data, loss, exact);
  Eigen::VectorXd start = search.start_at(model).theta;
  const Problem& problem = search.problem();
  problem.hold(start);
  const double radius = options.radius > 0 ? std::max(options.radius, start.norm()) : 0;
  const SolverOutcome found = minimise_weighted(problem, weights_of(q, problem), start,
                                                {.tolerance = 1e-9, .radius = radius});
  Certificate certificate = search.in_data_units(found.certificate);
  certificate.upper = model_risk(model, data, loss, options.risk) + model.penalty(options.ridge);
  return certificate;
}

}  // namespace adacvar
