#pragma once

#include <adacvar/run/result.hpp>

#include <nlohmann/json_fwd.hpp>

namespace adacvar {

/// Parts of what --json prints about a result; `risk_json` omits sets without rows.
[[nodiscard]] nlohmann::ordered_json risk_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json rows_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json weight_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json budget_json(const BudgetOutcome& budget);
[[nodiscard]] nlohmann::ordered_json blend_json(const Blend& blend);

}  // namespace adacvar
