#pragma once

#include "run/trained_model.hpp"

#include <adacvar/run/coefficients.hpp>

namespace adacvar {

/// Whether Model::coefficients has a result.
[[nodiscard]] bool has_coefficients(const TrainedModel& model);

/// Like Model::coefficients.
[[nodiscard]] Coefficients coefficients_of(const TrainedModel& model);

}  // namespace adacvar
