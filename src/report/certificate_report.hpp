#pragma once

#include <adacvar/solver/certificate.hpp>

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace adacvar {

/// A gap in per cent, not rounded down: `0.24 %`, `1e-05 %`.
[[nodiscard]] std::string percent_text(double share);

/// The gap of a certificate; nothing where there is no certificate or no finite gap.
[[nodiscard]] std::optional<double> relative_gap(const std::optional<Certificate>& certificate);

/// A lower bound to six digits, none of them rounded up.
[[nodiscard]] std::string at_least_text(double value);

/// `CVaR 17.1317; the least possible is at least 17.1315: within 0.00117 %`, with as many digits as
/// agree with the gap, the value rounded up and the bound down; of a perfect fit `CVaR 3e-17: 0 up
/// to rounding, the least possible`.
[[nodiscard]] std::string certificate_text(const Certificate& certificate, std::string_view what);

[[nodiscard]] nlohmann::ordered_json certificate_json(const Certificate& certificate);

}  // namespace adacvar
