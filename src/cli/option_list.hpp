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
  /// Adds every option that `Options` declares, but those named in `without`. `options` must
  /// outlive the list; its values are the defaults.
  template <class Options>
  void add(const std::string& group, Options& options,
           std::initializer_list<std::string_view> without = {}) {
    add(group, Options::options(), &options, without);
  }

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
  void add(const std::string& group, const std::vector<OptionSpec>& specs, void* options,
           std::initializer_list<std::string_view> without);
  [[nodiscard]] CliOption& find(std::string_view name);

  std::vector<CliOption> options_;
  std::vector<OptionState> fixed_;
};

}  // namespace adacvar::cli
