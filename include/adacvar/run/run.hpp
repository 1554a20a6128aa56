#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/run/result.hpp>

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

  static const std::vector<OptionSpec>& options();
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

/// How a caller watches and stops a run, and what it lends to it. `progress` is called from one
/// thread at a time.
struct RunHooks {
  std::function<void(const RunProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< true: ends with the best models so far
  /// Called once the data is read, before training, with the notes about it.
  std::function<void(const std::vector<std::string>&)> data_ready = {};
  std::function<void(const TraceRecord&)> trace = {};  ///< `run` of adacvar: after every epoch
  Detail detail = Detail::none;                        ///< does not change the models
  const NetworkMaker* networks = nullptr;              ///< makes networks, where one is asked for
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

}  // namespace adacvar
