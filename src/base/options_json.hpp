#pragma once

#include "base/json_view.hpp"

#include <adacvar/base/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace adacvar {

/// Options as an object: numbers, names of enumerations, texts; null for "automatic".
void options_to_json(const std::vector<OptionSpec>& specs, const void* options,
                     nlohmann::json& json);

template <class Options>
void options_to_json(const Options& options, nlohmann::json& json) {
  options_to_json(Options::options(), &options, json);
}

/// Reads them back; a key that is not there leaves the default, so that files of older versions
/// stay readable. Throws: DataError for a name that is not known or a wrong type.
void options_from_json(const JsonView& json, const std::vector<OptionSpec>& specs, void* options);

template <class Options>
void options_from_json(const JsonView& json, Options& options) {
  options_from_json(json, Options::options(), &options);
}

}  // namespace adacvar
