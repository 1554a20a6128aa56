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

/// How a command uses the file or folder that an option names.
enum class PathRole : std::uint8_t {
  none,
  data,           ///< reads it, or the files of the built-in set with that name
  input,          ///< reads it
  input_folder,   ///< looks for files in it
  output,         ///< writes it
  output_folder,  ///< writes files into it
};

/// An option of a command. Help, flags, configuration keys, shell completion and
/// docs/options.md are generated from these.
struct CliOption {
  std::string name;                  ///< without dashes
  std::string group;                 ///< heading in the help
  std::string help;                  ///< one sentence, without a full stop
  Condition condition;               ///< when it has an effect
  std::string allowed;               ///< (0, 1], a|b|c, text, ...; empty for a flag
  std::string default_text;          ///< default value; empty: none
  std::vector<std::string> choices;  ///< names of an enumeration's values
  bool is_flag = false;
  PathRole role = PathRole::none;
  int position = 0;                             ///< 1, 2: positional argument
  char letter = 0;                              ///< one-letter name
  std::function<void(const std::string&)> set;  ///< throws OptionError
  std::function<std::string()> text;            ///< current value, in the form that `set` reads
};

/// Parses a number. Throws: OptionError `alpha = 'x' is not a number`.
[[nodiscard]] double read_number(std::string_view name, const std::string& text);
[[nodiscard]] std::uint64_t read_count(std::string_view name, const std::string& text,
                                       const Bounds& bounds);
/// Parses `a, b,"c,d"` like a row of CSV; an empty text is an empty list. Throws: OptionError for
/// an empty item and for unbalanced quotes.
[[nodiscard]] std::vector<std::string> read_list(std::string_view name, const std::string& text);
[[nodiscard]] bool read_flag(std::string_view name, const std::string& text);
[[nodiscard]] std::size_t read_choice(std::string_view name, const std::string& text,
                                      const std::vector<std::string>& choices);
/// Joins the items with commas.
[[nodiscard]] std::string list_text(const std::vector<std::string>& parts);
/// Returns the shortest text that parses to the same number.
[[nodiscard]] std::string shortest_text(double value);

/// `CliOption::allowed` of a list of texts.
inline constexpr const char* kListText = "a,b,...";

/// The options of a command, each bound to the variable it sets.
class OptionList {
 public:
  /// Adds every option that `Options` declares, except those in `without`. `options` must
  /// outlive the list; its values are the defaults.
  template <class Options>
  void add(const std::string& group, Options& options,
           std::initializer_list<std::string_view> without = {}) {
    add(group, Options::options(), &options, without);
  }

  /// Makes the option a positional argument.
  void set_position(std::string_view name, int position) { find(name).position = position; }
  void set_letter(std::string_view name, char letter) { find(name).letter = letter; }
  void set_role(PathRole role, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) find(name).role = role;
  }
  /// Fixes the value of an option that the command does not have, for conditions on it.
  void fix(std::string_view name, std::vector<std::string> values) {
    fixed_.push_back({.name = std::string(name), .values = std::move(values)});
  }

  [[nodiscard]] const std::vector<CliOption>& all() const noexcept { return options_; }
  [[nodiscard]] const CliOption* find_or_null(std::string_view name) const;

  /// Returns the states of all options for `refuse_unused`. `given` maps the name of each option
  /// that the user gave to its location, the prefix of messages about it.
  [[nodiscard]] std::vector<OptionState> states(
      const std::map<std::string, std::string>& given) const;

  /// Returns the condition of `option` in terms of the other options of this list.
  [[nodiscard]] Condition condition_of(const CliOption& option) const;

 private:
  void add(const std::string& group, const std::vector<OptionSpec>& specs, void* options,
           std::initializer_list<std::string_view> without);
  [[nodiscard]] CliOption& find(std::string_view name);

  std::vector<CliOption> options_;
  std::vector<OptionState> fixed_;
};

}  // namespace adacvar::cli
