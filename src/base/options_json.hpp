#pragma once

#include "base/json_view.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/options.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace adacvar {

/// Described options as an object: numbers, names of enumerations, texts; null for "automatic".
template <class Options>
struct OptionsToJson {
  const Options& options;
  nlohmann::json& json;

  template <class Value>
  void operator()(std::string_view name, Value Options::*member, const Bounds&, std::string_view,
                  const Condition& = {}) const {
    json[std::string(name)] = options.*member;
  }
  template <class Number>
  void operator()(std::string_view name, std::optional<Number> Options::*member, const Bounds&,
                  std::string_view, const Condition& = {}) const {
    const auto& value = options.*member;
    json[std::string(name)] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  template <class Enum, std::size_t Count>
  void operator()(std::string_view name, Enum Options::*member, const Names<Count>& names,
                  std::string_view, const Condition& = {}) const {
    json[std::string(name)] = names.of(options.*member);
  }
  template <class Text>
  void operator()(std::string_view name, Text Options::*member, std::string_view,
                  const Condition& = {}) const {
    json[std::string(name)] = options.*member;
  }
};

/// Reads them back; a key that is not there leaves the default, so that files of older versions
/// stay readable. Throws: DataError for a name that is not known or a wrong type.
template <class Options>
struct OptionsFromJson {
  Options& options;
  const JsonView& json;

  template <class Value>
  void operator()(std::string_view name, Value Options::*member, const Bounds&, std::string_view,
                  const Condition& = {}) const {
    const auto found = json.find(name);
    if (!found) return;
    if constexpr (std::is_integral_v<Value>) {
      static_assert(std::is_same_v<Value, std::uint64_t>);
      options.*member = count_from_json(*found, name);
    } else {
      found->get_to(options.*member);
    }
  }
  template <class Number>
  void operator()(std::string_view name, std::optional<Number> Options::*member, const Bounds&,
                  std::string_view, const Condition& = {}) const {
    const auto found = json.find(name);
    if (found && !found->raw().is_null()) options.*member = found->template get<Number>();
  }
  template <class Enum, std::size_t Count>
  void operator()(std::string_view name, Enum Options::*member, const Names<Count>& names,
                  std::string_view, const Condition& = {}) const {
    const auto found = json.find(name);
    if (!found) return;
    const auto text = found->template get<std::string>();
    const auto place = std::ranges::find(names.names, text);
    if (place == names.names.end()) {
      throw DataError(
          fmt::format("{} = '{}' is not one of: {}", name, text, fmt::join(names.names, ", ")));
    }
    options.*member = static_cast<Enum>(place - names.names.begin());
  }
  template <class Text>
  void operator()(std::string_view name, Text Options::*member, std::string_view,
                  const Condition& = {}) const {
    if (const auto found = json.find(name)) found->get_to(options.*member);
  }
};

template <class Options>
void options_to_json(const Options& options, nlohmann::json& json) {
  Options::describe(OptionsToJson<Options>{options, json});
}

template <class Options>
void options_from_json(const JsonView& json, Options& options) {
  Options::describe(OptionsFromJson<Options>{options, json});
}

}  // namespace adacvar
