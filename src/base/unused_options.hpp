#pragma once

#include <adacvar/base/options.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// An option's value in a run.
struct OptionState {
  std::string name;
  std::vector<std::string> values =
      {};                 ///< each item of a list; empty: no value, or a flag that is off
  bool is_given = false;  ///< by the user; false: default
  Condition condition = {};
  std::string location = {};  ///< prefix of messages: `run.toml:3: `
};

/// Whether the test passes; `with` also requires that the option it names has an effect itself.
[[nodiscard]] bool passes(const OptionTest& test, const std::vector<OptionState>& options);

/// Throws OptionError for the first option that is given but has no effect; the message says when
/// it has one.
void refuse_unused(const std::vector<OptionState>& options);

}  // namespace adacvar
