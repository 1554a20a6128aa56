#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/trees.hpp>
#include <adacvar/run/correct.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/run/result.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

struct BestOptions {
  double alpha = 0.1;
  double mean_budget = 0.02;
  std::uint64_t folds = 4;
  std::string time = {};
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  std::string checkpoint = {};
  double guarantee = 0;
  double loss_max = 0;
  LossOptions loss = {};
  bool has_training_split = false;  ///< not a flag: unless given, the split is that of `train`

  static const std::vector<OptionSpec>& options();
};

/// A model that was trained in every fold.
struct BestBase {
  std::string name;
  double weight = 0;       ///< in the stack
  PartRisk held_out = {};  ///< of the rows of each fold, by the model that did not see them
  std::optional<PartRisk> test = {};  ///< of the average over folds
  double seconds = 0;
};

/// The correction within one mean budget; its risk on held-out rows is cross-validated.
struct BestPoint {
  double mean_budget = 0;
  bool is_corrected = false;
  std::optional<double> fitted_budget = {};  ///< of the correction: at most the budget
  TailRisk held_out = {};
  std::optional<TailRisk> test = {};
};

/// Result of `best`, in the user's units.
struct BestReport {
  Model model;
  BestOptions options;
  std::vector<BestBase> bases;
  BestBase stack;                      ///< the weighted sum of the bases
  PartRisk train = {};                 ///< of the result, which has seen these rows
  PartRisk held_out = {};              ///< of the result: cross-validated
  std::optional<PartRisk> valid = {};  ///< of the result; the rows were not used
  std::optional<PartRisk> test = {};   ///< of the result
  bool is_corrected = false;           ///< else the result is the stack
  double temperature = 1;              ///< several classes: scores are divided by it
  std::vector<BestPoint> frontier;     ///< two classes and numbers: by increasing budget
  std::optional<double> bound = {};    ///< with options.guarantee: on the CVaR of future rows
  std::optional<CvarDifference> difference = {};  ///< test CVaR of the result less the stack's
  PartDetail detail = {};  ///< of the test rows, else of the validation or training rows
  std::vector<double> stack_losses = {};  ///< of test rows by the stack, if the result is corrected
  std::size_t training_rows = 0;
  double seconds = 0;
  bool is_interrupted = false;  ///< kinds of models are missing
  std::vector<std::string> notes;
  std::vector<std::string> headlines;  ///< notes needed to interpret the results
};

/// A model of one fold that is trained now.
struct BestProgress {
  std::string base;
  std::size_t fold = 0;    ///< from 0
  std::size_t done = 0;    ///< models trained
  std::size_t models = 0;  ///< in all
};

struct BestHooks {
  std::function<void(const BestProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< when true, ends with the bases that are complete
  std::function<void(const std::vector<std::string>&)> data_ready = {};
  const NetworkMaker* networks = nullptr;  ///< null: without networks
  const TreeMaker* trees = nullptr;        ///< null: without trees
  bool detail = false;                     ///< BestReport::detail in full, for reports
};

/// Finds out what a set needs, and then works on its tail.
///
/// In each of `folds` folds linear models, networks and trees are trained on the other rows, once
/// for the mean and once for the tail, and stopped early by the rows of the fold. Their scores of
/// held-out rows are stacked: f = sum of weights * scores, weights >= 0 (with sum 1, for classes at
/// most 2) of least mean loss. `correct` then fits a correction in (1, f, f^2, spread of the bases,
/// bases - f) by the exact solver: least CVaR within the mean budget, kept only if its
/// cross-validated CVaR is lower and its mean within the budget with a standard error to spare; so
/// corrections within less than the budget are tried too. With several classes a temperature takes
/// its place. The models of all folds are averaged for prediction. The same result on any number of
/// threads, unless a limit on the time leaves something out.
///
/// Returns none if it is stopped before the first base is complete. Throws: like `run`; DataError
/// for fewer rows than folds, or a class with fewer; a checkpoint of another run.
[[nodiscard]] std::optional<BestReport> best(DataOptions data, const BestOptions& options,
                                             const BestHooks& hooks = {});

/// What `best` knows of a matrix beside its values; as in FitOptions.
struct BestMatrix {
  FitOptions::Target target = FitOptions::Target::automatic;
  std::span<const double> weights = {};
  std::span<const std::string> names = {};
};

/// The same for a matrix in memory, which is borrowed during the call: all rows are training rows,
/// a NaN is a missing value. Throws: like `fit`; OptionError for a checkpoint or a guarantee, which
/// needs test rows.
[[nodiscard]] std::optional<BestReport> best(const MatrixView& features,
                                             std::span<const double> targets,
                                             const BestMatrix& matrix, const BestOptions& options,
                                             const BestHooks& hooks = {});
[[nodiscard]] std::optional<BestReport> best(const MatrixView& features,
                                             std::span<const std::string> classes,
                                             const BestMatrix& matrix, const BestOptions& options,
                                             const BestHooks& hooks = {});

/// Returns the result as one of a comparison.
[[nodiscard]] RunResult to_run_result(const BestReport& report);

}  // namespace adacvar
