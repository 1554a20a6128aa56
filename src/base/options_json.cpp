#include "base/options_json.hpp"

#include "base/join.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace adacvar {

namespace {

nlohmann::json json_of(const OptionSpec& spec, const OptionValue& value) {
  return std::visit(
      [&]<class Value>(const Value& now) -> nlohmann::json {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          return spec.names.at(now.number);
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return now ? nlohmann::json(*now) : nlohmann::json();
        } else {
          return now;
        }
      },
      value);
}

OptionChoice read_choice(const OptionSpec& spec, const JsonView& json) {
  const auto text = json.get<std::string>();
  const auto found = std::ranges::find(spec.names, text);
  if (found == spec.names.end()) {
    throw DataError(
        fmt::format("{} = '{}' is not one of: {}", spec.name, text, join(spec.names, ", ")));
  }
  return {static_cast<std::size_t>(found - spec.names.begin())};
}

// Returns a value of the type of `before`.
OptionValue read_value(const OptionSpec& spec, const JsonView& json, const OptionValue& before) {
  return std::visit(
      [&]<class Value>(const Value& now) -> OptionValue {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          return read_choice(spec, json);
        } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
          return count_from_json(json, spec.name);
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return json.raw().is_null() ? now : json.get<double>();
        } else {
          return json.get<Value>();
        }
      },
      before);
}

}  // namespace

void options_to_json(const std::vector<OptionSpec>& specs, const void* options,
                     nlohmann::json& json) {
  for (const OptionSpec& spec : specs) {
    json[std::string(spec.name)] = json_of(spec, spec.value(options));
  }
}

void options_from_json(const JsonView& json, const std::vector<OptionSpec>& specs, void* options) {
  for (const OptionSpec& spec : specs) {
    const auto found = json.find(spec.name);
    if (found) spec.set(options, read_value(spec, *found, spec.value(options)));
  }
}

}  // namespace adacvar
