#include "run/curve.hpp"
#include "run/notes.hpp"
#include "run/runner.hpp"
#include "run/trained_model.hpp"

#include <adacvar/solver/frontier.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace adacvar {

namespace {

// Points between the marks serve the eye.
constexpr double kCurveSlack = 100;  // times the tolerance

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// Exact solutions and their names, before they are scored.
class ExactCurve {
 public:
  explicit ExactCurve(const CurveSetup& setup)
      : data_(setup.data),
        options_(setup.options),
        hooks_(setup.hooks),
        count_(setup.points),
        choice_(setup.choice),
        frontier_(data_.train, make_loss(options_.loss, data_.train),
                  {.risk = {options_.train.alpha, 0},
                   .ridge = options_.train.ridge,
                   .tolerance = options_.solve.tolerance,
                   .radius = options_.solve.certificate_radius,
                   .threads = static_cast<unsigned>(options_.tune.threads),
                   .stop = hooks_.stop}),
        total_(count_ + budgets_of(choice_).size()) {}

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

}  // namespace

FrontierReport trace_solutions(const CurveSetup& setup) { return ExactCurve(setup).trace(); }

}  // namespace adacvar
