#include "run/runner.hpp"

#include "base/crc64.hpp"
#include "base/parallel.hpp"
#include "learner/resolve_defaults.hpp"
#include "learner/tree_model.hpp"
#include "learner/tuning_grid.hpp"
#include "learner/weighted_networks.hpp"
#include "run/blender.hpp"
#include "run/calibrate.hpp"
#include "run/check_run.hpp"
#include "run/feature_moments.hpp"
#include "run/limits.hpp"
#include "run/mark_best.hpp"
#include "run/outcome.hpp"
#include "run/row_detail.hpp"
#include "run/run_identity.hpp"
#include "run/selection.hpp"
#include "run/trained_model.hpp"
#include "run/tree_importance.hpp"
#include "solver/be_the_leader.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace adacvar {

namespace {

EpochRecord scaled(EpochRecord record, double unit) {
  record.training_loss *= unit;
  if (record.validation) record.validation = scaled(*record.validation, unit);
  return record;
}

GameRecord scaled(GameRecord record, double unit) {
  record.certificate = scaled(record.certificate, unit);
  record.value *= unit;
  record.sampler_regret *= unit;
  record.learner_regret *= unit;
  return record;
}

/// One run: an algorithm with its options.
struct Candidate {
  TrainOptions options;
  std::size_t group = 0;  // index of its algorithm
};

/// How candidates are compared. `limits`: models within them come first, the others by what is
/// limited. `risk` is the one asked for: that of a candidate may have another gamma.
struct Judge {
  Selection select;
  Risk risk;
  Limits* limits = nullptr;
};

bool is_better(const Outcome& one, const Outcome& other, const Judge& judge) {
  const auto diverged = [](const Outcome& o) {
    return o.result.stop_reason == StopReason::diverged;
  };
  if (diverged(one) != diverged(other)) return diverged(other);
  if (!one.valid || !other.valid) return false;
  const TailRisk& risk = one.valid->risk.risk;
  const TailRisk& other_risk = other.valid->risk.risk;
  if (judge.limits != nullptr) {
    const bool is_within = judge.limits->contains(risk);
    if (is_within != judge.limits->contains(other_risk)) return is_within;
    const RiskLimit limit = judge.limits->limit();
    if (!is_within) return limit.value(risk) < limit.value(other_risk);
    if (limit.of == RiskLimit::Of::cvar) return risk.mean < other_risk.mean;
  }
  const auto score_of = [&](const Outcome& o) {
    return SelectionScore{judge.risk.of(o.valid->risk.risk), o.valid->risk.accuracy.value_or(0)};
  };
  return is_selected_before(score_of(one), score_of(other), judge.select);
}

/// Trains and scores all candidates, in parallel.
class Runner {
 public:
  Runner(const PreparedData& data, const RunOptions& options, const RunHooks& hooks)
      : data_(data),
        options_(options),
        hooks_(hooks),
        loss_(make_loss(options.loss, data.train)),
        unit_(loss_.unit(data.preprocessor.target_scale().sd)),
        computes_certificates_(wants_certificates(options, data.train, loss_)),
        calibrator_(data, loss_, options.calibrate.calibrate),
        blender_(Blender::make(data, loss_, options)) {
    if (is_linear() && data.train.image.size() == 0) moments_ = feature_moments(data.train);
    if (std::isnormal(unit_)) return;
    throw DataError(fmt::format("the {} loss of a target with standard deviation {:g} exceeds the "
                                "range of double; rescale the target",
                                kLossNames.of(loss_.kind()), data.preprocessor.target_scale().sd),
                    data.source);
  }

  std::vector<RunResult> run(std::span<const Algorithm> algorithms) {
    const bool is_comparison = algorithms.size() > 1;
    set_limits(is_comparison);
    for (const Algorithm algorithm : algorithms) {
      add_candidates(algorithm, limits_ && !is_comparison);
    }
    if (is_comparison && limits_) add_candidates(Algorithm::adacvar, true);
    if (is_comparison && has_budgeted_factor()) add_candidates(Algorithm::mean, true);
    if (is_comparison && computes_certificates_) add_candidates(Algorithm::exact, false);
    if (blender_) plan_plain_training();
    // Networks and trees use threads themselves, and parallel runs would share random generators.
    const std::uint64_t threads = is_linear() ? options_.tune.threads : 1;
    for_each_block(candidates_.size(), static_cast<unsigned>(threads),
                   [this](std::size_t i) { run_one(candidates_[i]); });
    std::vector<RunResult> results;
    std::vector<SetLosses> losses;
    for (Group& group : groups_) {
      if (group.is_hidden) continue;
      ScoredSets scored;
      results.push_back(make_result(group, scored));
      losses.push_back({std::move(scored.train.losses), std::move(scored.valid.losses),
                        std::move(scored.test.losses)});
    }
    if (results.size() > 1) {
      mark_best(
          results, losses, {data_.train.weights, data_.valid.weights, data_.test.weights},
          {.seed = options_.train.seed, .threads = static_cast<unsigned>(options_.tune.threads)});
    }
    return results;
  }

