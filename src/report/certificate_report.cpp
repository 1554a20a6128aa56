#include "report/certificate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace adacvar {

std::string percent_text(double share) {
  return share < 1e-4 ? fmt::format("{:.0e} %", 100 * share) : fmt::format("{:.3g} %", 100 * share);
}

std::string at_least_text(double value) {
  std::string text = fmt::format("{:.6g}", value);
  double shown = 0;
  std::from_chars(text.data(), text.data() + text.size(), shown);
  if (!(value > 0) || shown <= value) return text;
  return fmt::format("{:.6g}", value - 0.5 * std::pow(10, std::floor(std::log10(value)) - 5));
}

std::string dependent_note(const DependentNote& note) {
  constexpr std::size_t kNamed = 5;
  std::string listed;
  for (std::size_t n = 0; n < std::min(kNamed, note.names.size()); ++n) {
    listed += fmt::format("{}'{}'", n > 0 ? ", " : "", note.names[n]);
  }
  if (note.names.size() > kNamed) listed += fmt::format(" and {} more", note.names.size() - kNamed);
  const char* const them = note.names.size() == 1 ? "it" : "them";
  std::string text = fmt::format("{} can be had from other features, up to rounding", listed);
  if (note.is_exact) text += fmt::format(": the exact model gives no weight to {}", them);
  if (note.lower_without == 0) return text;
  return text +
         fmt::format(
             ". Among models that do not use {} the least CVaR{} is at least {}; by fitting the "
             "rounding with large weights others may be lower, and the bound allows for that",
             them, note.where, at_least_text(note.lower_without));
}

std::string certificate_text(const Certificate& certificate, std::string_view what) {
  if (certificate.is_perfect_fit()) {
    return fmt::format("{} {:.6g}: 0 up to rounding, the least possible", what, certificate.upper);
  }
  const auto gap = certificate.relative_gap();
  return fmt::format("{} {:.6g}; the least possible is at least {}{}", what, certificate.upper,
                     at_least_text(certificate.lower), gap ? ": within " + percent_text(*gap) : "");
}

nlohmann::ordered_json certificate_json(const Certificate& certificate) {
  const auto gap = certificate.relative_gap();
  return {{"lower", certificate.lower},
          {"upper", certificate.upper},
          {"relative_gap", gap ? nlohmann::ordered_json(*gap) : nlohmann::ordered_json()}};
}

}  // namespace adacvar
