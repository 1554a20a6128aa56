#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// Range of the values that an axis must cover.
struct ValueRange {
  bool log = false;
  double low = 0;
  double high = 0;
  bool empty = true;

  /// Whether the axis can show the value.
  [[nodiscard]] bool can_show(double value) const;
  /// Ignores values that the axis cannot show.
  void add(double value);
  void add(const std::vector<double>& values);
};

/// Positions of values on an axis, and its ticks.
class ChartAxis {
 public:
  /// `whole_ticks`: the axis starts and ends at a tick.
  ChartAxis(const ValueRange& range, bool whole_ticks);

  /// Returns 0 for the low end, 1 for the high end.
  [[nodiscard]] double position(double value) const;
  [[nodiscard]] bool can_show(double value) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
  [[nodiscard]] std::string text(double tick) const;

 private:
  void set_linear(bool whole_ticks);
  void set_log(bool whole_ticks);

  bool log_;
  double low_;
  double high_;
  double step_ = 0;
  std::vector<double> ticks_;
};

}  // namespace adacvar
