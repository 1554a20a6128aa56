#include "base/option_states.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

namespace adacvar {

namespace {

using Texts = std::vector<std::string>;

Texts text_of(const std::string& text) { return text.empty() ? Texts{} : Texts{text}; }
Texts text_of(double value) { return {fmt::format("{}", value)}; }
Texts text_of(std::uint64_t value) { return {fmt::format("{}", value)}; }
Texts text_of(bool value) { return value ? Texts{"true"} : Texts{}; }
Texts text_of(const std::optional<double>& value) {
  return value ? text_of(*value) : Texts{"auto"};
}

template <class Part>
Texts text_of(const std::vector<Part>& parts) {
  Texts texts;
  for (const Part& part : parts) {
    for (std::string& text : text_of(part)) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::vector<std::string> value_texts(const OptionSpec& spec, const OptionValue& value) {
  return std::visit(
      [&]<class Value>(const Value& now) -> Texts {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          return {std::string(spec.names.at(now.number))};
        } else {
          return text_of(now);
        }
      },
      value);
}

void add_states(const std::vector<OptionSpec>& specs, const void* options, const void* defaults,
                std::vector<OptionState>& states) {
  for (const OptionSpec& spec : specs) {
    const OptionValue value = spec.value(options);
    states.push_back({.name = std::string(spec.name),
                      .values = value_texts(spec, value),
                      .is_given = value != spec.value(defaults),
                      .condition = spec.condition});
  }
}

}  // namespace adacvar
