#pragma once

#include "base/options_json.hpp"
#include "base/unused_options.hpp"

#include <adacvar/base/options.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adacvar {

namespace detail {

[[nodiscard]] std::vector<std::string> values_of(const nlohmann::json& value);

/// The names of options with their conditions.
struct ConditionFinder {
  std::vector<OptionState>& states;

  template <class... Rest>
  void operator()(std::string_view name, const Rest&... rest) const {
    OptionState state{.name = std::string(name)};
    (take(rest, state), ...);
    states.push_back(std::move(state));
  }
  static void take(const Condition& used, OptionState& state) { state.used = used; }
  template <class Other>
  static void take(const Other& /*not a condition*/, OptionState& /*state*/) {}
};

}  // namespace detail

/// Adds every described option; those that differ from `defaults` count as given.
template <class Options>
void add_states(const Options& options, const Options& defaults, std::vector<OptionState>& states) {
  nlohmann::json now;
  nlohmann::json before;
  options_to_json(options, now);
  options_to_json(defaults, before);
  std::vector<OptionState> added;
  Options::describe(detail::ConditionFinder{added});
  for (OptionState& state : added) {
    state.values = detail::values_of(now[state.name]);
    state.is_given = now[state.name] != before[state.name];
    states.push_back(std::move(state));
  }
}

}  // namespace adacvar
