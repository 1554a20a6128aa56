#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

enum class LossKind : std::uint8_t {
  squared,   ///< r^2, r = score - target
  absolute,  ///< |r|
  huber,     ///< r^2 / 2 within delta, delta (|r| - delta / 2) beyond
  pinball,   ///< max(-tau r, (1 - tau) r), minimised by the tau quantile
  logistic,  ///< log(1 + e^-m), m = score for class 1, -score for class 0
  softmax,   ///< log sum_c e^score_c - score of the target's class
  hinge,     ///< max(0, 1 - m)
};

inline constexpr Names kLossNames{"squared",  "absolute", "huber", "pinball",
                                  "logistic", "softmax",  "hinge"};

/// A convex loss of a linear model's scores.
///
/// Cost: O(outputs) per example. No loss of finite scores is NaN; a squared loss may overflow to
/// infinity, which training treats as divergence.
/// Throws: OptionError for a delta or tau out of range.
class Loss {
 public:
  explicit Loss(LossKind kind, double delta = 1.0, double tau = 0.5);

  /// Returns the default loss: squared for regression, logistic for two classes, softmax for more.
  [[nodiscard]] static Loss of_task(Task task);

  [[nodiscard]] LossKind kind() const noexcept { return kind_; }
  [[nodiscard]] double delta() const noexcept { return delta_; }
  [[nodiscard]] double tau() const noexcept { return tau_; }
  /// True if the loss is defined for targets of this task.
  [[nodiscard]] bool fits(Task task) const noexcept;
  /// Scores per example: one, or one per class for softmax.
  [[nodiscard]] std::size_t outputs(std::size_t classes) const noexcept {
    return kind_ == LossKind::softmax ? classes : 1;
  }

  /// True if scores give the probabilities of classes: logistic and softmax.
  [[nodiscard]] bool has_probabilities() const noexcept {
    return kind_ == LossKind::logistic || kind_ == LossKind::softmax;
  }

  /// Upper bound of the second derivative in the scores; 0 for losses with bounded derivatives
  /// instead.
  [[nodiscard]] double curvature() const noexcept;

  /// Factor that converts losses of targets divided by `target_sd` to the user's units.
  [[nodiscard]] double unit(double target_sd) const noexcept;

  /// Computes the loss of every example and its derivatives in the scores. `scores` and
  /// `derivatives` have outputs * targets.size() entries, example by example, and may be the same
  /// array.
  void evaluate(std::span<const double> scores, std::span<const double> targets,
                std::span<double> losses, std::span<double> derivatives) const;

 private:
  LossKind kind_;
  double delta_;
  double tau_;
};

enum class LossChoice : std::uint8_t {
  automatic,  ///< Loss::of_task
  squared,
  absolute,
  huber,
  pinball,
  logistic,
  softmax,
  hinge,
};

struct LossOptions {
  LossChoice loss = LossChoice::automatic;
  double delta = 1.0;
  double tau = 0.5;

  static const std::vector<OptionSpec>& options();
};

/// Makes the loss given by the options for the task of `data`.
/// Throws: OptionError for an option out of range or a loss that does not fit the task.
[[nodiscard]] Loss make_loss(const LossOptions& options, const Dataset& data);

}  // namespace adacvar
