#pragma once

#include "base/json_view.hpp"

#include <adacvar/base/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace adacvar {

/// Writes options to a JSON object: numbers, names of enumerations, texts; null for `auto`.
void options_to_json(const std::vector<OptionSpec>& specs, const void* options,
                     nlohmann::json& json);

template <class Options>
void options_to_json(const Options& options, nlohmann::json& json) {
  options_to_json(Options::options(), &options, json);
}

/// Reads them back. A missing key leaves the default, so that files of older versions stay
/// readable. Throws: DataError for an unknown name or a wrong type.
void options_from_json(const JsonView& json, const std::vector<OptionSpec>& specs, void* options);

template <class Options>
void options_from_json(const JsonView& json, Options& options) {
  options_from_json(json, Options::options(), &options);
}

}  // namespace adacvar
