#include "report/chart_axis.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

// Larger values would overflow when an axis is widened.
constexpr double kLargest = 1e300;

double nice_step(double span) {
  const double rough = span / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) return factor * power;
  }
  return 10 * power;
}

// Writes `1e-5` instead of `1e-05`.
std::string power_text(double value) {
  std::string text = fmt::format("{:.3g}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && text[digits] == '0') ++digits;
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(digits);
}

std::string fixed_text(double value, int decimals) {
  if (decimals > 0 || std::abs(value) < 1e4) return fmt::format("{:.{}f}", value, decimals);
  return fmt::format("{}{}", value < 0 ? "-" : "",
                     count_text(static_cast<std::size_t>(std::llround(std::abs(value)))));
}

}  // namespace

bool ValueRange::can_show(double value) const {
  return std::isfinite(value) && std::abs(value) <= kLargest && (!log || value > 1 / kLargest);
}

void ValueRange::add(double value) {
  if (!can_show(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

void ValueRange::add(const std::vector<double>& values) {
  for (const double value : values) add(value);
}

ChartAxis::ChartAxis(const ValueRange& range, bool whole_ticks)
    : log_(range.log), low_(range.low), high_(range.high) {
  if (range.empty) {
    low_ = log_ ? 1 : 0;
    high_ = log_ ? 10 : 1;
  }
  if (log_) {
    set_log(whole_ticks);
  } else {
    set_linear(whole_ticks);
  }
}

void ChartAxis::set_linear(bool whole_ticks) {
  // A range of only rounding error is widened.
  const double size = std::max(std::abs(low_), std::abs(high_));
  if (high_ - low_ <= std::max(1e-9 * size, 1e-290)) {
    const bool zero = size < 1e-280;
    low_ = zero ? 0 : low_ - 0.1 * size;
    high_ = zero ? 1 : high_ + 0.1 * size;
  }
  step_ = nice_step(high_ - low_);
  const double first =
      whole_ticks ? std::floor(low_ / step_ + 1e-6) : std::ceil(low_ / step_ - 1e-6);
  const double last =
      whole_ticks ? std::ceil(high_ / step_ - 1e-6) : std::floor(high_ / step_ + 1e-6);
  for (double k = first; k <= last && ticks_.size() < 20; ++k) ticks_.push_back(k * step_ + 0.0);
  if (whole_ticks) {
    low_ = ticks_.front();
    high_ = ticks_.back();
  }
}

void ChartAxis::set_log(bool whole_ticks) {
  if (high_ <= low_ * (1 + 1e-9)) {
    low_ *= 0.5;
    high_ *= 2;
  }
  const double decades = std::log10(high_) - std::log10(low_);
  const auto first = static_cast<int>(std::floor(std::log10(low_)));
  const auto last = static_cast<int>(std::ceil(std::log10(high_)));
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 7)));
  for (int power = first; power <= last; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1.0 || decades < 2.5) ticks_.push_back(factor * std::pow(10.0, power));
    }
  }
  if (whole_ticks) {
    const auto above = std::ranges::upper_bound(ticks_, low_ * (1 + 1e-9));
    if (above != ticks_.begin()) low_ = *(above - 1);
    const auto end = std::ranges::lower_bound(ticks_, high_ * (1 - 1e-9));
    if (end != ticks_.end()) high_ = *end;
  }
  std::erase_if(ticks_, [this](double tick) {
    return tick < low_ * (1 - 1e-9) || tick > high_ * (1 + 1e-9);
  });
}

double ChartAxis::position(double value) const {
  if (log_) return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  return (value - low_) / (high_ - low_);
}

bool ChartAxis::can_show(double value) const { return ValueRange{.log = log_}.can_show(value); }

std::string ChartAxis::text(double tick) const {
  const double size = std::max(std::abs(low_), std::abs(high_));
  if (log_) {
    return tick < 1e-3 || tick >= 1e6
               ? power_text(tick)
               : fixed_text(tick,
                            std::max(0, static_cast<int>(-std::floor(std::log10(tick) + 1e-9))));
  }
  if (size >= 1e7 || step_ < 1e-5) return power_text(tick);
  return fixed_text(tick, std::max(0, static_cast<int>(-std::floor(std::log10(step_) + 1e-9))));
}

}  // namespace adacvar
