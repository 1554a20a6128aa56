#include "report/certificate_report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace adacvar {

namespace {

enum class Round : std::uint8_t { down, up };

double number_of(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// So many digits of a number from 0 on, rounded in that direction.
std::string rounded_text(double value, int digits, Round direction) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  const double shown = number_of(text);
  const bool holds = direction == Round::down ? shown <= value : shown >= value;
  if (!(value > 0) || !std::isfinite(value) || holds) return text;
  const double half = 0.5 * std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return fmt::format("{:.{}g}", direction == Round::down ? value - half : value + half, digits);
}

constexpr int kDigits = 6;
constexpr int kMostDigits = 17;  // of a double

/// Value and bound with as many digits as their distance needs: who computes the gap from what is
/// printed finds the gap that is printed.
std::string bounds_text(const Certificate& certificate, double gap) {
  const std::string within = percent_text(gap);
  for (int digits = kDigits;; ++digits) {
    const std::string upper = rounded_text(certificate.upper, digits, Round::up);
    const std::string lower = rounded_text(certificate.lower, digits, Round::down);
    const double shown = number_of(upper) / number_of(lower) - 1;
    if (digits < kMostDigits && percent_text(shown) != within) continue;
    return fmt::format("{}; the least possible is at least {}: within {}", upper, lower, within);
  }
}

}  // namespace

std::string percent_text(double share) {
  if (!(share > 0) || !std::isfinite(share)) return fmt::format("{:g} %", 100 * share);
  // Rounding error of the share, a quotient less 1, is not rounded up.
  const double noise = share > 1e-12 ? std::numeric_limits<double>::epsilon() : 0.0;
  const double percent = 100 * (share - noise) * (1 - 1e-12);
  if (share >= 1e-4) return rounded_text(percent, 3, Round::up) + " %";
  const double shown = number_of(rounded_text(percent, 1, Round::up));
  return shown < 0.01 ? fmt::format("{:.0e} %", shown) : "0.01 %";
}

std::optional<double> relative_gap(const std::optional<Certificate>& certificate) {
  if (!certificate || !std::isfinite(certificate->relative_gap())) return std::nullopt;
  return certificate->relative_gap();
}

std::string at_least_text(double value) { return rounded_text(value, kDigits, Round::down); }

std::string certificate_text(const Certificate& certificate, std::string_view what) {
  if (certificate.is_perfect_fit()) {
    return fmt::format("{} {:.6g}: 0 up to rounding, the least possible", what, certificate.upper);
  }
  const double gap = certificate.relative_gap();
  if (!std::isfinite(gap)) {
    return fmt::format("{} {:.6g}; the least possible is at least {}", what, certificate.upper,
                       at_least_text(certificate.lower));
  }
  if (gap == 0) return fmt::format("{} {:.6g}: the least possible", what, certificate.upper);
  return fmt::format("{} {}", what, bounds_text(certificate, gap));
}

nlohmann::ordered_json certificate_json(const Certificate& certificate) {
  const double gap = certificate.relative_gap();
  return {
      {"lower", certificate.lower},
      {"upper", certificate.upper},
      {"relative_gap", std::isfinite(gap) ? nlohmann::ordered_json(gap) : nlohmann::ordered_json()},
      {"radius", certificate.radius}};
}

}  // namespace adacvar
