#pragma once

#include <adacvar/risk/risk.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <cstddef>
#include <map>
#include <memory>

namespace adacvar {

/// A model on the curve of mean against CVaR: it minimises (1 - gamma) CVaR + gamma mean.
struct FrontierPoint {
  double gamma = 0;
  LinearModel model;
  TailRisk risk;            ///< of the rows solved for, at the frontier's alpha
  Certificate certificate;  ///< of the risk at gamma plus the ridge penalty
  ExactStatus status = ExactStatus::stalled;
};

/// The least risk among models that satisfy a limit.
struct LimitedResult {
  LinearModel model;
  TailRisk risk;
  /// gamma / (1 - gamma) is the multiplier of a limit on the mean, its inverse that of one on the
  /// CVaR: the model nearly minimises (1 - gamma) CVaR + gamma mean.
  double gamma = 0;
  /// Bounds of the least risk, plus the ridge penalty, among models within the limit; if no model
  /// is: of the least value of the quantity that is limited.
  Certificate certificate;
  bool is_feasible = true;
  ExactStatus status = ExactStatus::stalled;
};

/// Exact solutions for one data set and tail share, for any weight gamma of the mean: the curve of
/// least mean against least CVaR, and its points within a limit. Solutions are kept, and each new
/// one begins at its neighbours.
///
/// The least value V of (1 - gamma) CVaR + gamma mean is a concave function of gamma, so two
/// solutions bound V between them: a bracket of solutions narrows as in the secant method, and a
/// mixture of two models has at most the mixture of their risks (docs/tradeoff.md). Between
/// solutions a model that interpolates them is taken if the chord of their bounds proves it good
/// enough; else it is where the solver begins.
/// Deterministic, whatever the number of threads. Throws: as solve_exact.
class Frontier {
 public:
  /// Keeps a reference to `data`. `options.risk.gamma` is the least weight of the mean.
  Frontier(const Dataset& data, const Loss& loss, const ExactOptions& options);
  Frontier(Frontier&& other) noexcept;
  Frontier& operator=(Frontier&& other) noexcept;
  ~Frontier();

  /// The model for this weight of the mean. Cost: that of solve_exact at first, then less; nothing
  /// if it is known.
  const FrontierPoint& at(double gamma);

  /// Adds models between those with the least mean and the least CVaR, where neighbours are
  /// farthest apart, until there are `count` in all or neighbours coincide; certified within
  /// `tolerance`, or that of the options if it is larger.
  void spread(std::size_t count, double tolerance = 1e-4);

  /// The least mean, if the CVaR is limited, else the least risk at `options.risk`, among models
  /// whose mean or CVaR is within the limit. The limit holds exactly, not up to the tolerance. With
  /// a ridge the penalty belongs to what is minimised. Certified within `tolerance`, or that of the
  /// options if it is larger. Cost: about ten solutions, fewer where there are some near the limit.
  [[nodiscard]] LimitedResult within(const RiskLimit& limit, double tolerance = 0);

  /// All solutions so far, by gamma.
  [[nodiscard]] const std::map<double, FrontierPoint>& points() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace adacvar
