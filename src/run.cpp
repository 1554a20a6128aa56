#include <adacvar/run.hpp>

#include "base/parallel.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/predict.hpp>
#include <adacvar/learner/tuning_grid.hpp>
#include <adacvar/risk/classification.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <mutex>
#include <utility>

namespace adacvar {

namespace {

constexpr std::array kAllAlgorithms = {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft,
                                       Algorithm::mean};

TailRisk scaled(const TailRisk& risk, double unit) {
  return {risk.mean * unit, risk.var * unit, risk.cvar * unit};
}

EpochRecord scaled(EpochRecord record, double unit) {
  record.training_loss *= unit;
  if (record.validation) record.validation = scaled(*record.validation, unit);
  return record;
}

/// Trains one algorithm's candidates and keeps the best.
struct Candidate {
  TrainOptions options;
  std::size_t group = 0;  // which algorithm's
};

struct Outcome {
  TrainOptions options;
  TrainResult result;
  std::optional<PartRisk> valid;
};

bool is_better(const Outcome& one, const Outcome& other, Selection select) {
  const auto diverged = [](const Outcome& o) {
    return o.result.stop_reason == StopReason::diverged;
  };
  if (diverged(one) != diverged(other)) return diverged(other);
  if (!one.valid || !other.valid) return false;
  if (select == Selection::accuracy && one.valid->accuracy != other.valid->accuracy) {
    return *one.valid->accuracy > *other.valid->accuracy;
  }
  return one.valid->risk.cvar < other.valid->risk.cvar;
}

/// All runs of a call, spread over threads; what they have in common.
class Runs {
 public:
  Runs(const PreparedData& data, const RunOptions& options, const RunHooks& hooks)
      : data_(data),
        options_(options),
        hooks_(hooks),
        loss_(make_loss(options.loss, data.train)),
        unit_(loss_.unit(data.train.target_sd)) {}

  std::vector<RunResult> of(std::span<const Algorithm> algorithms) {
    plan(algorithms);
    for_each_block(candidates_.size(), static_cast<unsigned>(options_.tune.threads),
                   [this](std::size_t i) { run_one(candidates_[i]); });
    std::vector<RunResult> results;
    for (Group& group : groups_) results.push_back(finish(group));
    return results;
  }

 private:
  struct Group {
    std::optional<Outcome> best;
    std::size_t best_number = 0;
    std::uint64_t trials = 0;
    double seconds = 0;
  };

  void plan(std::span<const Algorithm> algorithms) {
    for (const Algorithm algorithm : algorithms) {
      TrainOptions base = options_.train;
      base.algorithm = algorithm;
      base = decided(base, data_.train, loss_);
      const auto grid = options_.tune.tune ? tuning_grid(base) : std::vector{base};
      for (const TrainOptions& trial : grid) candidates_.push_back({trial, groups_.size()});
      groups_.emplace_back();
    }
  }

  void run_one(const Candidate& candidate) {
    Group& group = groups_[candidate.group];
    {
      const std::scoped_lock lock(mutex_);
      if (hooks_.stop != nullptr && *hooks_.stop && group.trials > 0) return;
      ++group.trials;
    }
    const auto start = std::chrono::steady_clock::now();
    const Dataset* valid = data_.valid.rows > 0 ? &data_.valid : nullptr;
    Outcome outcome{
        candidate.options, train(data_.train, valid, loss_, candidate.options, hooks_of_one()), {}};
    if (valid != nullptr) outcome.valid = judged(outcome, *valid);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    keep(std::move(outcome), static_cast<std::size_t>(&candidate - candidates_.data()), group,
         spent.count());
  }

  // Of equal ones the earlier in the grid wins, whichever ends first.
  void keep(Outcome outcome, std::size_t number, Group& group, double seconds) {
    const std::scoped_lock lock(mutex_);
    group.seconds += seconds;
    const Selection select = options_.tune.select;
    if (!group.best || is_better(outcome, *group.best, select) ||
        (!is_better(*group.best, outcome, select) && number < group.best_number)) {
      group.best = std::move(outcome);
      group.best_number = number;
    }
    ++done_;
    if (hooks_.progress) hooks_.progress({.runs_done = done_, .runs = candidates_.size()});
  }

  TrainHooks hooks_of_one() {
    TrainHooks hooks{.progress = {}, .stop = hooks_.stop};
    if (candidates_.size() == 1 && hooks_.progress) {
      hooks.progress = [this](const EpochRecord& record) {
        const EpochRecord shown = scaled(record, unit_);
        hooks_.progress({.epoch = &shown});
        return true;
      };
    }
    return hooks;
  }

