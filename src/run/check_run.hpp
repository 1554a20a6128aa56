#pragma once

#include <adacvar/run/run.hpp>
#include "data/prepare_data.hpp"

#include <span>

namespace adacvar {

/// Checks the options before data is read.
/// Throws: OptionError for an option that is not allowed or has no effect, and for a network that
/// cannot be created.
void check_run(const RunOptions& options, std::span<const Algorithm> algorithms,
               const RunHooks& hooks);

/// Throws: OptionError when trees are to be trained on images, or without the validation rows that
/// choose their rounds.
void check_tree_rows(const RunOptions& options, const PreparedData& data);

/// Throws: OptionError when calibration is asked for, but the loss has no probabilities or there
/// are no validation rows.
void check_calibration(const RunOptions& options, const Dataset& training,
                       std::size_t validation_rows);

/// Throws OptionError unless the data has the rows and targets that tuning needs.
void check_tuning(const TuneOptions& options, const PreparedData& data);

/// Number of parameters of a linear model for this data.
[[nodiscard]] std::size_t parameter_count(const Dataset& data, const Loss& loss);

/// Whether to compute certificates: if requested, or by default if it takes only seconds.
/// Throws: OptionError if they are requested for more parameters than the solver supports.
[[nodiscard]] bool wants_certificates(const RunOptions& options, const Dataset& training,
                                      const Loss& loss);

}  // namespace adacvar
