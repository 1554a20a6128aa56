#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>
#include "report/repeats.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// Returns the name for texts: Ada-CVaR.
[[nodiscard]] std::string algorithm_title(Algorithm algorithm);
/// The algorithm and its limit: `Ada-CVaR, mean +5 %`.
[[nodiscard]] std::string result_title(const RunResult& result);

/// Summarises a run in one to three sentences.
[[nodiscard]] std::string verdict(const RunReport& report);
[[nodiscard]] std::string verdict(const Evaluation& evaluation);
/// Summarises several seeds and splits.
[[nodiscard]] std::string verdict(std::span<const RepeatedResult> results, std::size_t repeats,
                                  double alpha);

/// Returns the risk of a result on the rows of its detail.
[[nodiscard]] const PartRisk& detailed_risk(const RunResult& result);

/// Returns `test rows`, or `rows` for all rows.
[[nodiscard]] std::string rows_name(const Evaluation& evaluation);

/// Whether the results differ in their tail shares.
[[nodiscard]] bool is_path(const RunReport& report);

/// Returns `31 % lower`, `4 % higher`, `12 times as high`, `the same`.
[[nodiscard]] std::string change_text(double value, double reference);

/// Returns such a change for use before a reference: `31 % lower than`.
[[nodiscard]] std::string change_than_text(double value, double reference);

}  // namespace adacvar
