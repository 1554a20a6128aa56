#pragma once

#include <adacvar/learner/train.hpp>
#include <adacvar/risk/calibration.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/distribution_summary.hpp>
#include <adacvar/risk/risk.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/solver/certificate.hpp>
#include <adacvar/solver/game.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// Risk of a model on the training, validation or test rows, in the user's units.
struct PartRisk {
  std::size_t rows = 0;
  double weight = 0;  ///< sum of the row weights; without them the number of rows
  TailRisk risk = {};
  std::optional<double> accuracy = {};             ///< classes only
  std::optional<double> min_class_precision = {};  ///< classes only
  /// Area under the ROC curve, for more than two classes the mean of one versus rest (macro_auc);
  /// none for regression and for rows of a single class. Set for the final model.
  std::optional<double> auc = {};
  /// Classes only: classes^2 numbers of rows, or weights, by actual and then predicted class.
  std::vector<double> confusion = {};
  /// Mean distance of the predicted class's probability from the accuracy, over 10 bins; classes
  /// only, and not for the hinge loss, which has no probabilities.
  std::optional<double> calibration_error = {};
  /// In a comparison: the difference to the least CVaR of the trained algorithms, by a paired
  /// bootstrap over the rows. `best`: trained, and not significantly above the least.
  std::optional<CvarDifference> above_least = {};
  bool best = false;
};

/// A row with one of the largest losses.
struct WorstRow {
  std::size_t row = 0;  ///< one-based row number in the data, without the header
  double loss = 0;
  std::string target;
  std::string prediction;
  std::vector<std::string> values = {};  ///< values of PartDetail::columns
};

/// Precision and recall of one class.
struct ClassScore {
  std::string name;
  std::uint64_t rows = 0;
  double precision = 0;
  double recall = 0;
};

/// Details of a model on one set of rows, for histograms and reports.
struct PartDetail {
  std::string part;                  ///< test, validation, training, or all
  std::vector<double> losses;        ///< in the user's units
  std::vector<double> weights;       ///< of the rows; empty: every row counts 1
  std::vector<std::string> columns;  ///< columns with the largest weights, shown for the worst rows
  std::vector<WorstRow> worst;
  std::vector<double> targets = {};         ///< regression: of the rows, in the user's units
  std::vector<double> predictions = {};     ///< regression: likewise
  std::vector<ClassScore> classes;          ///< classes only
  std::vector<CalibrationBin> calibration;  ///< if the model predicts probabilities
};

/// Details of the model after an epoch.
struct EpochDetail {
  std::uint64_t epoch = 0;
  double training_cvar = 0;             ///< including the ridge penalty, in the user's units
  std::optional<double> accuracy = {};  ///< on the validation rows; classes only
  std::optional<DistributionSummary> distribution =
      {};  ///< adacvar: summary of the sampler's distribution
};

/// The limit that a model was trained under, in the user's units.
struct BudgetOutcome {
  RiskLimit limit = {};
  std::optional<double> mean_budget = {};  ///< the share asked for; empty: a limit on the CVaR
  bool on_validation = false;              ///< judged on the validation rows
  double least = 0;                        ///< mean budget: mean loss of plain training
  bool least_interrupted = false;          ///< plain training was stopped: its mean can be less
  double attained = 0;                     ///< by the model, on the same rows
};

/// A factor on a classifier's scores, fitted to the validation rows.
struct Calibration {
  double temperature = 1;  ///< scores are divided by it
  TailRisk before = {};    ///< risk of the validation rows without it, in the user's units
};

/// A network, or trees, that join plain training and training for the tail, chosen on the
/// validation rows.
struct Blend {
  double share = 0;       ///< of the model trained for the tail; 0: plain training is kept
  bool is_mix = false;    ///< scores of two models are mixed; else weights are interpolated
  double alpha = 0;       ///< tail share that chose, larger than that of training for few rows
  TailRisk plain = {};    ///< validation risk of plain training, at that alpha, in user's units
  TailRisk blended = {};  ///< validation risk of the blend, likewise
};

/// Result of training with one algorithm.
struct RunResult {
  Model model;
  std::optional<PartRisk> train = {};
  std::optional<PartRisk> valid = {};
  std::optional<PartRisk> test = {};
  std::vector<EpochRecord> history = {};  ///< in the user's units
  std::string checkpoint_error = {};      ///< TrainingResult::checkpoint_error
  std::uint64_t epochs = 0;
  std::uint64_t solver_steps = 0;     ///< exact: of the solver; within a limit: solutions
  std::uint64_t trials = 1;           ///< number of runs that the model was selected from
  bool selected_by_accuracy = false;  ///< on the validation rows; else by CVaR
  double seconds = 0;                 ///< total time of all trials
  /// Bounds on the least training CVaR (plus ridge penalty), in the user's units.
  std::optional<Certificate> certificate = {};
  std::optional<BudgetOutcome> budget = {};
  std::optional<Calibration> calibration = {};
  std::optional<Blend> blend = {};
  std::string no_certificate = {};  ///< why a requested certificate is missing
  double norm = 0;                  ///< norm of the parameters
  /// Trees, on request (RunHooks::dependence): on the columns of largest importance.
  std::vector<PartialDependence> dependence = {};
  /// Filled on request (RunHooks::detail).
  std::optional<PartDetail> detail = {};
  std::vector<EpochDetail> epoch_details = {};

  /// Whether the run ended with a usable model: it did not diverge and finished an epoch.
  [[nodiscard]] bool is_trained() const;
  /// Its name in tables: the algorithm and its limit, as `adacvar +5%`.
  [[nodiscard]] std::string label() const;
  /// Whether it can be marked best: it is trained, and neither the exact optimum nor a stack.
  [[nodiscard]] bool is_candidate() const;
};

/// State of the game after an epoch, in the user's units; one line of a trace.
struct TraceRecord {
  EpochRecord epoch;
  GameRecord game;
};

/// The results of one or more algorithms on the same data.
struct RunReport {
  std::vector<RunResult> results;
  std::vector<std::string> notes;  ///< remarks for the user, one sentence each
  /// Notes needed to interpret the results; shown before them, even if notes are hidden.
  std::vector<std::string> headlines = {};

  /// Headlines, then notes.
  [[nodiscard]] std::vector<std::string> all_notes() const {
    std::vector<std::string> all = headlines;
    all.insert(all.end(), notes.begin(), notes.end());
    return all;
  }
};

}  // namespace adacvar
