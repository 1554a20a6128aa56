#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/prepare_data.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/model_file.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/learner/train_conditions.hpp>
#include <adacvar/report/report.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// What tuning selects by, on the validation rows.
enum class Selection : std::uint8_t {
  cvar,
  accuracy,  ///< classes only; ties go to the smaller CVaR
};

struct TuneOptions {
  bool tune = false;
  Selection select = Selection::cvar;
  std::uint64_t threads = 0;

  static void describe(auto&& option) {
    using O = TuneOptions;
    option("tune", &O::tune, "tries a small grid around the options and keeps the best",
           without("algorithm", {"exact"}));
    option("select", &O::select, Names{"cvar", "accuracy"},
           "what tuning judges by, on the validation rows", with("tune"));
    option("threads", &O::threads, Bounds{.low = 0, .high = 4096},
           "runs at a time; 0: one per core; does not change the result", without("network"));
  }
};

enum class CertifyChoice : std::uint8_t {
  automatic,  ///< where it takes seconds at most: max(rows, 10 parameters) * parameters^2 <= 1e9
  yes,
  no,
};

/// How results are compared to the best possible.
struct SolveOptions {
  CertifyChoice certify = CertifyChoice::automatic;
  double tolerance = 1e-6;
  double certificate_radius = 0;
  std::vector<double> alphas = {};
  double until_gap = 0;

  static void describe(auto&& option) {
    using O = SolveOptions;
    option("certify", &O::certify, Names{"auto", "yes", "no"},
           "proves how far the training CVaR is from the least possible; auto: where that is quick",
           without("algorithm", {"exact"}) && without("network"));
    option("tolerance", &O::tolerance, Bounds{.low = 1e-12, .high = 1},
           "relative gap that the exact optimum is proved to",
           with("algorithm", {"exact"}) || (without("certify", {"no"}) && without("network")));
    option("certificate-radius", &O::certificate_radius, Bounds{.low = 0},
           "largest norm of the models that certificates speak of; 0: 100 times the optimum's",
           with("algorithm", {"exact"}) || (without("certify", {"no"}) && without("network")));
    option("alphas", &O::alphas, Bounds{.low = 0, .high = 1, .low_ok = false},
           "a model for each of these tail shares", with("algorithm", {"exact"}));
    option("until-gap", &O::until_gap, Bounds{.low = 0},
           "ends when this relative gap is proved; 0: does not look", follows_game());
  }
};

struct RepeatOptions {
  std::uint64_t repeats = 1;

  static void describe(auto&& option) {
    option("repeats", &RepeatOptions::repeats, Bounds{.low = 1, .high = 1000},
           "runs with the seeds seed, seed + 1, ...: other splits and draws; shows mean and "
           "standard deviation");
  }
};

struct CheckpointOptions {
  std::string checkpoint = {};

  static void describe(auto&& option) {
    option(
        "checkpoint", &CheckpointOptions::checkpoint,
        "file that keeps the state after every epoch: the same command, given again after the run "
        "was killed, resumes from it to the same result",
        without("algorithm", {"exact"}) && without("learner", {"btl"}) && without("tune"));
  }
};

/// A whole run: data, loss, training, tuning, proofs.
struct RunOptions {
  DataOptions data = {};
  LossOptions loss = {};
  TrainOptions train = {};
  TuneOptions tune = {};
  SolveOptions solve = {};
  NetworkOptions network = {};
  CheckpointOptions checkpoint = {};  ///< of `run` without tuning
  RepeatOptions repeat = {};          ///< of `compare_repeated`
};

/// Where a run is.
struct RunProgress {
  std::size_t runs_done = 0;
  std::size_t runs = 1;
  const EpochRecord* epoch = nullptr;  ///< after an epoch, when there is one run; user's units
  /// Within an epoch, now and then, when there is one run: epochs done, such as 2.25.
  std::optional<double> epochs_done = {};
  std::optional<double> valid_cvar = {};      ///< of the run that has just ended
  std::optional<double> valid_accuracy = {};  ///< likewise, where tuning selects by it
  std::size_t repeats_done = 0;               ///< seeds before this one
  std::size_t repeats = 1;
};

/// How closely results are looked at beyond their risks.
enum class Detail : std::uint8_t {
  none,
  losses,  ///< the losses of the test rows; without them of the validation, then training rows
  all,     ///< also worst rows, classes and every epoch, at the cost of a pass over the data each
};

/// How a caller watches and stops a run. `progress` is called from one thread at a time.
struct RunHooks {
  std::function<void(const RunProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< true: ends with the best models so far
  /// Called once the data is read, before training, with the notes about it.
  std::function<void(const std::vector<std::string>&)> data_ready = {};
  std::function<void(const TraceRecord&)> trace = {};  ///< `run` of adacvar: after every epoch
  Detail detail = Detail::none;                        ///< does not change the models
};

/// Reads, splits, trains and judges: the whole program for one algorithm.
/// Throws: OptionError, DataError as its parts do; OptionError when tuning has no validation rows.
[[nodiscard]] RunReport run(const RunOptions& options, const RunHooks& hooks = {});

/// The same for all algorithms, on the same splits, with the same budget and rule of selection; the
/// exact optimum last, where certificates are wanted. Runs are spread over the cores.
[[nodiscard]] RunReport compare(const RunOptions& options, const RunHooks& hooks = {});

/// `compare` with the seeds seed, seed + 1, ..., as many as `options.repeat` says, a report for
/// each; the data is read once. Later reports than the first are without detail. When stopped,
/// those that ended before, or the first.
[[nodiscard]] std::vector<RunReport> compare_repeated(const RunOptions& options,
                                                      const RunHooks& hooks = {});

/// How a model does on `data`, in the user's units. `data` has at least one row.
[[nodiscard]] PartRisk judge(const Scorer& model, const Loss& loss, double alpha,
                             const Dataset& data);

/// The same where the losses, in the user's units, are there already.
[[nodiscard]] PartRisk judge(const Scorer& model, const Loss& loss, double alpha,
                             const Dataset& data, std::span<const double> losses);

/// Losses in the user's units.
[[nodiscard]] std::vector<double> losses_in_units(const Scorer& model, const Loss& loss,
                                                  const Dataset& data);

}  // namespace adacvar
