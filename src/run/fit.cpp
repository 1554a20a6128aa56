#include <adacvar/run/fit.hpp>

#include "run/check_run.hpp"
#include "run/prepare_matrix.hpp"
#include "run/runner.hpp"

#include <adacvar/base/error.hpp>

#include <array>
#include <utility>

namespace adacvar {

namespace {

// Whether `automatic` is the exact solver.
bool is_quickly_exact(const FitOptions& options, const RunOptions& run, const Dataset& training) {
  return options.algorithm == FitAlgorithm::automatic && options.trees == nullptr &&
         wants_certificates(run, training, make_loss(run.loss, training));
}

FitReport fit_column(const MatrixView& features, const Column& target, const FitOptions& options) {
  RunOptions run = run_options(options);
  check_options(run.train);
  const PreparedData data = prepare_matrix(features, target, matrix_options(options));
  if (is_quickly_exact(options, run, data.train)) run.train.algorithm = Algorithm::exact;
  const std::array algorithms = {run.train.algorithm};
  const RunHooks hooks{.stop = options.stop, .trees = options.trees};
  check_run(run, algorithms, hooks);
  RunReport report = run_prepared(data, run, algorithms, hooks);
  RunResult& result = report.results.at(0);
  const bool is_exact = run.train.algorithm == Algorithm::exact;
  std::vector<std::string> notes = data.preprocessor.notes();
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return {.model = std::move(result.model),
          .risk = result.train->risk,
          .valid = result.valid ? std::optional(result.valid->risk) : std::nullopt,
          .tail_share = result.blend ? std::optional(result.blend->share) : std::nullopt,
          .iterations = is_exact ? result.solver_steps : result.epochs,
          .notes = std::move(notes),
          .headlines = std::move(report.headlines)};
}

}  // namespace

Model fit(const MatrixView& features, std::span<const double> targets, const FitOptions& options) {
  return fit_report(features, targets, options).model;
}

Model fit(const MatrixView& features, std::span<const std::string> classes,
          const FitOptions& options) {
  return fit_report(features, classes, options).model;
}

FitReport fit_report(const MatrixView& features, std::span<const double> targets,
                     const FitOptions& options) {
  return fit_column(features, target_column(targets), options);
}

FitReport fit_report(const MatrixView& features, std::span<const std::string> classes,
                     const FitOptions& options) {
  return fit_column(features, target_column(classes), options);
}

}  // namespace adacvar
