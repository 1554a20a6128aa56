#pragma once

#include <algorithm>
#include <iosfwd>

namespace adacvar {

/// Keeps gradient steps stable without changing the point to which they converge.
///
/// A step is stable while rate * curvature < 2, and the trace of a batch's Hessian bounds its
/// curvature. Over many batches, steps are stable in mean square while rate < 2 E[trace] /
/// E[trace^2]. The limit is half of that, from the batches before: it does not depend on the batch
/// it is applied to, so the expected step keeps the direction of the gradient. Shortening the steps
/// of heavy batches instead would give their rows less weight and change the objective.
class StepLimit {
 public:
  /// With momentum m a step counts 1 / (1 - m) times.
  explicit StepLimit(double momentum) : longest_(2.0 * (1.0 - momentum)) {}

  void observe(double trace) {
    ++batches_;
    const double share = 1.0 / std::min(batches_, kMemory);
    mean_ += share * (trace - mean_);
    mean_square_ += share * (trace * trace - mean_square_);
  }

  /// Returns a factor in (0, 1] on a learning rate.
  [[nodiscard]] double factor(double rate) const {
    const double wanted = 0.5 * longest_ * mean_;
    const double needed = rate * mean_square_;
    return needed > wanted ? wanted / needed : 1.0;
  }

  /// Returns a factor in (0, 1] on the step of a batch that is unstable by itself, which is rare.
  [[nodiscard]] double guard(double rate, double trace) const {
    return rate * trace > longest_ ? longest_ / (rate * trace) : 1.0;
  }

  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  static constexpr double kMemory = 1000;  // batches

  double longest_;
  double batches_ = 0;
  double mean_ = 0;
  double mean_square_ = 0;
};

}  // namespace adacvar
