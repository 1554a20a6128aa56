#include "cli/help_text.hpp"

#include <adacvar/version.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace adacvar::cli {

namespace {

/// Escapes text for roff: backslashes, hyphens (which it would print as dashes), and a dot or quote
/// that begins a line and would be a request.
std::string roff(std::string_view text) {
  std::string result;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    at_line_start = c == '\n';
  }
  return result;
}

std::string page_name(const Command& command) {
  std::string name = "adacvar-" + command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string heading(const std::string& name, const std::string& about) {
  return fmt::format(
      ".TH \"{}\" 1 \"\" \"adacvar {}\" \"User commands\"\n.SH NAME\n{} \\- {}\n", roff(name),
      ADACVAR_VERSION, roff(name), roff(about));
}

constexpr std::string_view kExitCodes =
    ".SH EXIT STATUS\n"
    "0 done, 2 bad option or an output that cannot be written, 3 bad data, 4 training diverged,\n"
    "70 internal error, 71 not enough memory.\n";

std::string overview(const std::vector<Command>& commands) {
  std::string text = heading("adacvar", "train models that control the mean of their worst losses");
  text += ".SH SYNOPSIS\n.B adacvar\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    text += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(page_name(command)), roff(command.about));
  }
  return text.append(kExitCodes);
}

std::string command_page(const Command& command) {
  std::string text = heading(page_name(command), command.about);
  text += fmt::format(".SH SYNOPSIS\n.B adacvar {}\n{}\n", roff(command.name), roff(command.usage));
  for (const OptionGroupHelp& group : option_help(command)) {
    text += fmt::format(".SH \"{}\"\n", roff(group.name));
    for (const auto& [option, meaning] : group.options) {
      text += fmt::format(".TP\n.B {}\n{}\n", roff(option), roff(meaning));
    }
  }
  if (!command.example.empty()) {
    text += fmt::format(".SH EXAMPLE\n.EX\n{}\n.EE\n", roff(command.example));
  }
  text.append(kExitCodes);
  return text += ".SH SEE ALSO\n.BR adacvar (1)\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> man_pages(const std::vector<Command>& commands) {
  std::vector<std::pair<std::string, std::string>> pages{{"adacvar.1", overview(commands)}};
  for (const Command& command : commands) {
    pages.emplace_back(page_name(command) + ".1", command_page(command));
  }
  return pages;
}

}  // namespace adacvar::cli
