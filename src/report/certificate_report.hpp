#pragma once

#include <adacvar/solver/certificate.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace adacvar {

/// A share in per cent: `0.24 %`, `1e-05 %`.
[[nodiscard]] std::string percent_text(double share);

/// `CVaR 17.1317; the least possible is at least 17.1316: within 0.001 %`, of a perfect fit `CVaR
/// 3e-17: 0 up to rounding, the least possible`.
[[nodiscard]] std::string certificate_text(const Certificate& certificate, std::string_view what);

[[nodiscard]] nlohmann::ordered_json certificate_json(const Certificate& certificate);

}  // namespace adacvar
