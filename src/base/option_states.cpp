#include "base/option_states.hpp"

#include <fmt/format.h>

namespace adacvar {

std::vector<std::string> detail::values_of(const nlohmann::json& value) {
  using Values = std::vector<std::string>;
  if (value.is_null()) return {"auto"};
  if (value.is_boolean()) return value.get<bool>() ? Values{"true"} : Values{};
  if (value.is_number_float()) return {fmt::format("{}", value.get<double>())};
  if (value.is_number()) return {value.dump()};
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    return text.empty() ? Values{} : Values{text};
  }
  Values values;
  for (const nlohmann::json& part : value) {
    for (std::string& text : values_of(part)) values.push_back(std::move(text));
  }
  return values;
}

}  // namespace adacvar
