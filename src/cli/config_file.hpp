#pragma once

#include "cli/command.hpp"

#include <map>
#include <set>
#include <string>

namespace adacvar::cli {

/// Sets the options of `command` from a TOML file: keys at its top, and those of the section that
/// is called like the command; of other commands' sections only the keys are checked. Options in
/// `given` stand on the command line and stay as they are. Returns the names of those that were
/// set, with file and line, as messages begin.
/// Throws: DataError when the file cannot be read; OptionError, with file and line, for an unknown
/// key or section, a key that stands twice, or a value that is not allowed.
[[nodiscard]] std::map<std::string, std::string> apply_config(const std::string& path,
                                                              const Command& command,
                                                              const std::vector<Command>& commands,
                                                              const std::set<std::string>& given);

}  // namespace adacvar::cli
