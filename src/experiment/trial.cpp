#include "experiment/trial.hpp"

#include "run/score.hpp"
#include "run/selection.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <vector>

namespace adacvar {

namespace {

float to_float(double value) { return static_cast<float>(value); }

// Processor time, which does not depend on other load of the machine.
double thread_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool is_finite(const Reading& reading) {
  return std::isfinite(reading.train.cvar) && std::isfinite(reading.valid.cvar) &&
         std::isfinite(reading.test.cvar);
}

/// One run and its evaluation.
class TrialRun {
 public:
  TrialRun(const PreparedData& data, const TrainOptions& options, double alpha,
           const std::atomic<bool>* stop)
      : data_(data),
        options_(options),
        alpha_(alpha),
        stop_(stop),
        loss_(Loss::of_task(data.train.task)) {}

  std::optional<TrialResult> run() {
    const double begin = thread_seconds();
    TrialResult result = options_.algorithm == Algorithm::exact ? solve() : train_model();
    if (stop_ != nullptr && *stop_) return std::nullopt;
    result.seconds = to_float(thread_seconds() - begin);
    return result;
  }

 private:
  [[nodiscard]] TrialResult solve() const {
    const ExactResult exact = solve_exact(data_.train, loss_,
                                          {.risk = options_.risk(),
                                           .ridge = options_.ridge,
                                           .tolerance = 1e-8,
                                           .threads = 1,  // trials run in parallel
                                           .stop = stop_});
    TrialResult result;
    result.last = result.early = read(exact.model, 0);
    result.bound = to_float(exact.certificate.lower);
    return result;
  }

  TrialResult train_model() {
    const TrainHooks hooks{.progress = {}, .stop = stop_, .watch = [this](const EpochView& view) {
                             note_epoch(view);
                             return true;
                           }};
    // Validation rows are evaluated here, by the selection rule.
    const TrainResult run = train(data_.train, nullptr, loss_, options_, hooks);
    TrialResult result;
    if (run.stop_reason == StopReason::diverged) return {.diverged = true};
    if (best_epoch_ == 0) return result;  // stopped
    result.last = read(run.model, run.epochs);
    result.early = read(best_, best_epoch_);
    if (is_finite(result.last) && is_finite(result.early)) return result;
    return {.diverged = true};
  }

  void note_epoch(const EpochView& view) {
    const PartScore now = read_score(view.model, loss_, data_.valid, alpha_);
    if (best_epoch_ > 0 && !is_selected_before(now, best_score_, data_.train.task)) return;
    best_epoch_ = view.record.epoch;
    best_score_ = now;
    best_ = *view.linear;
  }

  [[nodiscard]] Reading read(const LinearModel& model, std::uint64_t epoch) const {
    return {.epoch = epoch,
            .train = read_score(model, loss_, data_.train, alpha_),
            .valid = read_score(model, loss_, data_.valid, alpha_),
            .test = read_score(model, loss_, data_.test, alpha_)};
  }

  const PreparedData& data_;
  const TrainOptions& options_;
  double alpha_;
  const std::atomic<bool>* stop_;
  Loss loss_;
  std::uint64_t best_epoch_ = 0;
  PartScore best_score_;
  LinearModel best_;
};

}  // namespace

bool is_selected_before(const PartScore& one, const PartScore& other, Task task) {
  const auto score_of = [](const PartScore& score) {
    return SelectionScore{static_cast<double>(score.cvar), static_cast<double>(score.accuracy)};
  };
  return is_selected_before(score_of(one), score_of(other),
                            task == Task::regression ? Selection::cvar : Selection::accuracy);
}

PartScore read_score(const Scorer& model, const Loss& loss, const Dataset& data, double alpha) {
  try {
    const PartRisk found = score(model, loss, alpha, data).risk;
    return {.mean = to_float(found.risk.mean),
            .cvar = to_float(found.risk.cvar),
            .accuracy = to_float(found.accuracy.value_or(0)),
            .precision = to_float(found.min_class_precision.value_or(0))};
  } catch (const NumericalError&) {
    return {.mean = std::numeric_limits<float>::infinity(),
            .cvar = std::numeric_limits<float>::infinity()};
  }
}

std::optional<TrialResult> run_trial(const PreparedData& data, const TrainOptions& options,
                                     double alpha, const std::atomic<bool>* stop) {
  return TrialRun(data, options, alpha, stop).run();
}

}  // namespace adacvar
