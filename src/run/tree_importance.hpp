#pragma once

#include "run/trained_model.hpp"

#include <adacvar/data/dataset.hpp>
#include <adacvar/run/importance.hpp>

#include <vector>

namespace adacvar {

/// Like Model::importance.
[[nodiscard]] std::vector<ColumnImportance> importance_of(const TrainedModel& model);

/// Returns the dependence on the columns of largest importance, at most 6, over at most 200
/// training rows that are evenly spaced, at up to 20 quantiles of a number or levels. None for
/// sparse rows and for columns without importance. Cost: some 24,000 predictions.
/// Precondition: a model of trees, and rows with its features.
[[nodiscard]] std::vector<PartialDependence> partial_dependence(const TrainedModel& model,
                                                                const Dataset& training);

}  // namespace adacvar
