#pragma once

#include "cli/command.hpp"

#include <string>
#include <vector>

namespace adacvar::cli {

/// What `adacvar --help` prints.
[[nodiscard]] std::string program_help(const std::vector<Command>& commands);

/// What `adacvar COMMAND --help` prints; lines of 80 characters at most where words allow.
[[nodiscard]] std::string command_help(const Command& command);

/// docs/options.md.
[[nodiscard]] std::string options_page(const std::vector<Command>& commands);

/// A script for bash, zsh or fish. Throws: OptionError for another shell.
[[nodiscard]] std::string completion_script(const std::vector<Command>& commands,
                                            const std::string& shell);

}  // namespace adacvar::cli
