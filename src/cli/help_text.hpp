#pragma once

#include "cli/command.hpp"

#include <string>
#include <utility>
#include <vector>

namespace adacvar::cli {

/// Returns the output of `adacvar --help`.
[[nodiscard]] std::string program_help(const std::vector<Command>& commands);

/// Returns the output of `adacvar COMMAND --help`, wrapped at 80 columns.
[[nodiscard]] std::string command_help(const Command& command);

/// Options of one heading of a command's help, each with its meaning.
struct OptionGroupHelp {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};
[[nodiscard]] std::vector<OptionGroupHelp> option_help(const Command& command);

/// Returns the manual pages of the program and of every command: file names and texts in roff.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> man_pages(
    const std::vector<Command>& commands);

/// Returns the content of docs/options.md.
[[nodiscard]] std::string options_page(const std::vector<Command>& commands);

/// Returns the completion script for bash, zsh or fish. Throws: OptionError for another shell.
[[nodiscard]] std::string completion_script(const std::vector<Command>& commands,
                                            const std::string& shell);

}  // namespace adacvar::cli
