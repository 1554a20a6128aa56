#include <adacvar/run/trace_frontier.hpp>

#include "base/parallel.hpp"
#include "data/prepare_data.hpp"
#include "run/check_run.hpp"
#include "run/notes.hpp"
#include "run/prepare_matrix.hpp"
#include "run/runner.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/frontier.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <mutex>
#include <numbers>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace adacvar {

namespace {

constexpr std::array kBudgets = {0.01, 0.02, 0.05, 0.1};
constexpr std::size_t kExactPoints = 30;
constexpr std::size_t kRuns = 7;
constexpr std::size_t kMixtures = 11;
constexpr std::string_view kForms = "knee, gamma=NUMBER or mean=+PERCENT%, such as mean=+5%";

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

double gamma_of(const RunResult& point) { return point.model.parts().options.gamma; }

std::string budget_name(double budget) { return fmt::format("+{:g} %", 100 * budget); }

double number_in(std::string_view digits, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    throw OptionError(fmt::format("at = '{}' is not one of: {}", text, kForms));
  }
  return value;
}

// The budgets that are always marked, and that of the choice.
std::vector<double> budgets_of(const FrontierChoice& choice) {
  std::vector<double> budgets(kBudgets.begin(), kBudgets.end());
  if (choice.by == FrontierChoice::By::mean &&
      std::ranges::find(budgets, choice.value) == budgets.end()) {
    budgets.insert(std::ranges::lower_bound(budgets, choice.value), choice.value);
  }
  return budgets;
}

// Points between the marks serve the eye.
constexpr double kCurveSlack = 100;  // times the tolerance

/// Distance from the chord between the ends of the curve, in units of its extent; at most 1, and 0
/// where the ends coincide.
class ChordDistance {
 public:
  ChordDistance(const TailRisk& mean, const TailRisk& tail) : mean_(mean), tail_(tail) {}

  [[nodiscard]] double of(const TailRisk& risk) const {
    const double width = tail_.mean - mean_.mean;
    const double height = mean_.cvar - tail_.cvar;
    if (!(width > 0 && height > 0)) return 0;
    return 1 - (risk.mean - mean_.mean) / width - (risk.cvar - tail_.cvar) / height;
  }

 private:
  TailRisk mean_;
  TailRisk tail_;
};

// Positions of the names in the report's points, in their order; of the same point in that of
// `names`.
struct NamedPoints {
  std::vector<std::pair<std::string, std::size_t>> names;

  void add(std::string name, std::size_t point) { names.emplace_back(std::move(name), point); }

  void write(FrontierReport& report, const std::string& chosen) {
    std::ranges::stable_sort(names, {}, &std::pair<std::string, std::size_t>::second);
    for (const auto& [name, point] : names) {
      if (name == chosen) report.chosen = report.marks.size();
      report.marks.push_back({name, point});
    }
  }
};

// --- exact

/// Exact solutions and their names, before they are scored.
class ExactCurve {
 public:
  ExactCurve(const PreparedData& data, const RunOptions& options, const RunHooks& hooks,
             std::size_t points, const FrontierChoice& choice)
      : data_(data),
        options_(options),
        hooks_(hooks),
        count_(points),
        choice_(choice),
        frontier_(data.train, make_loss(options.loss, data.train),
                  {.risk = {options.train.alpha, 0},
                   .ridge = options.train.ridge,
                   .tolerance = options.solve.tolerance,
                   .radius = options.solve.certificate_radius,
                   .threads = static_cast<unsigned>(options.tune.threads),
                   .stop = hooks.stop}),
        total_(points + budgets_of(choice).size()) {}

  FrontierReport trace() {
    FrontierReport report;
    solve();
    collect_curve();
    place_budgets();
    std::ranges::stable_sort(solved_, {}, &ExactCurve::order_of);
    std::vector<SolvedModel> models;
    NamedPoints named;
    for (const Solved& one : solved_) {
      for (const std::string& name : one.names) named.add(name, models.size());
      models.push_back(one.model);
    }
    report.points = score_solved(data_, options_, hooks_, models);
    for (std::size_t i = 0; i < solved_.size(); ++i) {
      if (solved_[i].budget)
        add_outcome(report.points.front(), *solved_[i].budget, report.points[i]);
    }
    named.write(report, choice_.name());
    report.is_interrupted = is_set(hooks_.stop);
    add_notes(report);
    return report;
  }

 private:
  struct Solved {
    SolvedModel model;
    TailRisk risk;
    std::vector<std::string> names = {};
    std::optional<double> budget = {};  // solved for within it
  };

