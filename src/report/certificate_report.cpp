#include "report/certificate_report.hpp"

#include <fmt/format.h>

namespace adacvar {

std::string percent_text(double share) {
  return share < 1e-4 ? fmt::format("{:.0e} %", 100 * share) : fmt::format("{:.3g} %", 100 * share);
}

std::string certificate_text(const Certificate& certificate, std::string_view what) {
  if (certificate.is_perfect_fit()) {
    return fmt::format("{} {:.6g}: 0 up to rounding, the least possible", what, certificate.upper);
  }
  const auto gap = certificate.relative_gap();
  return fmt::format("{} {:.6g}; the least possible is at least {:.6g}{}", what, certificate.upper,
                     certificate.lower, gap ? ": within " + percent_text(*gap) : "");
}

nlohmann::ordered_json certificate_json(const Certificate& certificate) {
  const auto gap = certificate.relative_gap();
  return {{"lower", certificate.lower},
          {"upper", certificate.upper},
          {"relative_gap", gap ? nlohmann::ordered_json(*gap) : nlohmann::ordered_json()}};
}

}  // namespace adacvar
