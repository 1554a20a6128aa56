#pragma once

#include <limits>

namespace adacvar {

/// sum w_i sigma(x_i + nu) and its first three derivatives in nu.
struct TiltSums {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;
  double third = 0.0;

  TiltSums& operator+=(const TiltSums& other) noexcept {
    value += other.value;
    first += other.first;
    second += other.second;
    third += other.third;
    return *this;
  }
  /// The value at a tilt larger by `step`, up to the fourth order in it.
  [[nodiscard]] double value_after(double step) const noexcept {
    return value + step * (first + step * (0.5 * second + step * third / 6.0));
  }
};

/// Safeguarded Newton steps of third order to the root of sum w_i sigma(x_i + nu) = target.
class TiltSearch {
 public:
  /// Relative tolerance of the sum.
  static constexpr double kTolerance = 1e-13;

  /// Steps that sigma, which changes on the scale of 1, does not justify are shortened to 2, times
  /// `growth` for each one before: above 1, the root is found however far it is.
  explicit TiltSearch(double target, double growth = 1.0)
      : target_(target), growth_(growth), tolerance_(kTolerance * target) {}

  /// Takes a step from `tilt`, at which `sums` are. Returns true if it was the last.
  [[nodiscard]] bool step(const TiltSums& sums, double& tilt);

  /// The last step, if it is so short that series in it are exact to rounding; else 0.
  [[nodiscard]] double last_step() const noexcept { return last_step_; }

 private:
  double target_;
  double growth_;
  double tolerance_;
  double limit_ = 2.0;
  double last_step_ = 0.0;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
};

}  // namespace adacvar
