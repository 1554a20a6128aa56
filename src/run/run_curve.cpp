#include "base/parallel.hpp"
#include "run/curve.hpp"
#include "run/notes.hpp"
#include "run/runner.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>
#include <utility>

namespace adacvar {

namespace {

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

double gamma_of(const RunResult& point) { return point.model.parts().options.gamma; }

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
  explicit RunCurve(const CurveSetup& setup)
      : data_(setup.data),
        options_(setup.options),
        hooks_(setup.hooks),
        choice_(setup.choice),
        gammas_(gamma_grid(setup.points, choice_)),
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

}  // namespace

FrontierReport trace_runs(const CurveSetup& setup) { return RunCurve(setup).trace(); }

FrontierReport trace_mixtures(const CurveSetup& setup) {
  std::vector<double> shares;
  for (std::size_t k = 0; k < setup.points; ++k) {
    shares.push_back(static_cast<double>(k) / static_cast<double>(setup.points - 1));
  }
  FrontierReport report{.points = run_mixtures(setup.data, setup.options, setup.hooks, shares),
                        .marks = {},
                        .is_exact = false,
                        .is_interrupted = is_set(setup.hooks.stop),
                        .notes = {}};
  if (!report.points.empty()) add_marks(report, setup.choice);
  return report;
}

}  // namespace adacvar