  [[nodiscard]] PartRisk judged(const Outcome& outcome, const Dataset& part) const {
    return judge(outcome.result.model, loss_, outcome.options.alpha, part);
  }

  RunResult finish(Group& group) const {
    Outcome& best = *group.best;
    RunResult result{.model = {.preprocessor = data_.preprocessor,
                               .loss = loss_,
                               .model = best.result.model,
                               .options = best.options,
                               .stop_reason = best.result.stop_reason,
                               .source = data_.source,
                               .fingerprint = data_.fingerprint,
                               .reading = options_.data.source,
                               .task = options_.data.task,
                               .shares = data_.shares}};
    result.train = judged(best, data_.train);
    result.valid = best.valid;
    if (data_.test.rows > 0) result.test = judged(best, data_.test);
    for (const EpochRecord& record : best.result.history) {
      result.history.push_back(scaled(record, unit_));
    }
    result.epochs = best.result.epochs;
    result.trials = group.trials;
    result.seconds = group.seconds;
    return result;
  }

  const PreparedData& data_;
  const RunOptions& options_;
  const RunHooks& hooks_;
  Loss loss_;
  double unit_;
  std::vector<Candidate> candidates_;
  std::vector<Group> groups_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

void check_tuning(const RunOptions& options, const PreparedData& data) {
  check_options(options.tune);
  if (!options.tune.tune) return;
  if (data.valid.rows == 0) {
    throw OptionError(
        "tune selects on validation rows, there are none: give them a share of split");
  }
  if (options.tune.select == Selection::accuracy && data.train.task == Task::regression) {
    throw OptionError("select = accuracy needs a target of classes; the target is a number");
  }
}

// One row or less: not an error, but rarely what was meant.
void note_small_tails(const PreparedData& data, double alpha, std::vector<std::string>& notes) {
  const auto note = [&](const Dataset& part, std::string_view name) {
    const double tail = alpha * static_cast<double>(part.rows);
    if (part.rows == 0 || tail >= 1.0) return;
    notes.push_back(
        fmt::format("alpha = {} of {} {} rows is {:.3g} rows, less than one: the CVaR of these "
                    "rows is their largest loss",
                    alpha, part.rows, name, tail));
  };
  note(data.train, "training");
  note(data.valid, "validation");
  note(data.test, "test");
}

void note_endings(const std::vector<RunResult>& results, std::vector<std::string>& notes) {
  for (const RunResult& result : results) {
    if (result.model.stop_reason != StopReason::diverged) continue;
    notes.push_back(
        fmt::format("{} diverged after {} epochs: its last finite model with the least loss is "
                    "kept; try a smaller learning rate",
                    kAlgorithmNames.of(result.model.options.algorithm), result.epochs));
  }
}

RunReport run_algorithms(const RunOptions& options, std::span<const Algorithm> algorithms,
                         const RunHooks& hooks) {
  check_options(options.train);
  const PreparedData data = prepare_data(options.data, options.train.seed);
  check_tuning(options, data);
  RunReport report;
  report.notes = data.notes;
  note_small_tails(data, options.train.alpha, report.notes);
  report.results = Runs(data, options, hooks).of(algorithms);
  note_endings(report.results, report.notes);
  return report;
}

}  // namespace

std::vector<double> losses_in_units(const LinearModel& model, const Loss& loss,
                                    const Dataset& data) {
  std::vector<double> losses = losses_of(model, data, loss);
  const double unit = loss.unit(data.target_sd);
  for (double& value : losses) value *= unit;
  return losses;
}

PartRisk judge(const LinearModel& model, const Loss& loss, double alpha, const Dataset& data) {
  PartRisk result;
  result.rows = data.rows;
  result.risk = tail_risk(losses_in_units(model, loss, data), alpha);
  if (data.task == Task::regression) return result;
  ConfusionMatrix matrix(data.class_names.size());
  const Predictions predictions = predict(model, loss, data);
  for (std::size_t i = 0; i < data.rows; ++i) {
    matrix.add(static_cast<std::size_t>(data.targets[i]),
               static_cast<std::size_t>(predictions.values[i]));
  }
  result.accuracy = matrix.accuracy();
  result.min_class_precision = matrix.min_class_precision();
  return result;
}

RunReport run(const RunOptions& options, const RunHooks& hooks) {
  return run_algorithms(options, std::array{options.train.algorithm}, hooks);
}

RunReport compare(const RunOptions& options, const RunHooks& hooks) {
  return run_algorithms(options, kAllAlgorithms, hooks);
}

}  // namespace adacvar