  // The ends are first and last, also where rounding or separable classes leave their means in
  // another order.
  static std::tuple<int, double, double> order_of(const Solved& solved) {
    const double gamma = solved.model.options.gamma;
    const int end = gamma == 1 ? -1 : gamma == 0 ? 1 : 0;
    return {solved.budget ? 0 : end, solved.risk.mean, -gamma};
  }

  static void add_outcome(const RunResult& mean, double budget, RunResult& point) {
    const double least = mean.train->risk.mean;
    point.budget = BudgetOutcome{.limit = {RiskLimit::Of::mean, (1 + budget) * least},
                                 .mean_budget = budget,
                                 .least = least,
                                 .attained = point.train->risk.mean};
  }

  // Keeps a point of the curve instead of a limited model with the same CVaR and a larger mean.
  void place_budgets() {
    const double slack = 1 + options_.solve.tolerance;
    const std::size_t curve = solved_.size();
    for (Solved& limited : limited_) {
      Solved* best = nullptr;
      for (Solved& point : std::span(solved_).first(curve)) {
        const bool is_as_good =
            point.risk.mean <= limited.risk.mean && point.risk.cvar <= slack * limited.risk.cvar;
        if (is_as_good && (best == nullptr || point.risk.mean < best->risk.mean)) best = &point;
      }
      if (best == nullptr) {
        solved_.push_back(std::move(limited));
      } else {
        best->names.insert(best->names.end(), limited.names.begin(), limited.names.end());
      }
    }
  }

  // The choice first: an interrupt leaves what is done.
  void solve() {
    for (const double end : {1.0, 0.0}) {
      if (frontier_.at(end).status == ExactStatus::interrupted) return;
      step();
    }
    if (!has_extent()) return;
    if (choice_.by == FrontierChoice::By::gamma) (void)frontier_.at(choice_.value);
    if (choice_.by == FrontierChoice::By::mean) add_budget(choice_.value);
    for (std::size_t count = 3; count <= count_ && !is_set(hooks_.stop); ++count) {
      frontier_.spread(count, kCurveSlack * options_.solve.tolerance);
      step();
    }
    for (const double budget : budgets_of(choice_)) {
      const bool is_known = choice_.by == FrontierChoice::By::mean && budget == choice_.value;
      if (!is_known && !is_set(hooks_.stop)) add_budget(budget);
    }
  }

  // Separable classes and perfect fits have no mean to exceed: nothing lies between the ends.
  [[nodiscard]] bool has_extent() {
    const FrontierPoint& mean = frontier_.at(1);
    return mean.status != ExactStatus::not_attained && !mean.certificate.is_perfect_fit();
  }

  void add_budget(double budget) {
    const double most = (1 + budget) * frontier_.at(1).risk.mean;
    const bool is_choice = choice_.by == FrontierChoice::By::mean && budget == choice_.value;
    LimitedResult found = frontier_.within({RiskLimit::Of::mean, most},
                                           is_choice ? 0 : kCurveSlack * options_.solve.tolerance);
    if (found.status == ExactStatus::interrupted) return;
    step();
    limited_.push_back(
        {model_of(found.gamma, std::move(found.model), found.certificate, found.status),
         found.risk,
         {budget_name(budget)},
         budget});
  }

  [[nodiscard]] SolvedModel model_of(double gamma, LinearModel model,
                                     const Certificate& certificate, ExactStatus status) const {
    SolvedModel solved{options_.train, std::move(model), certificate, status};
    solved.options.gamma = gamma;
    return solved;
  }

  void collect_curve() {
    const auto& points = frontier_.points();
    const ChordDistance chord(points.rbegin()->second.risk, points.begin()->second.risk);
    const FrontierPoint* knee = nullptr;
    double farthest = 0;
    for (const auto& [gamma, point] : points) {
      if (chord.of(point.risk) <= farthest) continue;
      farthest = chord.of(point.risk);
      knee = &point;
    }
    const bool is_one_point = !is_set(hooks_.stop) && !has_extent();
    for (const auto& [gamma, point] : points) {
      if (point.status == ExactStatus::interrupted || (is_one_point && gamma < 1)) continue;
      Solved solved{model_of(gamma, point.model, point.certificate, point.status), point.risk};
      if (gamma == 1) solved.names.emplace_back("mean");
      if (is_one_point) solved.names.push_back(choice_.name());
      if (&point == knee) solved.names.emplace_back("knee");
      if (gamma == 0) solved.names.emplace_back("CVaR");
      if (choice_.by == FrontierChoice::By::gamma && gamma == choice_.value) {
        solved.names.push_back(choice_.name());
      }
      solved_.push_back(std::move(solved));
    }
  }

