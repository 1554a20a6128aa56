#include <adacvar/run/trace_frontier.hpp>

#include "data/prepare_data.hpp"
#include "run/check_run.hpp"
#include "run/curve.hpp"
#include "run/notes.hpp"
#include "run/prepare_matrix.hpp"
#include "run/runner.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace adacvar {

namespace {

constexpr std::size_t kExactPoints = 30;
constexpr std::size_t kRuns = 7;
constexpr std::size_t kMixtures = 11;
constexpr std::string_view kForms = "knee, gamma=NUMBER or mean=+PERCENT%, such as mean=+5%";

double gamma_of(const RunResult& point) { return point.model.parts().options.gamma; }

double number_in(std::string_view digits, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    throw OptionError(fmt::format("at = '{}' is not one of: {}", text, kForms));
  }
  return value;
}

std::size_t point_count(const FrontierOptions& curve, const RunOptions& run) {
  check_options(curve);
  if (curve.points == 0) {
    return run.train.algorithm == Algorithm::exact ? kExactPoints
           : run.train.trees.trees                 ? kMixtures
                                                   : kRuns;
  }
  if (curve.points < 3) {
    throw OptionError(fmt::format(
        "points = {}: a curve needs at least 3, its ends and one between them", curve.points));
  }
  return curve.points;
}

void check_size(const RunOptions& run, const PreparedData& data) {
  const std::size_t parameters = parameter_count(data.train, make_loss(run.loss, data.train));
  if (parameters <= kMostParameters) return;
  throw OptionError(
      fmt::format("algorithm = exact: {} parameters exceed the limit of {}; algorithm = adacvar "
                  "traces the curve by runs",
                  parameters, kMostParameters));
}

void check_curve(const RunOptions& run, const FrontierChoice& choice, const RunHooks& hooks) {
  if (run.train.algorithm == Algorithm::mean) {
    throw OptionError(
        "algorithm = mean ignores gamma, so its curve is one point; use exact, adacvar, trunc or "
        "soft");
  }
  check_run(run, std::array{run.train.algorithm}, hooks);
  if (run.train.alpha == 1) {
    throw OptionError(
        "alpha = 1 makes the CVaR the mean, so the curve is one point; give a tail share below 1");
  }
  if (run.train.trees.trees && choice.by == FrontierChoice::By::gamma) {
    throw OptionError(fmt::format(
        "at = 'gamma={:g}': the curve of trees has no gamma, its points differ in the share of the "
        "trees for the tail; use knee or mean=+PERCENT%",
        choice.value));
  }
}

}  // namespace

FrontierChoice FrontierChoice::parse(const std::string& text) {
  const std::string_view view = text;
  if (view == "knee") return {By::knee};
  if (view.starts_with("gamma=")) {
    const double gamma = number_in(view.substr(6), text);
    check_range("at: gamma", gamma, Bounds{.low = 0, .high = 1});
    return {By::gamma, gamma};
  }
  if (view.starts_with("mean=-")) {
    throw OptionError(fmt::format(
        "at = '{}': no model has less than the least mean; give an increase, such as mean=+5%",
        text));
  }
  if (!view.starts_with("mean=+") || !view.ends_with('%')) {
    throw OptionError(fmt::format("at = '{}' is not one of: {}", text, kForms));
  }
  const double percent = number_in(view.substr(6, view.size() - 7), text);
  check_range("at: the increase of the mean in per cent", percent, Bounds{.low = 0, .high = 1e6});
  // As a literal 0.05 is: 5 / 100 is the nearest double.
  return {By::mean, percent / 100};
}

std::string FrontierChoice::name() const {
  switch (by) {
    case By::knee:
      return "knee";
    case By::gamma:
      return fmt::format("gamma {:g}", value);
    case By::mean:
      break;
  }
  return budget_name(value);
}

const std::vector<OptionSpec>& FrontierOptions::options() {
  using O = FrontierOptions;
  static const std::vector<OptionSpec> all{
      {"points", &O::points, Bounds{.low = 0, .high = 1000},
       "number of points besides the marks; 0: 30, by runs 7, of trees 11"},
      {"at", &O::at,
       "the point to choose: knee, gamma=NUMBER, or mean=+PERCENT% for the least CVaR within that "
       "increase of the mean"},
  };
  return all;
}

double FrontierReport::gamma(std::size_t point) const { return gamma_of(points.at(point)); }

std::string_view FrontierReport::setting_name() const {
  return points.at(0).blend ? "share" : "gamma";
}

double FrontierReport::setting(std::size_t point) const {
  const RunResult& run = points.at(point);
  return run.blend ? run.blend->share : gamma_of(run);
}

namespace {

FrontierReport trace_prepared(const PreparedData& data, const RunOptions& run,
                              const FrontierOptions& curve, const RunHooks& hooks) {
  const bool exact = run.train.algorithm == Algorithm::exact;
  const std::size_t points = point_count(curve, run);
  const FrontierChoice choice = FrontierChoice::parse(curve.at);
  check_tree_rows(run, data);
  if (exact) check_size(run, data);
  if (hooks.data_ready) hooks.data_ready(data.notes);
  const CurveSetup setup{data, run, hooks, points, choice};
  FrontierReport report = exact                   ? trace_solutions(setup)
                          : run.train.trees.trees ? trace_mixtures(setup)
                                                  : trace_runs(setup);
  std::vector<std::string> notes = data_notes(data, run.train.alpha);
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  return report;
}

FrontierReport trace_column(const MatrixView& features, const Column& target,
                            const FitOptions& options, const FrontierOptions& curve) {
  RunOptions run = run_options(options);
  const bool is_exact = options.algorithm == FitAlgorithm::automatic && options.trees == nullptr;
  if (is_exact) run.train.algorithm = Algorithm::exact;
  if (run.budget.is_given()) {
    throw OptionError(
        "mean-budget and cvar-limit are not supported with a curve: choose its point");
  }
  const RunHooks hooks{.stop = options.stop, .trees = options.trees};
  check_curve(run, FrontierChoice::parse(curve.at), hooks);
  const PreparedData data = prepare_matrix(features, target, matrix_options(options));
  return trace_prepared(data, run, curve, hooks);
}

}  // namespace

FrontierReport trace_frontier(const RunOptions& run, const FrontierOptions& curve,
                              const RunHooks& hooks) {
  // Before the data is read.
  check_curve(run, FrontierChoice::parse(curve.at), hooks);
  (void)point_count(curve, run);
  return trace_prepared(prepare_data(data_options(run), run.train.seed), run, curve, hooks);
}

FrontierReport trace_frontier(const MatrixView& features, std::span<const double> targets,
                              const FitOptions& fit, const FrontierOptions& curve) {
  return trace_column(features, target_column(targets), fit, curve);
}

FrontierReport trace_frontier(const MatrixView& features, std::span<const std::string> classes,
                              const FitOptions& fit, const FrontierOptions& curve) {
  return trace_column(features, target_column(classes), fit, curve);
}

}  // namespace adacvar
