#include "cli/help_text.hpp"

#include "base/join.hpp"

#include <adacvar/version.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace adacvar::cli {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 26;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

// The word printed for the value in help: FILE, DIR, NAME, ...
std::string value_word(const CliOption& option) {
  if (!option.choices.empty()) return " NAME";
  switch (option.role) {
    case PathRole::data:
    case PathRole::input:
    case PathRole::output:
      return " FILE";
    case PathRole::input_folder:
    case PathRole::output_folder:
      return " DIR";
    case PathRole::none:
      break;
  }
  if (option.allowed == "text") return " TEXT";
  if (option.allowed == kListText || option.allowed.starts_with("numbers")) return " LIST";
  return option.is_flag ? "" : " X";
}

std::string left_side(const CliOption& option) {
  if (option.position > 0) return upper(option.name);
  const std::string letter = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "";
  return fmt::format("{}--{}{}", letter, option.name, value_word(option));
}

// `only with --loss huber`.
std::string used_text(const Command& command, const CliOption& option) {
  return command.options.condition_of(option).text("--", " ");
}

std::string details(const Command& command, const CliOption& option) {
  std::string text;
  if (!option.choices.empty()) {
    text = fmt::format("one of {}", join(option.choices, ", "));
  } else if (!option.is_flag && option.allowed != "text" && option.allowed != kListText) {
    text = option.allowed;
  }
  if (!option.default_text.empty()) {
    text += (text.empty() ? "default " : "; default ") + option.default_text;
  }
  if (const std::string used = used_text(command, option); !used.empty()) {
    text += (text.empty() ? "" : "; ") + used;
  }
  return text.empty() ? text : " (" + text + ")";
}

/// Sets `left` and, from column kIndent, `right`, wrapped at kWidth.
std::string two_columns(const std::string& left, const std::string& right) {
  std::string text = "  " + left;
  std::size_t column = text.size();
  const auto begin_line = [&] {
    text += '\n' + std::string(kIndent, ' ');
    column = kIndent;
  };
  if (column + 2 > kIndent) {
    begin_line();
  } else {
    text += std::string(kIndent - column, ' ');
    column = kIndent;
  }
  std::size_t begin = 0;
  while (begin < right.size()) {
    const std::size_t end = std::min(right.find(' ', begin), right.size());
    const std::size_t length = end - begin;
    const bool first = column == kIndent;
    if (!first && column + 1 + length > kWidth) {
      begin_line();
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += right.substr(begin, length);
    column += length;
    begin = end + 1;
  }
  return text + '\n';
}

std::vector<std::string> groups_of(const Command& command) {
  std::vector<std::string> groups;
  for (const CliOption& option : command.options.all()) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

// Escapes bars, which end a cell of a Markdown table.
std::string escape_bars(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
    text.insert(bar, 1, '\\');
  }
  return text;
}

std::string markdown_name(const CliOption& option) {
  if (option.position > 0) return fmt::format("`{}` or `--{}`", upper(option.name), option.name);
  const std::string letter = option.letter != 0 ? fmt::format("`-{}`, ", option.letter) : "";
  return fmt::format("{}`--{}`", letter, option.name);
}

std::string markdown_of(const Command& command) {
  std::string text = fmt::format("\n## adacvar {}\n\n{}.\n\n```\nadacvar {} {}\n```\n",
                                 command.name, command.about, command.name, command.usage);
  for (const std::string& group : groups_of(command)) {
    text += fmt::format("\n| {} | allowed | default | meaning |\n|---|---|---|---|\n", group);
    for (const CliOption& option : command.options.all()) {
      if (option.group != group) continue;
      const bool plain = option.is_flag || option.allowed == "text";
      const std::string used = used_text(command, option);
      text +=
          fmt::format("| {} | {} | {} | {} |\n", markdown_name(option),
                      plain ? "" : escape_bars(option.allowed), escape_bars(option.default_text),
                      escape_bars(option.help + (used.empty() ? "" : "; " + used)));
    }
  }
  return text;
}

}  // namespace

std::string program_help(const std::vector<Command>& commands) {
  std::string text = "adacvar " ADACVAR_VERSION
                     ": trains models that control the mean of their worst losses (CVaR)\n\n"
                     "Usage: adacvar COMMAND [options]\n\nCommands\n";
  for (const Command& command : commands) text += two_columns(command.name, command.about);
  text += "\nExamples\n";
  for (const Command& command : commands) {
    if (!command.example.empty()) text += "  " + command.example + "\n";
  }
  text +=
      "\n`adacvar help COMMAND` lists the options of a command. `adacvar --version`\n"
      "prints the version, `adacvar completion bash|zsh|fish` a script for the shell.\n"
      "Results go to standard output, messages to standard error. Exit codes: 0 done,\n"
      "2 bad option, 3 bad data, 4 training diverged, 70 internal error, 71 no memory.\n";
  return text;
}

std::vector<OptionGroupHelp> option_help(const Command& command) {
  std::vector<OptionGroupHelp> groups;
  for (const std::string& name : groups_of(command)) {
    OptionGroupHelp& group = groups.emplace_back(OptionGroupHelp{name, {}});
    for (const CliOption& option : command.options.all()) {
      if (option.group != name) continue;
      group.options.emplace_back(left_side(option), option.help + details(command, option));
    }
  }
  return groups;
}

std::string command_help(const Command& command) {
  std::string text =
      fmt::format("Usage: adacvar {} {}\n\n{}.\n", command.name, command.usage, command.about);
  for (const OptionGroupHelp& group : option_help(command)) {
    text += '\n' + group.name + '\n';
    for (const auto& [option, meaning] : group.options) text += two_columns(option, meaning);
  }
  if (!command.example.empty()) text += fmt::format("\nExample\n  {}\n", command.example);
  return text;
}

std::string options_page(const std::vector<Command>& commands) {
  std::string text =
      "# Options\n\n"
      "Generated by `adacvar options`; a test compares them. Every option can also be set in "
      "a TOML file given by\n"
      "`--config`, as `name = value`, at its top or in a section `[command]`; the command "
      "line takes precedence. Unknown\n"
      "keys are errors, and so is an option that has no effect: its entry says when it has "
      "one. Separate the items of a list\n"
      "by commas; put an item that contains a comma in double quotes, as in CSV: `--drop "
      "'\"size, in cm\",id'`.\n"
      "\n"
      "Results go to standard output (with `--json` only the JSON object), messages to "
      "standard error. Exit codes:\n"
      "\n"
      "| code | meaning |\n"
      "|---|---|\n"
      "| 0 | success, also when training is stopped by Ctrl-C, SIGTERM, a hangup or a closed "
      "pipe of messages |\n"
      "| 2 | bad option, or an output that cannot be written (the other outputs are) |\n"
      "| 3 | bad data |\n"
      "| 4 | training diverged, with `compare` for at least one algorithm; results are "
      "printed, the last finite model is kept |\n"
      "| 70 | internal error; please report it |\n"
      "| 71 | not enough memory |\n"
      "| 72 | a process of adacvar-mpi is lost |\n"
      "\n"
      "Ctrl-C ends the program by the signal (130 in a shell) when there is nothing to keep, "
      "as while data is read.\n";
  for (const Command& command : commands) text += markdown_of(command);
  return text;
}

}  // namespace adacvar::cli