  void step() {
    if (hooks_.progress) hooks_.progress({.runs_done = std::min(++done_, total_), .runs = total_});
  }

  static std::size_t count_of(const FrontierReport& report, StopReason reason) {
    return static_cast<std::size_t>(std::ranges::count_if(
        report.points,
        [&](const RunResult& point) { return point.model.parts().stop_reason == reason; }));
  }

  void add_notes(FrontierReport& report) const {
    if (report.points.empty()) return;
    const RunResult& tail = report.points.back();
    if (report.points.front().model.parts().stop_reason == StopReason::not_attained) {
      report.headlines.emplace_back(
          "the classes are separable: mean and CVaR both approach 0 as the weights grow, so there "
          "is nothing to trade; use ridge > 0");
    } else if (report.points.front().certificate.value().is_perfect_fit()) {
      report.headlines.emplace_back(
          "a linear model fits every training row: mean and CVaR are both 0, so there is nothing "
          "to trade");
    }
    RunReport end{.results = {tail}, .notes = {}};
    add_result_notes(options_, end);
    report.headlines.insert(report.headlines.end(), end.headlines.begin(), end.headlines.end());
    if (const std::size_t stalled = count_of(report, StopReason::stalled); stalled > 0) {
      report.notes.push_back(
          fmt::format("{} of {} points were stopped by rounding before they reached the tolerance; "
                      "their certificates are still valid",
                      stalled, report.points.size()));
    }
  }

  const PreparedData& data_;
  const RunOptions& options_;
  const RunHooks& hooks_;
  std::size_t count_;
  FrontierChoice choice_;
  Frontier frontier_;
  std::vector<Solved> solved_;
  std::vector<Solved> limited_;  // within budgets
  std::size_t total_;
  std::size_t done_ = 0;
};

// --- by runs

// From 1 to 0, denser at both ends: 1, 0.933, 0.75, 0.5, 0.25, 0.067, 0.
std::vector<double> gamma_grid(std::size_t count, const FrontierChoice& choice) {
  std::vector<double> gammas;
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(count - 1);
    gammas.push_back(std::round(1000 * (1 + std::cos(angle)) / 2) / 1000);
  }
  if (choice.by == FrontierChoice::By::gamma) gammas.push_back(choice.value);
  std::ranges::sort(gammas, std::ranges::greater());
  gammas.erase(std::ranges::unique(gammas).begin(), gammas.end());
  // The ends first: an interrupt leaves what is done.
  std::ranges::rotate(gammas.begin() + 1, gammas.end() - 1, gammas.end());
  return gammas;
}

/// The rows that choose among runs, which fit their training rows too well to judge by them.
const TailRisk& deciding_risk(const RunResult& run) {
  return run.valid ? run.valid->risk : run.train->risk;
}

// The point of least CVaR among those within the limit; the first always is.
std::size_t within(const FrontierReport& report, double most) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < report.points.size(); ++i) {
    const TailRisk& risk = deciding_risk(report.points[i]);
    if (risk.mean <= most && risk.cvar < deciding_risk(report.points[best]).cvar) best = i;
  }
  return best;
}

// Chooses among trained models, the ends of the curve being the first and the last.
void add_marks(FrontierReport& report, const FrontierChoice& choice) {
  const TailRisk& mean = deciding_risk(report.points.front());
  const TailRisk& tail = deciding_risk(report.points.back());
  NamedPoints named;
  named.add("mean", 0);
  for (const double budget : budgets_of(choice)) {
    named.add(budget_name(budget), within(report, (1 + budget) * mean.mean));
  }
  const ChordDistance chord(mean, tail);
  const auto knee = std::ranges::max_element(
      report.points, {}, [&](const RunResult& run) { return chord.of(deciding_risk(run)); });
  named.add("knee", static_cast<std::size_t>(knee - report.points.begin()));
  if (choice.by == FrontierChoice::By::gamma) {
    const auto at = std::ranges::find(report.points, choice.value, gamma_of);
    if (at != report.points.end()) {
      named.add(choice.name(), static_cast<std::size_t>(at - report.points.begin()));
    }
  }
  named.add("CVaR", report.points.size() - 1);
  named.write(report, choice.name());
}

class RunCurve {
 public:
  RunCurve(const PreparedData& data, const RunOptions& options, const RunHooks& hooks,
           std::size_t points, const FrontierChoice& choice)
      : data_(data),
        options_(options),
        hooks_(hooks),
        choice_(choice),
        gammas_(gamma_grid(points, choice)),
        found_(gammas_.size()) {}

