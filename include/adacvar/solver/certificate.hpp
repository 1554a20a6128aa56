#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/risk.hpp>

#include <limits>
#include <span>

namespace adacvar {

/// Bounds of the least CVaR among linear models whose parameters, weights and intercepts together,
/// have a Euclidean norm of at most `radius`: it is at least `lower` and, by a model at hand, at
/// most `upper`. The norm is taken where features and targets are of about size 1, as standardised
/// ones are; columns that are not are measured in units of their own first
/// (docs/how_it_works.md).
struct Certificate {
  double lower = 0;
  double upper = 0;
  /// A CVaR up to this is that of a perfect fit: 1e-12 of the loss of the best known constant, and
  /// the last digits of the targets.
  double rounding = 0;
  double radius = 0;

  [[nodiscard]] bool is_perfect_fit() const { return upper <= rounding; }

  /// upper / lower - 1; infinite when lower is 0 or not more than rounding.
  [[nodiscard]] double relative_gap() const {
    if (!(lower > rounding)) return std::numeric_limits<double>::infinity();
    return upper > lower ? (upper - lower) / lower : 0.0;
  }
};

struct CertifyOptions {
  Risk risk = {};
  double ridge = 0;
  double radius = 0;     ///< of the models; 0: 100 times the larger of 1 and the best model's norm
  unsigned threads = 0;  ///< 0: as many as the machine has; does not change the result
};

/// How far the CVaR of `model` (plus ridge/2 |weights|^2) is from the least possible, by the
/// distribution `q` over the rows: for every q with 0 <= q_i <= w_i/(alpha W) that adds up to 1,
/// w being the rows' weights and W their sum,
///   min over theta of q'L(theta) <= least CVaR <= CVaR(model).
/// The left side is bounded from below through its Fenchel dual, so the bound is never an estimate:
/// whatever q is, it does not exceed the least CVaR (docs/how_it_works.md). A q that exceeds its
/// limits is scaled down. Losses are in the learner's units.
///
/// Cost: some Newton steps on the rows with q > 0, O(rows * parameters^2) each; for absolute,
/// pinball and hinge losses those of an interior-point method.
/// Throws: OptionError unless q has an entry of at least 0 per row, not all 0, or when there are
/// more than 5,000 parameters.
[[nodiscard]] Certificate certify(const LinearModel& model, const Dataset& data, const Loss& loss,
                                  std::span<const double> q, const CertifyOptions& options);

}  // namespace adacvar
