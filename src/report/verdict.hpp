#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>
#include "report/repeats.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// As people write it: Ada-CVaR.
[[nodiscard]] std::string algorithm_title(Algorithm algorithm);

/// What a run comes to, in a sentence or three.
[[nodiscard]] std::string verdict(const RunReport& report);
[[nodiscard]] std::string verdict(const Evaluation& evaluation);
/// The verdict on several seeds and splits.
[[nodiscard]] std::string verdict(std::span<const RepeatedResult> results, std::size_t repeats,
                                  double alpha);

/// The risk of a result on the rows that its detail is about.
[[nodiscard]] const PartRisk& detailed_risk(const RunResult& result);

/// `test rows`; `rows` where all are meant.
[[nodiscard]] std::string rows_name(const Evaluation& evaluation);

/// Whether results differ by their tail shares.
[[nodiscard]] bool is_path(const RunReport& report);

/// `31 % lower`, `4 % higher`, `12 times as high`, `the same`.
[[nodiscard]] std::string change_text(double value, double reference);

/// Such a change and the word that leads to what it is compared to: `31 % lower than`.
[[nodiscard]] std::string change_than_text(double value, double reference);

}  // namespace adacvar