  /// Solves for each alpha, starting from the previous solution.
  std::vector<RunResult> run_path(std::vector<double> alphas) {
    std::ranges::sort(alphas, std::ranges::greater());
    std::vector<RunResult> results;
    results.reserve(alphas.size());  // `start` points into it
    const LinearModel* start = nullptr;
    for (const double alpha : alphas) {
      TrainOptions options = options_.train;
      options.alpha = alpha;
      Group group;
      const auto begin = std::chrono::steady_clock::now();
      group.best = solve_candidate(options, start);
      if (valid() != nullptr) group.best->valid = score_rows(*group.best, *valid());
      group.trials = 1;
      group.seconds = seconds_since(begin);
      ScoredSets scored;
      results.push_back(make_result(group, scored));
      start = &results.back().model.parts().model;
      ++done_;
      if (hooks_.progress) hooks_.progress({.runs_done = done_, .runs = alphas.size()});
    }
    std::ranges::reverse(results);
    return results;
  }

  /// Mixes trees that are trained once for the mean and once for the tail.
  std::vector<RunResult> run_mixtures(std::span<const double> shares) {
    const Outcome plain = train_candidate(base_options(Algorithm::mean));
    const Outcome tail = train_candidate(blender_->tail_options(base_options(Algorithm::adacvar)),
                                         {.before = plain.result.epochs, .is_tail = true});
    if (hooks_.stop != nullptr && *hooks_.stop) return {};
    std::vector<RunResult> results;
    for (const double share : shares) {
      Group group;
      group.best = Outcome{.options = base_options(Algorithm::adacvar), .result = {}};
      group.best->options.gamma = tail.options.gamma;
      group.best->nonlinear = blender_->model_at(plain.nonlinear, tail.nonlinear, share);
      group.best->result.stop_reason = tail.result.stop_reason;
      group.best->result.epochs = plain.result.epochs + tail.result.epochs;
      if (valid() != nullptr) group.best->valid = score_rows(*group.best, *valid());
      group.trials = 1;
      ScoredSets sets;
      results.push_back(make_result(group, sets));
      results.back().blend = Blend{.share = share, .is_mix = true, .alpha = options_.train.alpha};
      ++done_;
      if (hooks_.progress) hooks_.progress({.runs_done = done_, .runs = shares.size()});
    }
    return results;
  }

  /// Scores solutions that are known, in parallel.
  std::vector<RunResult> score_solved(std::span<const SolvedModel> solved) {
    std::vector<std::optional<RunResult>> scored(solved.size());
    for_each_block(solved.size(), static_cast<unsigned>(options_.tune.threads),
                   [&](std::size_t i) { scored[i] = score_one(solved[i]); });
    std::vector<RunResult> results;
    results.reserve(solved.size());
    for (std::optional<RunResult>& result : scored) results.push_back(std::move(*result));
    return results;
  }

 private:
  struct Group {
    std::optional<Outcome> best;
    std::size_t best_number = 0;
    std::uint64_t trials = 0;
    double seconds = 0;
    bool is_limited = false;
    bool is_hidden = false;  // serves other groups
  };

  static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  [[nodiscard]] bool has_network() const { return !options_.network.network.empty(); }
  [[nodiscard]] bool has_trees() const { return options_.train.trees.trees; }
  [[nodiscard]] bool is_linear() const { return !has_network() && !has_trees(); }

