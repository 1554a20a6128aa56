#include "base/unused_options.hpp"

#include "base/join.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace adacvar {

namespace {

const OptionState* find_state(const std::vector<OptionState>& options, const std::string& name) {
  const auto found = std::ranges::find(options, name, &OptionState::name);
  return found == options.end() ? nullptr : &*found;
}

bool is_met(const OptionTest& test, const OptionState* option) {
  if (option == nullptr) return !test.is_one_of;
  const bool any = std::ranges::any_of(option->values, [&](const std::string& value) {
    if (test.values.empty()) return value != "auto";
    return std::ranges::find(test.values, value) != test.values.end();
  });
  return any == test.is_one_of;
}

bool has_effect(const OptionState& option, const std::vector<OptionState>& options) {
  return option.condition.holds([&](const OptionTest& test) { return passes(test, options); });
}

// Lists names and values of the options that the condition depends on.
std::string values_text(const Condition& condition, const std::vector<OptionState>& options) {
  std::vector<std::string> parts;
  std::set<std::string> seen;
  for (const auto& tests : condition.alternatives()) {
    for (const OptionTest& test : tests) {
      const OptionState* const option = find_state(options, test.option);
      if (option == nullptr || option->values.empty() || !seen.insert(test.option).second) continue;
      parts.push_back(fmt::format("{} = {}", option->name, join(option->values, ",")));
    }
  }
  return parts.empty() ? "" : fmt::format("; here {}", join(parts, ", "));
}

// Returns the option that `option` depends on and that has no effect itself, if its own condition
// is met; else null.
const OptionState* unused_prerequisite(const OptionState& option,
                                       const std::vector<OptionState>& options) {
  for (const auto& tests : option.condition.alternatives()) {
    const bool are_met = std::ranges::all_of(tests, [&](const OptionTest& test) {
      return is_met(test, find_state(options, test.option));
    });
    if (!are_met) continue;
    for (const OptionTest& test : tests) {
      if (!passes(test, options)) return find_state(options, test.option);
    }
  }
  return nullptr;
}

std::string explanation(const OptionState& option, const std::vector<OptionState>& options) {
  if (const OptionState* const other = unused_prerequisite(option, options)) {
    return fmt::format("{} has no effect: {}, and {}", option.name, option.condition.text(),
                       explanation(*other, options));
  }
  return fmt::format("{} has no effect: {}{}", option.name, option.condition.text(),
                     values_text(option.condition, options));
}

}  // namespace

bool passes(const OptionTest& test, const std::vector<OptionState>& options) {
  const OptionState* const option = find_state(options, test.option);
  return is_met(test, option) &&
         (option == nullptr || !test.is_one_of || has_effect(*option, options));
}

void refuse_unused(const std::vector<OptionState>& options) {
  for (const OptionState& option : options) {
    if (!option.is_given || option.values.empty() || has_effect(option, options)) continue;
    throw OptionError(option.location + explanation(option, options));
  }
}

}  // namespace adacvar
