#include "base/join.hpp"
#include "cli/help_text.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace adacvar::cli {

namespace {

std::string first_word(const std::string& name) { return name.substr(0, name.find(' ')); }

std::string second_word(const std::string& name) {
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? "" : name.substr(blank + 1);
}

std::string joined_first_words(const std::vector<Command>& commands) {
  std::vector<std::string> words;
  for (const Command& command : commands) {
    if (words.empty() || words.back() != first_word(command.name)) {
      words.push_back(first_word(command.name));
    }
  }
  return join(words, " ");
}

std::string second_words(const std::vector<Command>& commands, const std::string& first) {
  std::vector<std::string> words;
  for (const Command& command : commands) {
    if (first_word(command.name) == first && !second_word(command.name).empty()) {
      words.push_back(second_word(command.name));
    }
  }
  return join(words, " ");
}

std::string flags(const Command& command) {
  std::string text;
  for (const CliOption& option : command.options.all()) {
    if (option.position == 0) text += " --" + option.name;
  }
  return text + " --help";
}

// An option of the same name has the same values in every command.
std::string bash_values(const std::vector<Command>& commands) {
  std::string text;
  std::set<std::string> seen;
  for (const Command& command : commands) {
    for (const CliOption& option : command.options.all()) {
      if (option.choices.empty() || !seen.insert(option.name).second) continue;
      text += fmt::format("    --{}) words=\"{}\" ;;\n", option.name, join(option.choices, " "));
    }
  }
  return text;
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string cases;
  for (const Command& command : commands) {
    cases += fmt::format("      \"{}\") words=\"{}\" ;;\n", command.name, flags(command));
  }
  return fmt::format(R"(# bash completion of adacvar: source it, or put it into
# ~/.local/share/bash-completion/completions/adacvar
_adacvar() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local first=${{COMP_WORDS[1]}} words=
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word")); return
  fi
  if [[ $COMP_CWORD -eq 2 && $first == data ]]; then
    COMPREPLY=($(compgen -W "{}" -- "$word")); return
  fi
  case $before in
{}  esac
  if [[ -z $words && $word == -* ]]; then
    [[ $first == data ]] && first="data ${{COMP_WORDS[2]}}"
    case $first in
{}    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    compopt -o default 2> /dev/null; COMPREPLY=()
  fi
}}
complete -F _adacvar adacvar
)",
                     joined_first_words(commands), second_words(commands, "data"),
                     bash_values(commands), cases);
}

// zsh runs bash scripts.
std::string zsh_script(const std::vector<Command>& commands) {
  return "# zsh completion of adacvar: source it after compinit\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(commands);
}

std::string fish_quote(std::string text) {
  for (std::size_t quote = text.find('\''); quote != std::string::npos;
       quote = text.find('\'', quote + 2)) {
    text.insert(quote, 1, '\\');
  }
  return "'" + text + "'";
}

std::string fish_condition(const Command& command) {
  std::string condition = "__fish_seen_subcommand_from " + first_word(command.name);
  if (!second_word(command.name).empty()) {
    condition += "; and __fish_seen_subcommand_from " + second_word(command.name);
  }
  return condition;
}

std::string fish_option(const Command& command, const CliOption& option) {
  std::string line =
      fmt::format("complete -c adacvar -n {} -l {} -d {}", fish_quote(fish_condition(command)),
                  option.name, fish_quote(option.help));
  if (option.letter != 0) line += fmt::format(" -s {}", option.letter);
  if (!option.choices.empty()) {
    line += fmt::format(" -xa '{}'", join(option.choices, " "));
  } else if (!option.is_flag) {
    line += " -r";
  }
  return line + "\n";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string text =
      "# fish completion of adacvar: put it into ~/.config/fish/completions/adacvar.fish\n";
  text += fmt::format("complete -c adacvar -n __fish_use_subcommand -fa '{}'\n",
                      joined_first_words(commands));
  text += fmt::format(
      "complete -c adacvar -n '__fish_seen_subcommand_from data; and not "
      "__fish_seen_subcommand_from {0}' -fa '{0}'\n",
      second_words(commands, "data"));
  for (const Command& command : commands) {
    for (const CliOption& option : command.options.all()) {
      if (option.position == 0) text += fish_option(command, option);
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::vector<Command>& commands, const std::string& shell) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw OptionError(fmt::format("shell = '{}' is not one of: bash, zsh, fish", shell));
}

}  // namespace adacvar::cli
