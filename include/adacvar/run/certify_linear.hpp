#pragma once

#include <adacvar/data/matrix_view.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/solver/certificate.hpp>

#include <span>
#include <string>

namespace adacvar {

/// A linear model in the user's units, of any origin: score_o(x) = weights[o]'x + intercepts[o].
struct LinearScores {
  std::span<const double> weights;     ///< outputs * columns, output by output
  std::span<const double> intercepts;  ///< one per output
};

/// How good a linear model is on these rows, in the user's units.
struct LinearCertificate {
  TailRisk risk;  ///< of its losses
  /// Bounds of the least (1 - gamma) CVaR + gamma mean; `upper` is that of this model, plus the
  /// ridge penalty on standardised features, if there is a ridge.
  Certificate certificate;
};

/// Certifies a linear model that was fitted elsewhere: how far its risk on these rows is from the
/// least possible of linear models.
///
/// Regression has one output, in units of the target; two classes have one, the score of the second
/// class (for logistic its log-odds), more of them one per class in sorted order. Uses alpha,
/// gamma, loss, ridge, weights, target and threads of `options`. Cost: that of solve_exact.
/// Throws: as `fit`; DataError when the numbers of weights and intercepts do not fit the matrix,
/// or one is not finite; OptionError for sparse rows or categories, and for a budget.
[[nodiscard]] LinearCertificate certify_linear(const MatrixView& features,
                                               std::span<const double> targets,
                                               const LinearScores& model,
                                               const FitOptions& options = {});
[[nodiscard]] LinearCertificate certify_linear(const MatrixView& features,
                                               std::span<const std::string> classes,
                                               const LinearScores& model,
                                               const FitOptions& options = {});

}  // namespace adacvar