  // A comparison has a row with a mean budget unless there is nothing to trade.
  void set_limits(bool is_comparison) {
    if (blender_ || has_trees()) return;  // its own budget
    BudgetOptions budget = options_.budget;
    if (is_comparison && !budget.is_given() && !options_.train.risk().is_mean() &&
        options_.train.learner == Learner::steps) {
      budget.mean_budget = kComparedBudget;
    }
    if (!budget.is_given()) return;
    limits_.emplace(Limits::Setup{
        .data = data_,
        .loss = loss_,
        .options = options_,
        .budget = budget,
        .uses_exact =
            is_linear() && (computes_certificates_ || options_.train.algorithm == Algorithm::exact),
        .stop = hooks_.stop,
        .train_plain = [this] { return train_candidate(base_options(Algorithm::mean)); }});
  }

  [[nodiscard]] TrainOptions base_options(Algorithm algorithm, bool is_limited = false) const {
    TrainOptions base = options_.train;
    base.algorithm = algorithm;
    // The limit is found when the first model needs it; defaults depend on whether there is one.
    if (is_limited && algorithm != Algorithm::mean) {
      base.limit.emplace();
      base.limit_on_validation = limits_->is_on_validation();
    }
    if (algorithm != Algorithm::adacvar) base.learner = Learner::steps;
    if (has_trees()) {
      base.epochs = base.trees.rounds;
      return base;
    }
    return has_network() ? resolve_network_defaults(base, data_.train, valid(), loss_)
                         : resolve_defaults(base, data_.train, loss_);
  }

  void add_candidates(Algorithm algorithm, bool is_limited) {
    const TrainOptions base = base_options(algorithm, is_limited);
    const auto grid = !options_.tune.tune ? std::vector{base}
                      : has_trees()       ? tree_grid(base)
                                          : tuning_grid(base);
    for (const TrainOptions& trial : grid) candidates_.push_back({trial, groups_.size()});
    groups_.emplace_back().is_limited = is_limited;
  }

  // Plain training is run first, also where it is not a result.
  void plan_plain_training() {
    const auto is_plain = [this](const Candidate& candidate) {
      return candidate.options.algorithm == Algorithm::mean && !groups_[candidate.group].is_limited;
    };
    if (std::ranges::none_of(candidates_, is_plain)) {
      add_candidates(Algorithm::mean, false);
      groups_.back().is_hidden = true;
    }
    std::ranges::stable_partition(candidates_, is_plain);
    plain_group_ = candidates_[0].group;
  }

  [[nodiscard]] bool is_blended(Algorithm algorithm, bool is_limited) const {
    return blender_ && (algorithm != Algorithm::mean || is_limited);
  }

  RunResult score_one(const SolvedModel& solved) {
    Group group;
    group.best = Outcome{.options = solved.options, .result = {}};
    group.best->result.model = solved.model;
    group.best->result.stop_reason = reason_of(solved.status);
    group.best->certificate = solved.certificate;
    if (valid() != nullptr) group.best->valid = score_rows(*group.best, *valid());
    group.trials = 1;
    ScoredSets sets;
    return make_result(group, sets);
  }

  void run_one(const Candidate& candidate) {
    Group& group = groups_[candidate.group];
    {
      const std::scoped_lock lock(mutex_);
      if (hooks_.stop != nullptr && *hooks_.stop && group.trials > 0) return;
      ++group.trials;
    }
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = run_candidate(candidate.options, group.is_limited);
    if (!outcome.blend) calibrator_.calibrate(outcome, limited(group.is_limited));
    if (valid() != nullptr) outcome.valid = score_rows(outcome, *valid());
    keep(std::move(outcome), static_cast<std::size_t>(&candidate - candidates_.data()), group,
         seconds_since(begin));
  }

  Outcome run_candidate(TrainOptions options, bool is_limited) {
    if (is_blended(options.algorithm, is_limited)) {
      return blender_->blend(*groups_[plain_group_].best, options,
                             [this](const TrainOptions& tail, const Stage& stage) {
                               return train_candidate(tail, stage);
                             });
    }
    const bool is_exact = options.algorithm == Algorithm::exact;
    if (!is_limited) return is_exact ? solve_candidate(options, nullptr) : train_candidate(options);
    if (is_exact) return limits_->solve(options);
    if (options.limit) options.limit = limits_->limit();
    Outcome outcome = train_candidate(options);
    if (options.limit) limits_->enforce(outcome);
    return outcome;
  }

  [[nodiscard]] std::optional<Calibrator::Limited> limited(bool is_limited) {
    if (!is_limited || !limits_) return std::nullopt;
    Calibrator::Limited found{.mean_budget = options_.budget.mean_budget.value_or(kComparedBudget)};
    if (!limits_->is_on_validation()) found.training = limits_->limit();
    return found;
  }

