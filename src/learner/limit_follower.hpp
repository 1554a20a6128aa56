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
/// The losses are those of the last epoch's draws (at most 100,000), weighted by importance. With e
/// = estimate / limit - 1, its sign reversed for a limit on the CVaR, a step is
///   s += 4 e dt,   log odds = s + 8 e,   dt: epochs since the last step, about an eighth.
/// The second term anticipates: losses follow gamma with a delay of an epoch or more, and the first
/// term alone would oscillate. As e is relative, units do not matter.
///
/// What is returned need not have the losses that were drawn: an average of models has smaller
/// ones, and the limit may be meant for other rows. `measure` corrects e for the difference, and by
/// what the rest of an average must make up for its beginning.
class LimitFollower {
 public:
  /// `risk.gamma` is the least gamma; `draws` is their number in the whole run.
  LimitFollower(const RiskLimit& limit, const Risk& risk, std::size_t rows, std::uint64_t draws);

  /// Adds the losses of a batch; `importance` is proportional to the row's share of all rows
  /// divided by its probability in the draw. Returns true if gamma has changed.
  bool observe(std::span<const double> losses, std::span<const double> importance);

  /// Takes the limited quantity of the current model.
  void measure(double value);
  /// Takes that of the average over the second half of the draws so far.
  void measure_average(double value);

  [[nodiscard]] double gamma() const noexcept { return gamma_; }
  /// Mean of gamma over the second half of the draws; before, gamma.
  [[nodiscard]] double mean_gamma() const noexcept;
  /// Estimate of the limited quantity divided by the limit, minus 1.
  [[nodiscard]] double excess() const noexcept { return excess_ - difference_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  [[nodiscard]] double error() const noexcept;

  RiskLimit limit_;
  Risk risk_;
  double rows_;
  std::uint64_t total_draws_;
  std::vector<double> losses_;  // of the last draws, a ring
  std::vector<double> importance_;
  std::uint64_t draws_ = 0;
  std::uint64_t draws_at_step_ = 0;
  double sum_ = 0;  // s
  double gamma_;
  double excess_ = 0;      // of the draws
  double difference_ = 0;  // excess of the draws less that of what is returned
  double debt_ = 0;        // excess of the average so far, times its draws
  double steps_ = 0;       // in the second half, with two sums over them
  double excess_sum_ = 0;
  double gamma_sum_ = 0;
};

}  // namespace adacvar
