#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/learner/trees.hpp>
#include <adacvar/run/model.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

enum class FitAlgorithm : std::uint8_t {
  automatic,  ///< exact if that takes only seconds, else adacvar
  exact,
  adacvar,
  trunc,
  soft,
  mean,
};

struct FitOptions {
  double alpha = 0.1;
  double gamma = 0;  ///< weight of the mean: (1 - gamma) CVaR + gamma mean is minimised
  /// The mean loss may exceed the least by this share, such as 0.05; least CVaR within it.
  std::optional<double> mean_budget = std::nullopt;
  /// Largest training CVaR, in the user's units; least mean loss within it.
  std::optional<double> cvar_limit = std::nullopt;
  FitAlgorithm algorithm = FitAlgorithm::automatic;
  LossOptions loss = {};
  double ridge = 0;
  std::uint64_t seed = 0;
  /// automatic: classification if the target has two values, else regression; `classes`:
  /// classification with any number of values.
  enum class Target : std::uint8_t { automatic, number, classes } target = Target::automatic;
  bool standardise = true;                  ///< scale features to mean 0, standard deviation 1
  /// Boosted trees, grown by this maker with the options steps.trees, instead of a linear model.
  /// Algorithms: adacvar (automatic is that) or mean. A NaN is then a missing value.
  const TreeMaker* trees = nullptr;
  /// Share of the rows, drawn at random, that choose instead of being trained on: rounds and
  /// mixture of trees, temperature of classifiers. Trees need it.
  double validation = 0;
  std::span<const double> weights = {};     ///< one per row, >= 0; empty: all 1
  std::span<const std::string> names = {};  ///< column names; empty: x1, x2, ...
  /// Options of training by gradient steps; alpha, gamma, algorithm, ridge and seed are taken from
  /// above.
  TrainOptions steps = {};
  unsigned threads = 0;                     ///< 0: one per hardware thread
  const std::atomic<bool>* stop = nullptr;  ///< when it becomes true, training ends
};

/// A fitted model and how it came about.
struct FitReport {
  Model model;
  TailRisk risk;                        ///< of the training rows, in the user's units
  std::optional<TailRisk> valid = {};   ///< of the validation rows, if there are any
  /// Trees: share of those trained for the tail; none if there were too few rows to choose it.
  std::optional<double> tail_share = {};
  /// Epochs of gradient steps, rounds of trees; of the exact solver steps, under a limit solutions.
  std::uint64_t iterations = 0;
  std::vector<std::string> notes;      ///< remarks for the user, one sentence each
  std::vector<std::string> headlines;  ///< notes needed to interpret the model
};

/// Fits a linear model, or trees, that minimise the CVaR of their losses on these rows. The matrix
/// is borrowed during the call.
///
/// `targets` are numbers, or class numbers; the overload takes class names. Targets and, by
/// default, features are standardised internally; the model keeps the scales, so its predictions
/// and risks are in the user's units. Cost: a copy of the features in single precision, plus that
/// of solve_exact or train. Throws: DataError for sizes that do not fit, a NaN or infinity (with
/// its row and column), a constant target, a single class; OptionError for an option that is not
/// allowed, or a limit on the CVaR that no linear model meets.
[[nodiscard]] Model fit(const MatrixView& features, std::span<const double> targets,
                        const FitOptions& options = {});
[[nodiscard]] Model fit(const MatrixView& features, std::span<const std::string> classes,
                        const FitOptions& options = {});

/// The same, with notes.
[[nodiscard]] FitReport fit_report(const MatrixView& features, std::span<const double> targets,
                                   const FitOptions& options = {});
[[nodiscard]] FitReport fit_report(const MatrixView& features, std::span<const std::string> classes,
                                   const FitOptions& options = {});

}  // namespace adacvar
