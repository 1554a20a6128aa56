#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/risk.hpp>

#include <functional>
#include <optional>
#include <span>

namespace adacvar {

/// What a factor on the scores of a classifier minimises on held-out rows.
struct FactorRule {
  Risk risk = {};
  /// Given: the least CVaR among factors whose mean loss exceeds the least by at most this share.
  std::optional<double> mean_budget = std::nullopt;
  /// Given: the least CVaR among factors whose mean loss is at most this; if there is none, the
  /// factor of the least mean.
  std::optional<double> most_mean = std::nullopt;
  /// Factors must not raise the mean loss.
  bool keeps_mean = false;
};

/// The risk of some rows, at the alpha of a rule, with their scores times a factor.
using RiskOfFactor = std::function<TailRisk(double factor)>;

/// The best factor in [1/64, 64]. Mean and CVaR of the log loss are convex in the factor, so that
/// one-dimensional searches find it. Cost: about 100 calls.
[[nodiscard]] double best_factor(const RiskOfFactor& risk, const FactorRule& rule);
/// That on the scores of these rows, one per row and output.
[[nodiscard]] double best_factor(std::span<const double> scores, const Dataset& data,
                                 const Loss& loss, const FactorRule& rule);

/// The least mean loss of any factor in that range.
[[nodiscard]] double least_mean(std::span<const double> scores, const Dataset& data,
                                const Loss& loss);

/// The factor nearest to `factor`, between it and 1, with which these rows stay within the limit.
[[nodiscard]] double factor_within(double factor, std::span<const double> scores,
                                   const Dataset& data, const Loss& loss, double alpha,
                                   const RiskLimit& limit);

/// Mean, VaR and CVaR of the losses of scores times `factor`.
[[nodiscard]] TailRisk risk_with_factor(std::span<const double> scores, const Dataset& data,
                                        const Loss& loss, double alpha, double factor);

}  // namespace adacvar
