#pragma once

#include <adacvar/run/importance.hpp>
#include <adacvar/run/result.hpp>
#include "report/page.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Formats the most important columns for a terminal of 80 columns, with the number of those that
/// are left out.
[[nodiscard]] std::string importance_text(const std::vector<ColumnImportance>& columns);

/// An object per column; those in `dependence` have their mean predictions.
[[nodiscard]] nlohmann::ordered_json importance_json(
    const std::vector<ColumnImportance>& columns,
    std::span<const PartialDependence> dependence = {});

struct NamedImportance {
  std::string name;  ///< of the model
  std::vector<ColumnImportance> columns;
  std::span<const PartialDependence> dependence = {};
  std::string prediction = {};  ///< what the mean is taken of: `probability of 'yes'`
};

/// Builds the section of the page: bars and a table of all models, sorted by the first model's
/// shares, and a chart for each column that the first model depends on most.
[[nodiscard]] PageSection importance_section(std::span<const NamedImportance> models);

}  // namespace adacvar
