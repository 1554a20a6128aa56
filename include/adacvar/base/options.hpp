#pragma once

#include <adacvar/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace adacvar {

/// Allowed range of a numeric option. `low_ok` / `high_ok`: the end itself is allowed.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_ok = true;
  bool high_ok = true;

  /// NaN and the infinities are outside every range.
  [[nodiscard]] bool contains(double value) const noexcept;

  /// The range as mathematics writes it: `(0, 1]`, `[0, inf)`.
  [[nodiscard]] std::string text() const;
};

/// Names of the values of an enumeration, in the order of their numbers.
template <std::size_t Count>
struct Names {
  std::array<std::string_view, Count> names;

  template <class Enum>
  [[nodiscard]] constexpr std::string_view of(Enum value) const {
    return names.at(static_cast<std::size_t>(value));
  }
};
template <class... Text>
Names(Text...) -> Names<sizeof...(Text)>;

/// A requirement on one option that another option needs to have an effect.
struct OptionTest {
  std::string option = {};
  std::vector<std::string> values = {};  ///< empty: any value but `auto` passes
  bool is_one_of = true;                 ///< false: the option must have none of `values`
  std::string words = {};  ///< text for messages; empty: derived from the fields above

  friend bool operator==(const OptionTest&, const OptionTest&) = default;
};

/// The condition under which an option has an effect, in terms of other options:
/// `with("loss", {"pinball"})`, `with("tune")` (it is given), `without("network")`, `a && b`,
/// `a || b`.
///
/// An option without a condition always has an effect. `with` also requires that the option it
/// names has an effect itself, so chained conditions need not be repeated.
class Condition {
 public:
  /// Holds always.
  Condition() = default;
  explicit Condition(OptionTest test);

  [[nodiscard]] bool is_always() const noexcept;

  /// The condition holds when all tests of one alternative pass.
  [[nodiscard]] const std::vector<std::vector<OptionTest>>& alternatives() const noexcept {
    return alternatives_;
  }

  /// Whether all tests of one alternative hold.
  [[nodiscard]] bool holds(const std::function<bool(const OptionTest&)>& passes) const;

  /// Substitutes the known outcomes; `outcome` returns nothing for a test that is still open.
  [[nodiscard]] Condition simplify(
      const std::function<std::optional<bool>(const OptionTest&)>& outcome) const;

  /// `only with loss = pinball`; for the command line `only with --loss pinball`. Empty
  /// if it holds always.
  [[nodiscard]] std::string text(std::string_view before_name = "",
                                 std::string_view before_value = " = ") const;

  friend Condition operator&&(const Condition& one, const Condition& other);
  friend Condition operator||(const Condition& one, const Condition& other);

 private:
  std::vector<std::vector<OptionTest>> alternatives_{{}};
};

/// Requires the option to be one of `values`; without values, to be given.
[[nodiscard]] Condition with(std::string option, std::vector<std::string> values = {});
/// Requires the option to be none of `values`; without values, not to be given.
[[nodiscard]] Condition without(std::string option, std::vector<std::string> values = {});

/// Throws OptionError `name = value is outside bounds` unless `bounds` contains `value`.
void check_range(std::string_view name, double value, const Bounds& bounds);

/// An enumeration's value, as the position of its name.
struct OptionChoice {
  std::size_t number = 0;

  friend bool operator==(const OptionChoice&, const OptionChoice&) = default;
};

/// An option's value: a number, an integer, a number or `auto` (empty), a list of numbers, one of
/// several names, a text, a list of texts, or a flag.
using OptionValue = std::variant<double, std::uint64_t, std::optional<double>, std::vector<double>,
                                 OptionChoice, std::string, std::vector<std::string>, bool>;

/// One option of an options struct.
///
/// A struct declares each of its options once, in `options()`: name, member, allowed values
/// (numbers: Bounds, enumerations: Names, texts and flags: none), help and, unless it always has
/// an effect, a Condition:
///   {"alpha", &O::alpha, Bounds{.low = 0, .high = 1}, "tail share"},
/// Checks, flags, configuration keys, help, the model file and docs/options.md are generated
/// from that one list. An option's default is its value in a default-constructed struct.
class OptionSpec {
 public:
  template <class Options, class Number>
  OptionSpec(std::string_view option, Number Options::*member, const Bounds& allowed,
             std::string_view sentence, Condition when = {})
      : OptionSpec(option, sentence, std::move(when), accessor_of(member)) {
    bounds = allowed;
  }
  template <class Options, class Enum, std::size_t Count>
  OptionSpec(std::string_view option, Enum Options::*member, const Names<Count>& allowed,
             std::string_view sentence, Condition when = {})
      : OptionSpec(option, sentence, std::move(when), accessor_of(member)) {
    names.assign(allowed.names.begin(), allowed.names.end());
  }
  template <class Options, class Text>
  OptionSpec(std::string_view option, Text Options::*member, std::string_view sentence,
             Condition when = {})
      : OptionSpec(option, sentence, std::move(when), accessor_of(member)) {}

  /// Makes it a share that is usually written in percent: the program refuses numbers from 1 on
  /// without a percent sign, which may be meant as percent.
  OptionSpec in_percent() && {
    is_percentage = true;
    return std::move(*this);
  }

  std::string_view name;
  std::string_view help;                ///< one sentence, without a full stop
  Bounds bounds;                        ///< allowed range of a number
  std::vector<std::string_view> names;  ///< names of an enumeration's values, in their order
  Condition condition;                  ///< when it has an effect
  bool is_percentage = false;           ///< see in_percent

  /// Returns its value in `options`, which must point to the struct that declares it.
  [[nodiscard]] OptionValue value(const void* options) const;
  /// Sets it in `options`. `value` must be allowed and of the type that `value(options)` has.
  void set(void* options, const OptionValue& value) const;
  /// Throws: OptionError if `value` is not allowed.
  void check(const OptionValue& value) const;

 private:
  /// Locates the member in a struct and knows its type.
  struct Accessor {
    std::function<void*(void*)> find;
    OptionValue type;  ///< any value of the member's type
  };

  template <class Options, class Value>
  static Accessor accessor_of(Value Options::*member) {
    const auto find = [member](void* options) -> void* {
      return &(static_cast<Options*>(options)->*member);
    };
    if constexpr (std::is_enum_v<Value>) {
      static_assert(std::is_same_v<std::underlying_type_t<Value>, std::uint8_t>);
      return {find, OptionChoice{}};
    } else {
      return {find, OptionValue(std::in_place_type<Value>)};
    }
  }

  OptionSpec(std::string_view option, std::string_view sentence, Condition when, Accessor accessor);

  Accessor accessor_;
};

/// Throws OptionError for the first value in `options` that is not allowed.
void check_options(const std::vector<OptionSpec>& specs, const void* options);

/// The same for a struct that declares its options.
template <class Options>
void check_options(const Options& options) {
  check_options(Options::options(), &options);
}

}  // namespace adacvar
