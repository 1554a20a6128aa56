#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/optimizer.hpp>
#include <adacvar/learner/tree_options.hpp>
#include <adacvar/risk/risk.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

enum class Algorithm : std::uint8_t {
  adacvar,  ///< adaptive sampler, mean of the losses drawn [CLJK20, Alg. 1]
  trunc,    ///< uniform draws, truncated loss with a learned level [RU00]
  soft,     ///< as trunc, smoothed
  mean,     ///< uniform draws, mean
  exact,    ///< no draws: solve_exact
};

inline constexpr Names kAlgorithmNames{"adacvar", "trunc", "soft", "mean", "exact"};

/// Learner that plays against the adaptive sampler.
enum class Learner : std::uint8_t {
  steps,  ///< gradient steps: `train`
  btl,    ///< be the leader, an oracle for the mean of the distributions so far: `be_the_leader`
};

/// Losses that the sampler observes when it plays against `btl`.
enum class Information : std::uint8_t {
  bandit,  ///< the losses of the examples drawn
  full,    ///< all losses, without random draws
};

/// Iterate that is returned as the result.
enum class Iterate : std::uint8_t {
  automatic,  ///< average; for a network best if there are validation rows, else last
  last,
  average,  ///< mean over the second half of the steps
  random,   ///< one step, drawn uniformly
  best,     ///< end of the epoch with the smallest risk on the validation rows, if possible among
            ///< those within 1 % of the limit; for a network, which memorises its tail, with the
            ///< smallest mean after a temperature
};

/// Schedule of the learning rate.
enum class RateSchedule : std::uint8_t {
  automatic,     ///< steps; cosine for a network
  steps,         ///< multiplied by `decay` after every `decay_every` epochs
  inverse_sqrt,  ///< divided by sqrt(t) in epoch t = 1, 2, ...
  constant,
  cosine,  ///< half a cosine wave over all steps, from the learning rate to 0
};

enum class StopReason : std::uint8_t {
  epochs,        ///< all epochs done
  patience,      ///< no better epoch on the validation rows for `patience` epochs
  diverged,      ///< a loss or parameter was no longer finite, or far worse than at the start
  interrupted,   ///< stopped by a hook
  gap,           ///< the requested certified gap is reached
  optimal,       ///< exact: the certified gap is within the tolerance
  not_attained,  ///< exact: the CVaR falls towards 0 while the weights grow
  stalled,       ///< exact: stopped by rounding or the step limit
};

inline constexpr Names kStopReasonNames{"epochs", "patience", "diverged",     "interrupted",
                                        "gap",    "optimal",  "not_attained", "stalled"};

/// The defaults need no tuning; docs/how_it_works.md explains how they were chosen.
struct TrainOptions {
  Algorithm algorithm = Algorithm::adacvar;
  double alpha = 0.1;
  double gamma = 0;
  double exploration = 0.01;
  std::optional<double> memory = std::nullopt;  // none: 1, for networks 0.5
  Learner learner = Learner::steps;
  Information information = Information::bandit;
  std::uint64_t oracle_calls = 10;
  std::uint64_t epochs = 0;
  std::uint64_t batch = 0;
  std::optional<double> learning_rate = std::nullopt;
  RateSchedule rate_schedule = RateSchedule::automatic;
  double decay = 0.3;
  std::uint64_t decay_every = 0;
  OptimizerOptions optimizer = {.momentum = 0.5};
  double ridge = 0.0;
  double radius = 0.0;
  double temperature = 0.1;
  double level_window = 100;
  Iterate iterate = Iterate::automatic;
  std::uint64_t patience = 0;
  std::uint64_t seed = 0;
  /// A limit on the training losses, in the units of the dataset's targets, for adacvar, trunc and
  /// soft: gamma, at least its value above, is adapted so that their mean or CVaR just meets it.
  /// Not a flag: a run derives it from the user's budget.
  std::optional<RiskLimit> limit = std::nullopt;
  bool limit_on_validation = false;  ///< the limit is one on the losses of the validation rows
  /// `alpha` and `gamma` are taken from above.
  AdaptiveSamplerOptions sampler = {.epsilon = 1.0};
  TreeOptions trees = {};  ///< instead of a linear model