  // Plain training whose factor uses the budget: what a budget buys without another training.
  [[nodiscard]] bool has_budgeted_factor() const {
    if (blender_) return blender_->has_factor();
    return limits_ && calibrator_.applies_to(options_.train) &&
           calibrator_.has_tail(options_.train) && !options_.budget.cvar_limit;
  }

  [[nodiscard]] const Dataset* valid() const {
    return data_.valid.rows > 0 ? &data_.valid : nullptr;
  }

  Outcome solve_candidate(const TrainOptions& options, const LinearModel* start) const {
    ExactResult found = solve_exact(data_.train, loss_,
                                    {.risk = options.risk(),
                                     .ridge = options.ridge,
                                     .tolerance = options_.solve.tolerance,
                                     .radius = options_.solve.certificate_radius,
                                     .threads = static_cast<unsigned>(options_.tune.threads),
                                     .stop = hooks_.stop},
                                    start);
    Outcome outcome{.options = options, .result = {}};
    outcome.result.model = std::move(found.model);
    outcome.result.stop_reason = reason_of(found.status);
    outcome.certificate = found.certificate;
    outcome.solver_steps = found.steps;
    return outcome;
  }

  Outcome train_candidate(const TrainOptions& options, const Stage& stage = {}) {
    Outcome outcome{.options = options, .result = {}};
    const TrainHooks hooks = candidate_hooks(options, outcome, stage);
    if (has_network()) {
      NetworkResult found = hooks_.networks->train(data_.train, valid(), loss_, options,
                                                   options_.network, hooks, stage.start);
      using Members = std::vector<WeightedNetworks::Member>;
      outcome.nonlinear = std::make_shared<WeightedNetworks>(Members{{found.model}});
      take(std::move(found), outcome);
    } else if (has_trees()) {
      const auto threads = static_cast<unsigned>(options_.tune.threads);
      TreeResult found = hooks_.trees->train(data_.train, valid(), loss_, options, threads, hooks);
      outcome.nonlinear = dynamic_cast<const TreeModel&>(*found.model)
                              .in_units_of(data_.preprocessor.target_scale());
      take(std::move(found), outcome);
    } else {
      const auto how = options.learner == Learner::btl ? &be_the_leader : &train;
      outcome.result = how(data_.train, valid(), loss_, options, hooks);
    }
    if (options.limit) outcome.options.gamma = outcome.result.gamma;
    note_checkpoint_error(outcome.result.checkpoint_error);
    return outcome;
  }

  // Also of candidates that are not chosen: the same command would repeat them.
  void note_checkpoint_error(const std::string& error) {
    if (error.empty()) return;
    const std::scoped_lock lock(mutex_);
    if (checkpoint_error_.empty() || error < checkpoint_error_) checkpoint_error_ = error;
  }

  /// Everything but the model.
  template <class Result>
  static void take(Result found, Outcome& outcome) {
    outcome.result.stop_reason = found.stop_reason;
    outcome.result.epochs = found.epochs;
    outcome.result.gamma = found.gamma;
    outcome.result.history = std::move(found.history);
    outcome.result.checkpoint_error = std::move(found.checkpoint_error);
  }

  [[nodiscard]] CertifyOptions certify_options(const TrainOptions& options) const {
    return {.risk = options.risk(),
            .ridge = options.ridge,
            .radius = options_.solve.certificate_radius,
            .threads = static_cast<unsigned>(options_.tune.threads)};
  }

  // Ties go to the earlier candidate in the grid, so that the order of finishing does not matter.
  void keep(Outcome outcome, std::size_t number, Group& group, double seconds) {
    const std::scoped_lock lock(mutex_);
    group.seconds += seconds - outcome.detail_seconds;
    const Selection select = options_.tune.select;
    RunProgress progress{.runs_done = ++done_, .runs = candidates_.size()};
    if (outcome.valid) progress.valid_cvar = outcome.valid->risk.risk.cvar;
    if (outcome.valid && select == Selection::accuracy) {
      progress.valid_accuracy = outcome.valid->risk.accuracy;
    }
    // Plain training is tuned for the mean.
    const bool is_mean = outcome.options.algorithm == Algorithm::mean;
    const Risk risk = is_mean ? Risk{options_.train.alpha, 1} : options_.train.risk();
    const Judge judge{select, risk,
                      group.is_limited && options_.tune.tune && limits_ ? &*limits_ : nullptr};
    if (!group.best || is_better(outcome, *group.best, judge) ||
        (!is_better(*group.best, outcome, judge) && number < group.best_number)) {
      group.best = std::move(outcome);
      group.best_number = number;
    }
    if (hooks_.progress) hooks_.progress(progress);
  }

