#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/run/correct.hpp>
#include <adacvar/run/model.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// Mean loss of a correction less the most that a budget allows, and its standard error.
struct MeanExcess {
  double mean = 0;
  double error = 0;
};

/// `given` and `corrected` are losses of the same rows; the budget allows (1 + mean_budget) times
/// the mean of `given`. No weights: every row counts 1.
[[nodiscard]] MeanExcess mean_excess(std::span<const double> given,
                                     std::span<const double> corrected,
                                     std::span<const double> weights, double mean_budget);

/// The correction fitted within one budget.
struct BudgetCorrection {
  double mean_budget = 0;
  Model model;
  std::vector<double> held_out;  ///< losses of the rows, each by a correction fitted to other folds
};

struct Corrections {
  std::vector<double> given;  ///< losses of the predictions
  std::vector<BudgetCorrection> corrected;
};

/// Fits what `correct` fits, within each of several budgets; `options.mean_budget` and `choose` are
/// not used. Cost: less than a call of `correct` for each budget, since solutions are shared.
/// Losses are in the units of `targets`. Throws: like `correct`.
[[nodiscard]] Corrections corrections_within(const MatrixView& features,
                                             std::span<const double> predictions,
                                             std::span<const double> targets,
                                             const CorrectOptions& options,
                                             std::span<const double> budgets);

}  // namespace adacvar