  /// The risk that is minimised.
  [[nodiscard]] Risk risk() const noexcept { return {alpha, gamma}; }

  static const std::vector<OptionSpec>& options();
};

/// State at the end of an epoch, for progress and curves. Losses are in the learner's units.
struct EpochRecord {
  std::uint64_t epoch = 0;   ///< from 1
  double training_loss = 0;  ///< mean of the losses drawn in this epoch
  std::optional<TailRisk> validation = std::nullopt;
};

/// State passed to a hook after an epoch; valid during the call.
struct EpochView {
  const EpochRecord& record;
  const Scorer& model;        ///< current model
  const LinearModel* linear;  ///< current model; null for a network
  const LinearModel*
      recent;  ///< mean of the steps since the start of epoch 1, 2, 4, 8, ...; null for a network
  bool is_restart;                 ///< that mean starts with this epoch
  const AdaptiveSampler* sampler;  ///< sampler of adacvar; null for other algorithms
};

/// Hooks to monitor and stop a run.
struct TrainHooks {
  std::function<bool(const EpochRecord&)> progress = {};  ///< called after every epoch; false stops
  /// Called now and then within an epoch with the epochs done, such as 2.25.
  std::function<void(double epochs)> within_epoch = {};
  const std::atomic<bool>* stop = nullptr;  ///< checked now and then; true stops
  /// Called after every epoch; false stops with `recent` as the result.
  std::function<bool(const EpochView&)> watch = {};
  /// Checkpoint file, written after every epoch, from which an interrupted run resumes to the same
  /// result; empty: none. It is kept after training. If it can no longer be written, training
  /// continues without it (TrainingResult::checkpoint_error).
  std::filesystem::path checkpoint = {};
  std::string run_identity = {};  ///< must match for a checkpoint to resume
  std::function<void(double)> gradient =
      {};  ///< networks: called with the gradient norm of every step
};

template <class Model>
struct TrainingResult {
  Model model;
  StopReason stop_reason = StopReason::epochs;
  std::uint64_t epochs = 0;
  /// Weight of the mean in training; with a limit, its mean over the second half of the steps.
  double gamma = 0;
  std::vector<EpochRecord> history;
  std::string checkpoint_error = {};  ///< why a checkpoint could not be written; empty: no error
};

using TrainResult = TrainingResult<LinearModel>;

/// Trains a linear model by the loop of all algorithms: draw, compute losses, weight them, step,
/// observe.
///
/// Losses are in the units of the dataset's targets, which preprocessing standardises. The same
/// options, data and seed give the same result. The learning rate of SGD is lowered if the
/// curvature of the batches would make it unstable. On divergence the result is the finite model
/// with the smallest training loss of an epoch, with StopReason::diverged. After an early stop it
/// is the best model on the validation rows, if there are any.
///
/// Row weights: rows are drawn with probabilities proportional to their weight, or by the sampler
/// of adacvar, so that a row of weight w counts as w rows; with trunc, soft and mean draws are then
/// independent instead of in shuffled epochs. An epoch has as many draws as there are rows.
/// Validation risks are weighted.
///
/// Cost: O(epochs * entries of the data), plus one pass over the validation rows per epoch.
/// Throws: OptionError for an option out of range, a loss that does not fit the task, or iterate
/// best or patience without validation data; DataError for empty data, a weight that is not finite
/// and above 0, or a checkpoint that is damaged or of another run.
///
/// Limits: gamma follows the losses of the rows, which takes one more pass over them after each
/// epoch, two in the second half. The limit need not be met exactly, or at all: compare the
/// result's losses with it.
[[nodiscard]] TrainResult train(const Dataset& training, const Dataset* validation,
                                const Loss& loss, const TrainOptions& options,
                                const TrainHooks& hooks = {});

/// Returns the loss of every row, in the units of the dataset's targets.
[[nodiscard]] std::vector<double> losses_of(const Scorer& model, const Dataset& data,
                                            const Loss& loss);

}  // namespace adacvar
