#pragma once

#include <adacvar/run/coefficients.hpp>
#include <adacvar/run/model.hpp>
#include "report/page.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// The coefficients of a model, and the scale that they are on.
struct ScaledCoefficients {
  Coefficients coefficients;
  std::string scale;  ///< `the predicted 'cost'`, `the log-odds of 'yes' against 'no'`
};

/// Returns the coefficients of a model; none for networks, images and older model files.
[[nodiscard]] std::optional<ScaledCoefficients> scaled_coefficients(const Model& model);

/// Names the scale of the coefficients for a loss, target and classes (none for regression).
[[nodiscard]] std::string coefficient_scale(std::string_view loss, const std::string& target,
                                            const std::vector<std::string>& classes);

/// Formats the largest coefficients for a terminal of 80 columns, with the number of columns,
/// levels and classes that are left out.
[[nodiscard]] std::string coefficients_text(const ScaledCoefficients& model);

[[nodiscard]] nlohmann::ordered_json coefficients_json(const Coefficients& coefficients);

struct NamedCoefficients {
  std::string name;  ///< of the model
  ScaledCoefficients model;
};

/// Builds the section of the page. Models with one output are columns of one table, sorted by the
/// first model's shares; of models with several outputs each has its own.
[[nodiscard]] PageSection coefficients_section(std::span<const NamedCoefficients> models);

}  // namespace adacvar
