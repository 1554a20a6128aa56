#pragma once

#include "cli/command.hpp"

#include <map>
#include <set>
#include <string>

namespace adacvar::cli {

/// Sets the options of `command` from a TOML file: the keys at its top and those in the section
/// named like the command. In the sections of other commands only the names of keys are checked.
/// Options in `given` were given on the command line and are not changed. Returns the names of the
/// options that were set, each with the prefix of messages about it (`run.toml:3: `).
/// Throws: DataError if the file cannot be read; OptionError, with file and line, for an unknown
/// key or section, a key given more than once, or a value that is not allowed.
[[nodiscard]] std::map<std::string, std::string> apply_config(const std::string& path,
                                                              const Command& command,
                                                              const std::vector<Command>& commands,
                                                              const std::set<std::string>& given);

}  // namespace adacvar::cli
