#pragma once

#include "base/unused_options.hpp"

#include <adacvar/base/options.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::cli {

/// What a command does with the file or folder that an option names.
enum class PathRole : std::uint8_t {
  none,
  data,           ///< reads it, or the files of the built-in set of that name
  input,          ///< reads it
  input_folder,   ///< looks for files in it
  output,         ///< writes it
  output_folder,  ///< writes files into it
};

/// An option of a command. Help, flags, configuration keys, completion and the page of options
/// are all made from these.
struct CliOption {
  std::string name;                  ///< without dashes
  std::string group;                 ///< heading in the help
  std::string help;                  ///< one sentence, without a full stop
  Condition used;                    ///< when it has an effect
  std::string allowed;               ///< (0, 1], a|b|c, text, ...; empty for a switch
  std::string default_text;          ///< its value when it was declared; empty: none
  std::vector<std::string> choices;  ///< of an enumeration
  bool is_switch = false;
  PathRole role = PathRole::none;
  int position = 0;                             ///< 1, 2: may stand without its name
  char letter = 0;                              ///< short form
  std::function<void(const std::string&)> set;  ///< throws OptionError
  std::function<std::string()> text;            ///< its value now, as `set` would read it
};

/// Text as a number. Throws: OptionError `alpha = x is not a number`.
[[nodiscard]] double read_number(std::string_view name, const std::string& text);
[[nodiscard]] std::uint64_t read_count(std::string_view name, const std::string& text,
                                       const Bounds& bounds);
/// `a, b,"c,d"`, read like a row of CSV; no text is no parts. Throws: OptionError for an empty part
/// and for quotes that do not fit.
[[nodiscard]] std::vector<std::string> read_list(std::string_view name, const std::string& text);
[[nodiscard]] bool read_switch(std::string_view name, const std::string& text);
[[nodiscard]] std::size_t read_choice(std::string_view name, const std::string& text,
                                      const std::vector<std::string>& choices);
/// The parts with commas between them.
[[nodiscard]] std::string list_text(const std::vector<std::string>& parts);
/// The shortest text that reads back as the number.
[[nodiscard]] std::string shortest(double value);

/// What is allowed of a list of texts.
inline constexpr const char* kListText = "a,b,...";

/// The options of a command, each tied to the variable it sets.
class OptionList {
 public:
  /// Adds every option that `Options` describes, but those named in `without`. `options` must
  /// outlive the list; its values are the defaults.
  template <class Options>
  void add(const std::string& group, Options& options,
           std::initializer_list<std::string_view> without = {});

  /// Lets the option stand without its name.
  void set_position(std::string_view name, int position) { find(name).position = position; }
  void set_letter(std::string_view name, char letter) { find(name).letter = letter; }
  void set_role(PathRole role, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) find(name).role = role;
  }
  /// The command has no option of that name, but always these values of it.
  void fix(std::string_view name, std::vector<std::string> values) {
    fixed_.push_back({.name = std::string(name), .values = std::move(values)});
  }

  [[nodiscard]] const std::vector<CliOption>& all() const noexcept { return options_; }
  [[nodiscard]] const CliOption* find_or_null(std::string_view name) const;

  /// All options for the check of those without effect. `given`: the names of those that a user
  /// gives, with where that is.
  [[nodiscard]] std::vector<OptionState> states(
      const std::map<std::string, std::string>& given) const;

  /// When an option of the list has an effect, as far as that depends on others of the list.
  [[nodiscard]] Condition condition_of(const CliOption& option) const;

 private:
  template <class Options>
  struct Adder;

  [[nodiscard]] CliOption& find(std::string_view name);

  std::vector<CliOption> options_;
  std::vector<OptionState> fixed_;
};

template <class Options>
struct OptionList::Adder {
  OptionList& list;
  const std::string& group;
  Options& options;
  std::initializer_list<std::string_view> without;

