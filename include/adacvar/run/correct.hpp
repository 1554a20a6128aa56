#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/run/result.hpp>
#include <adacvar/solver/certificate.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// How a correction is chosen.
enum class CorrectionChoice : std::uint8_t {
  cv,  ///< only if it lowers the cross-validated CVaR within the mean budget
  always,
};

struct CorrectOptions {
  double alpha = 0.1;
  double gamma = 0.1;
  double mean_budget = 0.02;
  std::optional<double> rho = std::nullopt;
  CorrectionChoice choose = CorrectionChoice::cv;
  std::uint64_t folds = 5;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  LossOptions loss = {};
  PredictionOptions prediction = {};
  std::span<const double> weights = {};     ///< of matrices: one per row, >= 0; empty: all 1
  const std::atomic<bool>* stop = nullptr;  ///< when it becomes true, the solver ends early

  static const std::vector<OptionSpec>& options();
};

/// Risks of the predictions and of their correction on held-out rows of a cross-validation within
/// the training rows, in the user's units.
struct CorrectionTrial {
  std::uint64_t folds = 0;
  TailRisk given;
  TailRisk corrected;
  /// Mean loss of the correction less the most that the budget allows, and its standard error.
  double mean_excess = 0;
  double mean_error = 0;

  [[nodiscard]] bool lowers_cvar() const { return corrected.cvar < given.cvar; }
  /// Up to a standard error: where the budget binds, half of all means exceed it by chance.
  [[nodiscard]] bool keeps_budget() const { return mean_excess <= mean_error; }
};

/// Risks on one set of rows before and after.
struct CorrectedPart {
  std::string name;  ///< training, validation or test
  PartRisk given;
  PartRisk corrected;
  /// CVaR after less CVaR before, by a paired bootstrap over the rows; not for training rows.
  std::optional<CvarDifference> difference = {};
};

/// Result of `correct`.
struct Correction {
  Model model;                ///< maps predictions and features to corrected predictions
  bool is_corrected = false;  ///< false: the model returns the predictions unchanged
  CorrectOptions options;
  double rho = 0;                             ///< as used
  std::size_t columns = 0;                    ///< of the correction, with the constant
  std::optional<CorrectionTrial> trial = {};  ///< none with CorrectionChoice::always
  std::vector<CorrectedPart> parts;           ///< training, then validation and test rows, if any
  /// Losses of the test rows, else the validation or training rows: the last of `parts`.
  std::vector<double> given_losses;
  std::vector<double> corrected_losses;
  std::vector<double> weights;  ///< of these rows; empty: every row counts 1
  /// Bounds of (1 - gamma) CVaR + gamma mean plus the ridge penalty among corrections of the
  /// training rows within the mean budget; none if nothing is corrected.
  std::optional<Certificate> certificate = {};
  std::vector<std::string> notes;
  std::vector<std::string> headlines;  ///< notes needed to interpret the results
};

/// Corrects the tail of another model's predictions f by a linear model added to f (for two
/// classes: to the log-odds of f) that the exact solver fits:
///   min over theta of  (1 - gamma) CVaR + gamma mean + rho CVaR(f) |theta|^2 / s^2
///   with a training mean of at most (1 + mean_budget) times that of f.
/// Its columns are 1, f, f^2 and, if there are at most 40, the features, standardised and clipped
/// at 5 standard deviations; s^2 is the mean squared error of f, for classes 1, and by default rho
/// = 0.3 columns / (alpha n). The constant is not penalised. Predictions must be held out (out of
/// fold): f fitted to these rows has no tail left to correct.
///
/// By default the correction is chosen only if cross-validation within the rows finds its CVaR
/// lower than that of f, and its mean within the budget; else the model returns f.
///
/// `features` are dense; `predictions` are numbers or, if the targets have two values,
/// probabilities of the larger one (prediction.prediction_scale = value: numbers all the same). The
/// model takes matrices with the columns of `features` followed by the predictions. Cost: a copy of
/// the features; folds + 1 exact solutions. Throws: DataError for sizes that do not fit, values
/// that are not finite, constant predictions, fewer rows than folds; OptionError for an option that
/// is not allowed, more than two classes or a loss without probabilities.
[[nodiscard]] Correction correct(const MatrixView& features, std::span<const double> predictions,
                                 std::span<const double> targets,
                                 const CorrectOptions& options = {});

/// The same for a file or set with the column `options.prediction.prediction`: fitted on its
/// training rows, 80 % unless `data` says otherwise, and scored on the others. `data_ready` is
/// called with the notes about the data once it is read. Throws: like `run` too.
[[nodiscard]] Correction correct(
    DataOptions data, const CorrectOptions& options,
    const std::function<void(const std::vector<std::string>&)>& data_ready = {});

}  // namespace adacvar
