#pragma once

#include <adacvar/base/options.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// An option as it stands in a run.
struct OptionState {
  std::string name;
  std::vector<std::string> values = {};  ///< several: each of them; none: empty, or a switch off
  bool is_given = false;                 ///< asked for; not a default
  Condition used = {};
  std::string where = {};  ///< where it is given, as a message begins: `run.toml:3: `
};

/// Whether the test passes: for `with`, the option it names has an effect itself too.
[[nodiscard]] bool passes(const OptionTest& test, const std::vector<OptionState>& options);

/// Throws OptionError for the first option that is given though it cannot have an effect; the
/// message says when it has one.
void refuse_unused(const std::vector<OptionState>& options);

}  // namespace adacvar
