#pragma once

#include "cli/command.hpp"

#include <string>
#include <vector>

namespace adacvar::cli {

/// Returns the output of `adacvar --help`.
[[nodiscard]] std::string program_help(const std::vector<Command>& commands);

/// Returns the output of `adacvar COMMAND --help`, wrapped at 80 columns.
[[nodiscard]] std::string command_help(const Command& command);

/// Returns the content of docs/options.md.
[[nodiscard]] std::string options_page(const std::vector<Command>& commands);

/// Returns the completion script for bash, zsh or fish. Throws: OptionError for another shell.
[[nodiscard]] std::string completion_script(const std::vector<Command>& commands,
                                            const std::string& shell);

}  // namespace adacvar::cli
