#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/learner/trees.hpp>
#include <adacvar/run/result.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Criterion of tuning, on the validation rows.
enum class Selection : std::uint8_t {
  cvar,
  accuracy,  ///< classes only; ties go to the smaller CVaR
};

struct TuneOptions {
  bool tune = false;
  Selection select = Selection::cvar;
  std::uint64_t threads = 0;

  static const std::vector<OptionSpec>& options();
};

/// Rows on which a mean budget is judged.
enum class BudgetRows : std::uint8_t { train, validation };

/// A limit on the mean, under which the CVaR is minimised, or on the CVaR, under which the mean is.
struct BudgetOptions {
  std::optional<double> mean_budget = std::nullopt;
  std::optional<double> cvar_limit = std::nullopt;
  BudgetRows budget_on = BudgetRows::train;

  [[nodiscard]] bool is_given() const noexcept { return mean_budget || cvar_limit; }

  static const std::vector<OptionSpec>& options();
};

enum class CalibrateChoice : std::uint8_t {
  automatic,  ///< classes with probabilities, and enough validation rows
  yes,
  no,
};

struct CalibrateOptions {
  CalibrateChoice calibrate = CalibrateChoice::automatic;

  static const std::vector<OptionSpec>& options();
};

/// How networks join plain training with training for the tail. Share and temperature are chosen on
/// the validation rows: least CVaR within the mean budget, 2 % by default.
struct BlendOptions {
  /// Epochs of training for the tail after plain training, as a share of its epochs; the weights
  /// are interpolated. 0: trained for the tail from the start. Automatic: 0.2 if there are enough
  /// validation rows.
  std::optional<double> fine_tune = std::nullopt;
  bool mix = false;  ///< trains a second network for the tail and mixes the scores

  static const std::vector<OptionSpec>& options();
};

enum class CertifyChoice : std::uint8_t {
  automatic,  ///< if it takes seconds: max(rows, 10 parameters) * parameters^2 <= 1e9
  yes,
  no,
};

/// Options of certificates and the exact solver.
struct SolveOptions {
  CertifyChoice certify = CertifyChoice::automatic;
  double tolerance = 1e-6;
  double certificate_radius = 0;
  std::vector<double> alphas = {};
  double until_gap = 0;

  static const std::vector<OptionSpec>& options();
};

struct RepeatOptions {
  std::uint64_t repeats = 1;

  static const std::vector<OptionSpec>& options();
};

struct CheckpointOptions {
  std::string checkpoint = {};

  static const std::vector<OptionSpec>& options();
};

/// Checkpoints of several runs: those of a comparison, a tuning or a curve.
struct CheckpointFolderOptions {
  std::string checkpoint = {};

  static const std::vector<OptionSpec>& options();
};

/// Options of a run: data, loss, training, tuning, limits, certificates.
struct RunOptions {
  DataOptions data = {};
  LossOptions loss = {};
  TrainOptions train = {};
  TuneOptions tune = {};
  SolveOptions solve = {};
  BudgetOptions budget = {};
  CalibrateOptions calibrate = {};
  BlendOptions blend = {};  ///< networks
  NetworkOptions network = {};
  CheckpointOptions checkpoint = {};  ///< for `run` without tuning
  CheckpointFolderOptions checkpoint_folder = {};
  RepeatOptions repeat = {};          ///< for `compare_repeated`
};

/// Progress of a run.
struct RunProgress {
  std::size_t runs_done = 0;
  std::size_t runs = 1;
  const EpochRecord* epoch = nullptr;  ///< after an epoch of a single run; user's units
  std::uint64_t epochs = 0;            ///< of a single run, in all
  /// Within an epoch of a single run: epochs done, such as 2.25.
  std::optional<double> epochs_done = {};
  std::optional<double> valid_cvar = {};      ///< of the run that just ended
  std::optional<double> valid_accuracy = {};  ///< likewise, if tuning selects by accuracy
  std::size_t repeats_done = 0;               ///< number of finished seeds
  std::size_t repeats = 1;
};

/// Amount of detail in results beyond their risks.
enum class Detail : std::uint8_t {
  none,
  losses,  ///< losses of the test rows; without any, of the validation or training rows
  all,     ///< also worst rows, classes and every epoch; costs a pass over the data each
};

/// Callbacks and resources of a run. `progress` is called from one thread at a time.
struct RunHooks {
  std::function<void(const RunProgress&)> progress = {};
  const std::atomic<bool>* stop =
      nullptr;  ///< when it becomes true, the run ends with the best models so far
  /// Called with the notes about the data, after it is read and before training.
  std::function<void(const std::vector<std::string>&)> data_ready = {};
  std::function<void(const TraceRecord&)> trace = {};  ///< `run` with adacvar: after every epoch
  Detail detail = Detail::none;                        ///< does not change the models
  bool dependence = false;                             ///< trees: RunResult::dependence
  const NetworkMaker* networks = nullptr;              ///< needed for networks
  const TreeMaker* trees = nullptr;                    ///< needed for trees
};

/// Reads and splits the data, trains one algorithm and evaluates the model.
/// Throws: OptionError for options that are not allowed, or tuning without validation rows;
/// DataError for data that cannot be used.
[[nodiscard]] RunReport run(const RunOptions& options, const RunHooks& hooks = {});

/// Runs all algorithms on the same splits, with the same budget and selection rule, in parallel;
/// the exact optimum is last, if certificates are computed.
[[nodiscard]] RunReport compare(const RunOptions& options, const RunHooks& hooks = {});

/// Repeats `compare` `options.repeat` times with the seeds seed, seed + 1, ... and returns a report
/// for each; the data is read once. Only the first report has details. If stopped, returns the
/// finished reports, at least the first.
[[nodiscard]] std::vector<RunReport> compare_repeated(const RunOptions& options,
                                                      const RunHooks& hooks = {});

}  // namespace adacvar
