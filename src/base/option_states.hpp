#pragma once

#include "base/unused_options.hpp"

#include <adacvar/base/options.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// Returns the value as `OptionState` stores it: `auto`, a name, each item of a list; empty for an
/// empty text and for a flag that is off.
[[nodiscard]] std::vector<std::string> value_texts(const OptionSpec& spec,
                                                   const OptionValue& value);

/// Appends the state of every option; those that differ from `defaults` count as given.
void add_states(const std::vector<OptionSpec>& specs, const void* options, const void* defaults,
                std::vector<OptionState>& states);

template <class Options>
void add_states(const Options& options, const Options& defaults, std::vector<OptionState>& states) {
  add_states(Options::options(), &options, &defaults, states);
}

}  // namespace adacvar
