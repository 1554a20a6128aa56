#pragma once

#include <adacvar/run/run.hpp>
#include "data/prepare_data.hpp"

#include <span>

namespace adacvar {

/// Checks what can be checked before data is read.
/// Throws: OptionError for an option that is not allowed or that cannot have an effect, and for a
/// network that cannot be made here.
void check_run(const RunOptions& options, std::span<const Algorithm> algorithms,
               const RunHooks& hooks);

/// Checks that tuning can judge its runs on this data. Throws: OptionError.
void check_tuning(const TuneOptions& options, const PreparedData& data);

/// Number of parameters of a linear model for this data.
[[nodiscard]] std::size_t parameter_count(const Dataset& data, const Loss& loss);

/// Whether certificates are computed: as asked for, or automatically where that takes seconds.
/// Throws: OptionError when they are asked for with more parameters than the solver takes.
[[nodiscard]] bool wants_certificates(const RunOptions& options, const Dataset& training,
                                      const Loss& loss);

}  // namespace adacvar