  void operator()(std::string_view name, double Options::*member, const Bounds& bounds,
                  std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, bounds.text(), [&o = options, member] { return shortest(o.*member); },
        [&o = options, member, bounds, key = std::string(name)](const std::string& text) {
          const double value = read_number(key, text);
          check_range(key, value, bounds);
          o.*member = value;
        });
  }

  void operator()(std::string_view name, std::uint64_t Options::*member, const Bounds& bounds,
                  std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, "whole number",
        [&o = options, member] { return std::to_string(o.*member); },
        [&o = options, member, bounds, key = std::string(name)](const std::string& text) {
          o.*member = read_count(key, text, bounds);
        });
  }

  void operator()(std::string_view name, unsigned Options::*member, const Bounds& bounds,
                  std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, "whole number",
        [&o = options, member] { return std::to_string(o.*member); },
        [&o = options, member, bounds, key = std::string(name)](const std::string& text) {
          Bounds fitting = bounds;
          fitting.high = std::min(fitting.high, double{std::numeric_limits<unsigned>::max()});
          o.*member = static_cast<unsigned>(read_count(key, text, fitting));
        });
  }

  void operator()(std::string_view name, std::optional<double> Options::*member,
                  const Bounds& bounds, std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, "auto or " + bounds.text(),
        [&o = options, member] { return o.*member ? shortest(*(o.*member)) : "auto"; },
        [&o = options, member, bounds, key = std::string(name)](const std::string& text) {
          if (text == "auto") {
            (o.*member).reset();
            return;
          }
          const double value = read_number(key, text);
          check_range(key, value, bounds);
          o.*member = value;
        });
  }

  void operator()(std::string_view name, std::vector<double> Options::*member, const Bounds& bounds,
                  std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, "numbers in " + bounds.text(),
        [&o = options, member] {
          std::vector<std::string> parts;
          for (const double value : o.*member) parts.push_back(shortest(value));
          return list_text(parts);
        },
        [&o = options, member, bounds, key = std::string(name)](const std::string& text) {
          std::vector<double> values;
          for (const std::string& part : read_list(key, text)) {
            values.push_back(read_number(key, part));
            check_range(key, values.back(), bounds);
          }
          o.*member = values;
        });
  }

  template <class Enum, std::size_t Count>
  void operator()(std::string_view name, Enum Options::*member, const Names<Count>& names,
                  std::string_view help, const Condition& used = {}) const {
    std::vector<std::string> choices(names.names.begin(), names.names.end());
    std::string allowed = choices[0];
    for (std::size_t i = 1; i < choices.size(); ++i) allowed += "|" + choices[i];
    push(
        name, help, used, allowed,
        [&o = options, member, choices] { return choices[static_cast<std::size_t>(o.*member)]; },
        [&o = options, member, choices, key = std::string(name)](const std::string& text) {
          o.*member = static_cast<Enum>(read_choice(key, text, choices));
        });
    if (!skips(name)) list.options_.back().choices = std::move(choices);
  }

  void operator()(std::string_view name, std::string Options::*member, std::string_view help,
                  const Condition& used = {}) const {
    push(
        name, help, used, "text", [&o = options, member] { return o.*member; },
        [&o = options, member](const std::string& text) { o.*member = text; });
  }

  void operator()(std::string_view name, std::vector<std::string> Options::*member,
                  std::string_view help, const Condition& used = {}) const {
    push(
        name, help, used, kListText, [&o = options, member] { return list_text(o.*member); },
        [&o = options, member, key = std::string(name)](const std::string& text) {
          o.*member = read_list(key, text);
        });
  }

  void operator()(std::string_view name, bool Options::*member, std::string_view help,
                  const Condition& used = {}) const {
    push(
        name, help, used, {},
        [&o = options, member] { return std::string(o.*member ? "true" : ""); },
        [&o = options, member, key = std::string(name)](const std::string& text) {
          o.*member = read_switch(key, text);
        });
    if (!skips(name)) list.options_.back().is_switch = true;
  }

 private:
  [[nodiscard]] bool skips(std::string_view name) const {
    return std::ranges::find(without, name) != without.end();
  }

  void push(std::string_view name, std::string_view help, const Condition& used,
            std::string allowed, std::function<std::string()> text,
            std::function<void(const std::string&)> set) const {
    if (skips(name)) return;
    CliOption option;
    option.name = name;
    option.group = group;
    option.help = help;
    option.used = used;
    option.allowed = std::move(allowed);
    option.default_text = text();
    option.set = std::move(set);
    option.text = std::move(text);
    list.options_.push_back(std::move(option));
  }
};

template <class Options>
void OptionList::add(const std::string& group, Options& options,
                     std::initializer_list<std::string_view> without) {
  Options::describe(Adder<Options>{*this, group, options, without});
}

}  // namespace adacvar::cli