  // Runs whose epochs are shown: one, with plain training before it if it is blended.
  [[nodiscard]] bool is_single_run() const {
    const std::size_t hidden = groups_.empty() ? 0 : groups_.back().is_hidden ? 1 : 0;
    return candidates_.size() <= 1 + hidden;
  }

  TrainHooks candidate_hooks(const TrainOptions& options, Outcome& outcome, const Stage& stage) {
    TrainHooks hooks{.progress = {}, .stop = hooks_.stop, .watch = {}};
    if (!options_.checkpoint.checkpoint.empty() || !options_.checkpoint_folder.checkpoint.empty()) {
      hooks.run_identity = identity_of(options);
      hooks.checkpoint = checkpoint_of(hooks.run_identity);
      if (stage.is_tail) {
        hooks.checkpoint = tail_checkpoint(hooks.checkpoint);
        hooks.run_identity +=
            options_.blend.mix || has_trees() ? " of a mixture" : " after plain training";
      }
    }
    // With full information nothing is drawn.
    const bool draws =
        options.learner == Learner::steps || options.information == Information::bandit;
    if (hooks_.detail == Detail::all && draws) {
      hooks.watch = [this, &options, &outcome](const EpochView& view) {
        const auto begin = std::chrono::steady_clock::now();
        outcome.epochs.push_back(detail_of(view, options));
        outcome.detail_seconds += seconds_since(begin);
        return true;
      };
    }
    if (!is_single_run()) return hooks;
    if (hooks_.progress) {
      const std::uint64_t before = stage.before;
      const std::uint64_t all = stage.is_tail ? before + options.epochs : epochs_in_all(options);
      hooks.progress = [this, before, all](const EpochRecord& record) {
        EpochRecord shown = scaled(record, unit_);
        shown.epoch += before;
        hooks_.progress({.epoch = &shown, .epochs = all});
        return true;
      };
      hooks.within_epoch = [this, before, all](double epochs) {
        hooks_.progress({.epochs = all, .epochs_done = static_cast<double>(before) + epochs});
      };
    }
    if (hooks_.trace || options_.solve.until_gap > 0) {
      hooks.watch = [this, look = hooks.watch,
                     game = std::make_shared<GameTracker>(
                         data_.train, loss_, certify_options(options))](const EpochView& view) {
        if (look) look(view);
        return follow_game(*game, view);
      };
    }
    return hooks;
  }

  // In a folder every run has a file of its own. A run that is done resumes before its last epoch,
  // so the ends of runs need not be saved.
  [[nodiscard]] std::filesystem::path checkpoint_of(const std::string& identity) const {
    const std::filesystem::path folder = options_.checkpoint_folder.checkpoint;
    if (folder.empty()) return options_.checkpoint.checkpoint;
    return folder / ("run-" + crc64_text(identity));
  }

  [[nodiscard]] std::uint64_t epochs_in_all(const TrainOptions& options) const {
    const bool is_first = blender_ && options_.train.algorithm != Algorithm::mean;
    return options.epochs +
           (is_first ? blender_->tail_options(base_options(options_.train.algorithm)).epochs : 0);
  }

  // Returns false once the requested gap is certified, by the game's own distribution or by that of
  // the exact optimum.
  bool follow_game(GameTracker& game, const EpochView& view) {
    const GameRecord record = game.add(view);
    if (hooks_.trace) hooks_.trace({scaled(view.record, unit_), scaled(record, unit_)});
    if (!(options_.solve.until_gap > 0)) return true;
    Certificate certificate = record.certificate;
    if (computes_certificates_) {
      if (!best_bound_)
        best_bound_ = solve_candidate(candidates_[0].options, view.recent).certificate;
      certificate.lower = std::max(certificate.lower, best_bound_->lower);
      certificate.rounding = best_bound_->rounding;
      certificate.radius = std::min(certificate.radius, best_bound_->radius);
    }
    const bool is_reached =
        certificate.is_perfect_fit() || certificate.relative_gap() <= options_.solve.until_gap;
    if (!is_reached) return true;
    best_bound_ = certificate;
    return false;
  }

