#pragma once

#include <adacvar/risk/risk.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// Adapts gamma while a model learns, so that the mean or the CVaR of its losses meets a limit:
/// dual steps on the logarithm of the odds gamma / (1 - gamma), the multiplier of a limit on the
/// mean.
///
/// With e = value / limit - 1, its sign reversed for a limit on the CVaR, a step is
///   s += 4 e dt,   log odds = s + 8 e,   dt: epochs since the last step.
/// The second term anticipates: losses follow gamma with a delay of an epoch or more, and the first
/// term alone would oscillate. As e is relative, units do not matter.
///
/// The value is either measured after every epoch, or estimated from the draws of the last epoch
/// (at most 100,000), weighted by importance, about eight times an epoch: a run uses `measure` or
/// `observe`.
class LimitFollower {
 public:
  /// `risk.gamma` is the least gamma; `epochs` is their number in the whole run.
  LimitFollower(const RiskLimit& limit, const Risk& risk, std::size_t rows, std::uint64_t epochs);

  /// Adds the losses of a batch; `importance` is proportional to the row's share of all rows
  /// divided by its probability in the draw. Returns true if gamma has changed.
  bool observe(std::span<const double> losses, std::span<const double> importance);

  /// Takes the limited quantity of the current model at the end of an epoch.
  void measure(double value);
  /// Takes that of the average over the second half of the steps, if it is to be the result, before
  /// `measure`: the rest of the steps makes up for what is too much or too little.
  void measure_average(double value);

  [[nodiscard]] double gamma() const noexcept { return gamma_; }
  /// Mean of gamma over the second half of the epochs; before, gamma.
  [[nodiscard]] double mean_gamma() const noexcept;
  /// The limited quantity divided by the limit, minus 1.
  [[nodiscard]] double excess() const noexcept { return excess_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void step(double value, double epochs);

  RiskLimit limit_;
  Risk risk_;
  double rows_;
  double total_epochs_;
  std::vector<double> losses_;  // of the last draws, a ring
  std::vector<double> importance_;
  std::uint64_t draws_ = 0;
  std::uint64_t draws_at_step_ = 0;
  double epochs_ = 0;  // at the last step
  double sum_ = 0;     // s
  double gamma_;
  double excess_ = 0;
  double debt_ = 0;   // excess of the average so far, times its epochs
  double steps_ = 0;  // in the second half
  double gamma_sum_ = 0;
};

}  // namespace adacvar
