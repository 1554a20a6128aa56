#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/run/model.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

enum class FitAlgorithm : std::uint8_t {
  automatic,  ///< exact where that takes seconds, else adacvar
  exact,
  adacvar,
  trunc,
  soft,
  mean,
};

struct FitOptions {
  double alpha = 0.1;
  FitAlgorithm algorithm = FitAlgorithm::automatic;
  LossOptions loss = {};
  double ridge = 0;
  std::uint64_t seed = 0;
  /// Regression, unless the target has two values; `classes` makes them of any number of values.
  enum class Target : std::uint8_t { automatic, number, classes } target = Target::automatic;
  bool standardise = true;                  ///< features to mean 0, standard deviation 1
  std::span<const double> weights = {};     ///< one per row, >= 0; empty: every row counts 1
  std::span<const std::string> names = {};  ///< of the columns; empty: x1, x2, ...
  /// Settings of the gradient steps; alpha, algorithm, ridge and seed are those above.
  TrainOptions steps = {};
  unsigned threads = 0;                     ///< 0: as many as the machine has
  const std::atomic<bool>* stop = nullptr;  ///< true: ends with the best model so far
};

/// The linear model of least CVaR on these rows. The matrix is borrowed during the call.
///
/// `targets`: numbers, or the numbers of classes; the overload takes classes by name. Standardised
/// by their mean and standard deviation inside, with the features, unless told otherwise: the model
/// keeps both and speaks in the user's units.
/// Cost: a copy of the features in single precision, and that of solve_exact or train.
/// Throws: DataError for sizes that do not fit, a NaN or infinity (with its row and column), a
/// constant target, a single class; OptionError for an option that is not allowed.
[[nodiscard]] Model fit(const MatrixView& features, std::span<const double> targets,
                        const FitOptions& options = {});
[[nodiscard]] Model fit(const MatrixView& features, std::span<const std::string> classes,
                        const FitOptions& options = {});

}  // namespace adacvar
