#pragma once

#include <adacvar/run/evaluate.hpp>

#include "run/trained_model.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// The rows that `evaluate` has scored.
struct EvaluatedRows {
  const std::string& data;
  const SourceOptions& source;
  std::size_t raw_rows;         ///< rows of the file
  std::span<const Index> rows;  ///< those evaluated
  std::span<const double> losses;
  std::span<const double> weights;
};

/// Throws OptionError if a guarantee lacks the largest loss.
void check_guarantee(const EvaluateOptions& options, const Loss& loss);

/// Throws OptionError unless the models have the same target, classes and loss, and the data can be
/// read twice.
void check_comparable(const TrainedModel& model, const TrainedModel& other,
                      const std::string& data);

/// Returns the bounds for the rows. Throws: OptionError if a premise does not hold.
[[nodiscard]] Guarantee guarantee_for(const TrainedModel& model, const EvaluatedRows& rows,
                                      std::span<const double> alphas,
                                      const EvaluateOptions& options);

/// Scores the rows with the other model; returns the difference of `model` to it at every alpha.
/// Throws: as `guarantee_for`, if there is a guarantee.
[[nodiscard]] std::vector<ModelDifference> differences_to(const TrainedModel& other,
                                                          const TrainedModel& model,
                                                          const EvaluatedRows& rows,
                                                          std::span<const double> alphas,
                                                          const EvaluateOptions& options);

}  // namespace adacvar
