#pragma once

#include <string>
#include <vector>

namespace adacvar {

/// Collects the values that an axis must hold.
struct ValueRange {
  bool log = false;
  double low = 0;
  double high = 0;
  bool empty = true;

  /// Whether the axis can show the value.
  [[nodiscard]] bool takes(double value) const;
  /// Leaves out what it does not take.
  void add(double value);
  void add(const std::vector<double>& values);
};

/// Where values lie along an axis, and the numbers written beside it.
class ChartAxis {
 public:
  /// `whole_ticks`: the axis begins and ends at a tick.
  ChartAxis(const ValueRange& range, bool whole_ticks);

  /// 0 at the low end, 1 at the high one.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] bool takes(double value) const;
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
