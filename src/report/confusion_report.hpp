#pragma once

#include "report/page.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// A confusion matrix as in PartRisk::confusion: numbers of rows, or weights, by actual and then
/// predicted class.
struct ConfusionView {
  std::span<const double> counts;
  std::span<const std::string> classes;
};

/// Formats the matrix for a terminal of 80 columns; of many classes those with the most errors.
/// `rows` names the rows: `test rows`.
[[nodiscard]] std::string confusion_text(const ConfusionView& matrix, const std::string& rows);

/// Returns a list for each actual class.
[[nodiscard]] nlohmann::ordered_json confusion_json(std::span<const double> counts);

/// Table of the classes `shown`.
[[nodiscard]] PageTable confusion_table(const ConfusionView& matrix,
                                        std::span<const std::size_t> shown, std::string caption);

}  // namespace adacvar