  [[nodiscard]] ScoredRows score_rows(const Outcome& outcome, const Dataset& rows) const {
    return score(outcome.scorer(), loss_, outcome.options.alpha, rows,
                 data_.preprocessor.target_scale());
  }

  [[nodiscard]] EpochDetail detail_of(const EpochView& view, const TrainOptions& options) const {
    EpochDetail detail{.epoch = view.record.epoch};
    const std::vector<double> losses = losses_of(view.model, data_.train, loss_);
    detail.training_cvar =
        unit_ * (cvar(losses, data_.train.weights, options.alpha) +
                 (view.linear != nullptr ? view.linear->penalty(options.ridge) : 0.0));
    if (valid() != nullptr && data_.valid.task != Task::regression) {
      detail.accuracy = score(view.model, loss_, options.alpha, data_.valid).risk.accuracy;
    }
    if (view.sampler != nullptr) {
      detail.distribution = summarise_distribution(view.sampler->probabilities(), losses,
                                                   options.alpha, data_.train.weights);
    }
    return detail;
  }

  // Describes the test rows; without any, the validation or training rows.
  [[nodiscard]] PartDetail detail_of(const Outcome& outcome, const ScoredSets& scored) const {
    const auto [data, rows, name, found] =
        data_.test.rows > 0 ? std::tuple(&data_.test, &data_.rows.test, "test", &scored.test)
        : data_.valid.rows > 0
            ? std::tuple(&data_.valid, &data_.rows.valid, "validation", &scored.valid)
            : std::tuple(&data_.train, &data_.rows.train, "training", &scored.train);
    PartDetail detail;
    if (hooks_.detail == Detail::all) {
      constexpr std::size_t kWorst = 20;
      detail = describe_rows({.scorer = outcome.scorer(),
                              .preprocessor = data_.preprocessor,
                              .data = *data,
                              .rows = *rows,
                              .scored = *found},
                             kWorst);
    }
    detail.part = name;
    detail.losses = found->losses;
    detail.weights = data->weights;
    return detail;
  }

  // The lower bound by the exact optimum's distribution is valid for every model of the same risk.
  [[nodiscard]] std::optional<Certificate> certificate_of(const Group& group,
                                                          const TailRisk& training) {
    const Outcome& outcome = *group.best;
    if (outcome.certificate && !outcome.calibration) return scaled(*outcome.certificate, unit_);
    if (outcome.result.stop_reason == StopReason::gap) return scaled(*best_bound_, unit_);
    const bool is_exact = outcome.options.algorithm == Algorithm::exact;
    if (!(computes_certificates_ || is_exact) || outcome.result.stop_reason == StopReason::diverged)
      return std::nullopt;
    if (group.is_limited && !limits_->is_on_validation())
      return limits_->certify(outcome, training);
    Certificate certificate = scaled(bound_for(outcome), unit_);
    certificate.upper = outcome.options.risk().of(training) +
                        unit_ * outcome.result.model.penalty(outcome.options.ridge);
    return certificate;
  }

  [[nodiscard]] Certificate bound_for(const Outcome& outcome) const {
    for (const Group& group : groups_) {
      const std::optional<Outcome>& other = group.best;
      if (other && other->certificate && !group.is_limited &&
          other->options.risk() == outcome.options.risk()) {
        return *other->certificate;
      }
    }
    return *solve_candidate(outcome.options, &outcome.result.model).certificate;
  }

  // Adds the AUC, and keeps of the rows only what a comparison or a report needs: predictions of
  // large tables take more memory than their features.
  [[nodiscard]] ScoredRows finished(ScoredRows scored, const Dataset& rows) const {
    scored.risk.auc = auc_of(rows, scored.predictions);
    if (hooks_.detail != Detail::all) scored.predictions = {};
    if (hooks_.detail == Detail::none && groups_.size() < 2) scored.losses = {};
    return scored;
  }

  static double norm_of(const Outcome& outcome) {
    if (outcome.nonlinear) return outcome.nonlinear->norm();
    double squares = 0;
    for (const double value : outcome.result.model.parameters()) squares += value * value;
    return std::sqrt(squares);
  }

  [[nodiscard]] std::string identity_of(const TrainOptions& options) const {
    return run_identity(options_, options,
                        {.shares = data_.shares,
                         .crc64 = data_.fingerprint.crc64,
                         .train_rows = data_.train.rows,
                         .valid_rows = data_.valid.rows,
                         .features = data_.train.features});
  }

