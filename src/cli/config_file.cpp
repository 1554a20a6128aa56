#include "cli/config_file.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "cli/csv_text.hpp"
#include "data/file_bytes.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

namespace adacvar::cli {

namespace {

std::string trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Line numbers of keys and sections, which CLI11 does not report.
class KeyLines {
 public:
  KeyLines(const std::string& text, const std::string& path) {
    std::istringstream in(text);
    std::string section;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::string content = trim(line);
      if (content.empty() || content.starts_with('#')) continue;
      if (content.starts_with('[')) {
        section = trim(content.substr(1, content.find(']') - 1));
        entries_.push_back({section, {}, number});
        continue;
      }
      const std::size_t equals = content.find('=');
      if (equals == std::string::npos) {
        throw OptionError(fmt::format("{}:{}: '{}' is neither `key = value` nor `[section]`", path,
                                      number, content));
      }
      const std::string key = trim(content.substr(0, equals));
      if (line_of(section, key) != 0) {
        throw OptionError(
            fmt::format("{}:{}: key '{}' is given more than once", path, number, key));
      }
      entries_.push_back({section, key, number});
    }
  }

  /// Returns 0 for an unknown key.
  [[nodiscard]] std::size_t line_of(const std::string& section, const std::string& key) const {
    for (const Entry& entry : entries_) {
      if (entry.section == section && entry.key == key) return entry.line;
    }
    return 0;
  }

 private:
  struct Entry {
    std::string section;
    std::string key;
    std::size_t line;
  };
  std::vector<Entry> entries_;
};

std::vector<std::string> known_keys(const Command& command) {
  std::vector<std::string> keys;
  for (const CliOption& option : command.options.all()) {
    if (option.name != "config") keys.push_back(option.name);
  }
  return keys;
}

class ConfigReader {
 public:
  ConfigReader(std::string path, std::string text, const Command& command,
               const std::vector<Command>& commands, const std::set<std::string>& given)
      : path_(std::move(path)),
        text_(std::move(text)),
        lines_(text_, path_),
        command_(command),
        commands_(commands),
        given_(given) {}

  std::map<std::string, std::string> apply() {
    std::istringstream in(text_);
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(in)) {
      // "++" and "--" mark where sections begin and end.
      if (item.name == "++" || item.name == "--") {
        check_section(item);
      } else {
        apply_item(item);
      }
    }
    return std::move(set_);
  }

 private:
  [[noreturn]] void fail(const std::string& section, const std::string& key,
                         const std::string& message) const {
    throw OptionError(location_of(section, key) + message);
  }

  [[nodiscard]] std::string location_of(const std::string& section, const std::string& key) const {
    const std::size_t line = lines_.line_of(section, key);
    return line == 0 ? fmt::format("{}: ", path_) : fmt::format("{}:{}: ", path_, line);
  }

  static std::string section_of(const CLI::ConfigItem& item) { return join(item.parents, "."); }

  [[nodiscard]] bool is_command(const std::string& section) const {
    std::string name = section;
    std::ranges::replace(name, '.', ' ');
    return std::ranges::any_of(commands_, [&](const Command& known) {
      return known.name == name || known.name.starts_with(name + " ");
    });
  }

  void check_section(const CLI::ConfigItem& item) const {
    const std::string section = section_of(item);
    if (!section.empty() && !is_command(section)) refuse_section(section);
  }

  [[noreturn]] void refuse_section(const std::string& section) const {
    std::vector<std::string> names;
    for (const Command& command : commands_) names.push_back(command.name);
    fail(section, {},
         fmt::format("section [{}] is not one of: {}{}", section, join(names, ", "),
                     did_you_mean(section, names)));
  }

  [[nodiscard]] const Command& command_of(const std::string& section) const {
    if (section.empty()) return command_;
    std::string name = section;
    std::ranges::replace(name, '.', ' ');
    const auto found = std::ranges::find(commands_, name, &Command::name);
    if (found == commands_.end()) refuse_section(section);
    return found->name == command_.name ? command_ : *found;
  }

  // A list is written as on the command line.
  static std::string text_of(const CLI::ConfigItem& item) {
    if (item.inputs.size() == 1) return item.inputs[0];
    std::vector<std::string> parts;
    for (const std::string& input : item.inputs) parts.push_back(csv_field(input));
    return join(parts, ",");
  }

  void apply_item(const CLI::ConfigItem& item) {
    const std::string section = section_of(item);
    const Command& owner = command_of(section);
    const CliOption* option = owner.options.find_or_null(item.name);
    if (option == nullptr || item.name == "config") {
      fail(section, item.name,
           fmt::format("key '{}' is not one of: {}{}", item.name, join(known_keys(owner), ", "),
                       did_you_mean(item.name, known_keys(owner))));
    }
    if (&owner != &command_) return;
    // A key in the command's section takes precedence over one at the top.
    const bool overruled =
        given_.contains(item.name) || (section.empty() && set_in_section_.contains(item.name));
    if (overruled) return;
    if (!section.empty()) set_in_section_.insert(item.name);
    try {
      option->set(text_of(item));
    } catch (const OptionError& error) {
      fail(section, item.name, error.what());
    }
    set_[item.name] = location_of(section, item.name);
  }

  std::string path_;
  std::string text_;
  KeyLines lines_;
  const Command& command_;
  const std::vector<Command>& commands_;
  const std::set<std::string>& given_;
  std::set<std::string> set_in_section_;
  std::map<std::string, std::string> set_;
};

}  // namespace

std::map<std::string, std::string> apply_config(const std::string& path, const Command& command,
                                                const std::vector<Command>& commands,
                                                const std::set<std::string>& given) {
  const FileBytes file(path);
  return ConfigReader(path, std::string(file.text()), command, commands, given).apply();
}

}  // namespace adacvar::cli
