#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/optimizer.hpp>
#include <adacvar/risk/cvar.hpp>
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
  soft,     ///< the same, smoothed
  mean,     ///< uniform draws, mean
  exact,    ///< no draws: solve_exact
};

inline constexpr Names kAlgorithmNames{"adacvar", "trunc", "soft", "mean", "exact"};

/// Who plays against the adaptive sampler.
enum class Learner : std::uint8_t {
  steps,  ///< gradient steps: `train`
  btl,    ///< be the leader, an oracle for the mean of the distributions so far: `be_the_leader`
};

/// What the sampler sees when it plays against `btl`.
enum class Information : std::uint8_t {
  bandit,  ///< the losses of the examples drawn
  full,    ///< all losses: no draws, no chance
};

/// Which of the parameters met on the way are the result.
enum class Iterate : std::uint8_t {
  automatic,  ///< average; of a network, last
  last,
  average,  ///< mean over the second half of the steps
  random,   ///< one step, drawn evenly
  best,     ///< the end of the epoch with the least CVaR on the validation rows
};

/// How the learning rate changes with the epochs.
enum class RateSchedule : std::uint8_t {
  steps,         ///< times `decay` after every `decay_every` epochs
  inverse_sqrt,  ///< divided by sqrt(t) in epoch t = 1, 2, ...
  constant,
};

enum class StopReason : std::uint8_t {
  epochs,        ///< all epochs done
  patience,      ///< no better validation CVaR for `patience` epochs
  diverged,      ///< a loss or parameter was no longer finite, or far worse than at the start
  interrupted,   ///< a hook asked for it
  gap,           ///< the certified gap asked for is reached
  optimal,       ///< exact: the certified gap is within the tolerance
  not_attained,  ///< exact: the CVaR falls towards 0 while the weights grow
  stalled,       ///< exact: rounding or the limit on steps ended it
};

inline constexpr Names kStopReasonNames{"epochs", "patience", "diverged",     "interrupted",
                                        "gap",    "optimal",  "not_attained", "stalled"};

/// The defaults need no tuning: docs/how_it_works.md says how they were found.
struct TrainOptions {
  Algorithm algorithm = Algorithm::adacvar;
  double alpha = 0.1;
  Learner learner = Learner::steps;
  Information information = Information::bandit;
  std::uint64_t oracle_calls = 10;
  std::uint64_t epochs = 50;
  std::uint64_t batch = 0;
  std::optional<double> learning_rate = std::nullopt;
  RateSchedule rate_schedule = RateSchedule::steps;
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
  AdaptiveSamplerOptions sampler = {.epsilon = 1.0};

  static const std::vector<OptionSpec>& options();
};

/// State at the end of an epoch, for progress and curves. Losses are in the learner's units.
struct EpochRecord {
  std::uint64_t epoch = 0;   ///< from 1
  double training_loss = 0;  ///< mean of the losses drawn in this epoch
  std::optional<TailRisk> validation = std::nullopt;
};

/// What can be looked at after an epoch; valid during the call.
struct EpochView {
  const EpochRecord& record;
  const Scorer& model;        ///< now
  const LinearModel* linear;  ///< the same; null for a network
  const LinearModel* recent;  ///< mean of the steps since epoch 1, 2, 4, 8, ... began; likewise
  bool is_restart;            ///< that mean began with this epoch
  const AdaptiveSampler* sampler;  ///< of adacvar; null for the others
};

/// How a caller watches and stops a run.
struct TrainHooks {
  std::function<bool(const EpochRecord&)> progress = {};  ///< after every epoch; false stops
  /// Now and then within an epoch: epochs done, such as 2.25.
  std::function<void(double epochs)> within_epoch = {};
  const std::atomic<bool>* stop = nullptr;  ///< looked at now and then; true stops
  /// After every epoch; false: what was looked for is found, and `recent` is the result.
  std::function<bool(const EpochView&)> watch = {};
  /// File that keeps the state after every epoch, and from which a run that was killed goes on to
  /// the same result; empty: none. It is left behind in the end. When it cannot be written any
  /// more, training continues without (TrainingResult::checkpoint_error).
  std::filesystem::path checkpoint = {};
  std::string run_identity = {};              ///< a checkpoint of another identity is refused
  std::function<void(double)> gradient = {};  ///< networks: norm of every step's gradient
};

template <class Model>
struct TrainingResult {
  Model model;
  StopReason stop_reason = StopReason::epochs;
  std::uint64_t epochs = 0;
  std::vector<EpochRecord> history;
  std::string checkpoint_error =
      {};  ///< why checkpoints ended before training; empty: they did not
};

using TrainResult = TrainingResult<LinearModel>;

/// Trains a linear model by the one loop of all algorithms: draw, losses, weigh, step, observe.
///
/// Losses are in the units of the dataset's targets, which preprocessing standardises. The same
/// options, data and seed give the same result. Cost: O(epochs * entries of the data), plus one
/// pass over the validation rows an epoch. Throws: OptionError for an option that is not allowed, a
/// loss that does not fit the task, or iterate best or patience without validation data; DataError
/// for empty data. Divergence is no error: the result has the finite model with the least loss
/// drawn in an epoch, and says so. Nor is stopping early: the result is then the best on the
/// validation rows, where there are any.
/// Row weights: rows are drawn in proportion to their weight, or by adacvar as its sampler says, so
/// that a row of weight w counts as w rows; with trunc, soft and mean the draws are then
/// independent instead of in shuffled epochs. An epoch is as many draws as there are rows.
/// Validation risks are weighted. DataError for a weight that is not finite and above 0.
/// The learning rate of SGD is lowered where the curvature of
/// the batches would make it unstable. DataError for a checkpoint that is damaged or of another
/// run.
[[nodiscard]] TrainResult train(const Dataset& training, const Dataset* validation,
                                const Loss& loss, const TrainOptions& options,
                                const TrainHooks& hooks = {});

/// Loss of every row, in the units of the dataset's targets.
[[nodiscard]] std::vector<double> losses_of(const Scorer& model, const Dataset& data,
                                            const Loss& loss);

}  // namespace adacvar