  TrainedModel model_of(const Outcome& outcome) const {
    TrainedModel model{.preprocessor = data_.preprocessor,
                       .loss = loss_,
                       .model = outcome.result.model,
                       .nonlinear = outcome.nonlinear,
                       .network_options = options_.network,
                       .options = outcome.options,
                       .stop_reason = outcome.result.stop_reason,
                       .source = data_.source,
                       .fingerprint = data_.fingerprint,
                       .reading = options_.data.source,
                       .task = options_.data.task,
                       .shares = data_.shares};
    model.reading.progress = {};  // valid only during this run
    model.moments = moments_;
    return model;
  }

  RunResult make_result(Group& group, ScoredSets& sets) {
    Outcome& best = *group.best;
    if (best.valid) sets.valid = finished(std::move(*best.valid), data_.valid);
    sets.train = finished(score_rows(best, data_.train), data_.train);
    if (data_.test.rows > 0) sets.test = finished(score_rows(best, data_.test), data_.test);
    TrainedModel model = model_of(best);
    model.training_risk = sets.train.risk.risk;
    model.certificate = certificate_of(group, sets.train.risk.risk);
    RunResult result{.model = Model(std::move(model))};
    result.train = sets.train.risk;
    if (data_.valid.rows > 0) result.valid = sets.valid.risk;
    if (data_.test.rows > 0) result.test = sets.test.risk;
    if (best.blend) {
      result.budget = blender_->budget_of(*best.blend);
    } else if (group.is_limited) {
      result.budget = limits_->describe(sets);
    }
    result.calibration = best.calibration;
    result.blend = best.blend;
    for (const EpochRecord& record : best.result.history) {
      result.history.push_back(scaled(record, unit_));
    }
    result.epochs = best.result.epochs;
    result.solver_steps = best.solver_steps;
    result.checkpoint_error = checkpoint_error_;
    result.trials = group.trials;
    result.selected_by_accuracy = options_.tune.tune && options_.tune.select == Selection::accuracy;
    const bool follows_plain = is_blended(best.options.algorithm, group.is_limited);
    const bool has_plain_group = plain_group_ < groups_.size();
    result.seconds =
        group.seconds + (follows_plain && has_plain_group ? groups_[plain_group_].seconds : 0);
    result.certificate = result.model.certificate();
    if (!result.certificate && computes_certificates_) {
      result.no_certificate = "training diverged";
    }
    result.norm = norm_of(best);
    if (hooks_.detail != Detail::none) result.detail = detail_of(best, sets);
    if (hooks_.dependence && has_trees()) {
      result.dependence = partial_dependence(result.model.parts(), data_.train);
    }
    result.epoch_details = std::move(best.epochs);
    return result;
  }

  static constexpr double kComparedBudget = 0.05;

  const PreparedData& data_;
  const RunOptions& options_;
  const RunHooks& hooks_;
  Loss loss_;
  double unit_;
  std::optional<FeatureMoments> moments_;  // of tables and sparse rows, for linear models
  bool computes_certificates_;
  Calibrator calibrator_;
  std::optional<Blender> blender_;
  std::size_t plain_group_ = 0;  // with blender_: whose best is plain training
  std::vector<Candidate> candidates_;
  std::vector<Group> groups_;
  std::optional<Limits> limits_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::string checkpoint_error_;           // least of those of all candidates
  std::optional<Certificate> best_bound_;  // with until_gap: the best bound so far
};

}  // namespace

std::vector<RunResult> run_all(const PreparedData& data, const RunOptions& options,
                               const RunHooks& hooks, std::span<const Algorithm> algorithms) {
  return Runner(data, options, hooks).run(algorithms);
}

std::vector<RunResult> run_path(const PreparedData& data, const RunOptions& options,
                                const RunHooks& hooks, std::vector<double> alphas) {
  return Runner(data, options, hooks).run_path(std::move(alphas));
}

std::vector<RunResult> run_mixtures(const PreparedData& data, const RunOptions& options,
                                    const RunHooks& hooks, std::span<const double> shares) {
  return Runner(data, options, hooks).run_mixtures(shares);
}

std::vector<RunResult> score_solved(const PreparedData& data, const RunOptions& options,
                                    const RunHooks& hooks, std::span<const SolvedModel> solved) {
  return Runner(data, options, hooks).score_solved(solved);
}

}  // namespace adacvar