  FrontierReport trace() {
    FrontierReport report{.points = {}, .marks = {}, .is_exact = false, .notes = {}};
    // A network uses threads itself.
    const std::uint64_t threads = options_.network.network.empty() ? options_.tune.threads : 1;
    for_each_block(gammas_.size(), static_cast<unsigned>(threads),
                   [this](std::size_t i) { run_one(i); });
    report.is_interrupted = is_set(hooks_.stop);
    std::vector<double> diverged;
    for (std::optional<RunResult>& run : found_) {
      if (!run) continue;
      if (run->is_trained()) {
        report.points.push_back(std::move(*run));
      } else {
        diverged.push_back(gamma_of(*run));
      }
    }
    std::ranges::sort(report.points, std::ranges::greater(), gamma_of);
    add_notes(report, diverged);
    if (has_ends(report)) add_marks(report, choice_);
    return report;
  }

 private:
  static bool has_ends(const FrontierReport& report) {
    return !report.points.empty() && gamma_of(report.points.front()) == 1 &&
           gamma_of(report.points.back()) == 0;
  }

  void add_notes(FrontierReport& report, const std::vector<double>& diverged) const {
    for (const double gamma : diverged) {
      report.notes.push_back(fmt::format(
          "the run at gamma {:g} diverged and is left out; try a smaller learning rate", gamma));
    }
    if (report.points.empty()) return;
    RunReport end{.results = {report.points.back()}, .notes = {}};
    add_result_notes(options_, end);
    report.headlines = std::move(end.headlines);
  }

  void run_one(std::size_t i) {
    if (is_set(hooks_.stop)) return;
    RunOptions options = options_;
    options.train.gamma = gammas_[i];
    options.blend = {.fine_tune = 0};  // the curve is that of one risk
    if (gammas_[i] == 1) options.train.algorithm = Algorithm::mean;
    RunHooks hooks = hooks_;
    hooks.detail = Detail::none;
    if (options_.network.network.empty()) hooks.progress = {};  // runs are parallel
    std::vector<RunResult> results =
        run_all(data_, options, hooks, std::array{options.train.algorithm});
    const std::scoped_lock lock(mutex_);
    if (results[0].model.parts().stop_reason != StopReason::interrupted) {
      found_[i] = std::move(results[0]);
    }
    if (hooks_.progress) hooks_.progress({.runs_done = ++done_, .runs = gammas_.size()});
  }

  const PreparedData& data_;
  const RunOptions& options_;
  const RunHooks& hooks_;
  FrontierChoice choice_;
  std::vector<double> gammas_;
  std::vector<std::optional<RunResult>> found_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

// --- trees

FrontierReport trace_mixtures(const PreparedData& data, const RunOptions& options,
                              const RunHooks& hooks, std::size_t points,
                              const FrontierChoice& choice) {
  std::vector<double> shares;
  for (std::size_t k = 0; k < points; ++k) {
    shares.push_back(static_cast<double>(k) / static_cast<double>(points - 1));
  }
  FrontierReport report{.points = run_mixtures(data, options, hooks, shares),
                        .marks = {},
                        .is_exact = false,
                        .is_interrupted = is_set(hooks.stop),
                        .notes = {}};
  if (!report.points.empty()) add_marks(report, choice);
  return report;
}

// ---

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
  FrontierReport report = exact ? ExactCurve(data, run, hooks, points, choice).trace()
                          : run.train.trees.trees
                              ? trace_mixtures(data, run, hooks, points, choice)
                              : RunCurve(data, run, hooks, points, choice).trace();
  std::vector<std::string> notes = data_notes(data, run.train.alpha);
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  return report;
}

Algorithm curve_algorithm(FitAlgorithm algorithm) {
  switch (algorithm) {
    case FitAlgorithm::automatic:
    case FitAlgorithm::exact:
      break;
    case FitAlgorithm::adacvar:
      return Algorithm::adacvar;
    case FitAlgorithm::trunc:
      return Algorithm::trunc;
    case FitAlgorithm::soft:
      return Algorithm::soft;
    case FitAlgorithm::mean:
      return Algorithm::mean;
  }
  return Algorithm::exact;
}

FrontierReport trace_column(const MatrixView& features, const Column& target,
                            const FitOptions& options, const FrontierOptions& curve) {
  RunOptions run = run_options(options);
  run.train.algorithm = curve_algorithm(options.algorithm);
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
