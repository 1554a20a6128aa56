#pragma once

#include <adacvar/base/error.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
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

/// What one option must be for another to have an effect.
struct OptionTest {
  std::string option = {};
  std::vector<std::string> values = {};  ///< none: any that is given
  bool is_one_of = true;                 ///< false: none of them
  std::string words = {};                ///< says it; empty: made of the above

  friend bool operator==(const OptionTest&, const OptionTest&) = default;
};

/// When an option has an effect, told by the values of others: `with("loss", {"pinball"})`,
/// `with("tune")` (it is given), `without("network")`, `a && b`, `a || b`.
///
/// It stands behind an option's help in `describe`; one without has an effect always. `with` asks
/// also that the option it names has an effect itself, so conditions need not be repeated along a
/// chain.
class Condition {
 public:
  /// Always.
  Condition() = default;
  explicit Condition(OptionTest test) : alternatives_{{std::move(test)}} {}

  [[nodiscard]] bool is_always() const noexcept;

  /// The condition holds when all tests of one alternative pass.
  [[nodiscard]] const std::vector<std::vector<OptionTest>>& alternatives() const noexcept {
    return alternatives_;
  }

  /// Whether all tests of one alternative hold.
  [[nodiscard]] bool holds(const std::function<bool(const OptionTest&)>& passes) const;

  /// What is left of it where the outcome of some tests is known; none: not known.
  [[nodiscard]] Condition simplified(
      const std::function<std::optional<bool>(const OptionTest&)>& outcome) const;

  /// `only with loss = pinball`; for the command line `only with --loss pinball`. Nothing for
  /// always.
  [[nodiscard]] std::string text(std::string_view before_name = "",
                                 std::string_view before_value = " = ") const;

  friend Condition operator&&(const Condition& one, const Condition& other);
  friend Condition operator||(const Condition& one, const Condition& other);

 private:
  std::vector<std::vector<OptionTest>> alternatives_{{}};
};

/// The option is one of `values`; without values, it is given.
[[nodiscard]] Condition with(std::string option, std::vector<std::string> values = {});
/// It is none of them; without values, it is not given.
[[nodiscard]] Condition without(std::string option, std::vector<std::string> values = {});

/// Throws OptionError `name = value is outside bounds` unless `bounds` contains `value`.
void check_range(std::string_view name, double value, const Bounds& bounds);

/// Checks every described option of `options` against its bounds or names.
///
/// An options struct declares each option once, in `describe`: its name, member, allowed
/// values (numbers: Bounds, enumerations: Names, texts and switches: none), help and, unless it
/// always has an effect, a Condition. Checks, flags, configuration keys and the page of options are
/// made from that one list.
/// Throws: OptionError for the first value that is not allowed.
template <class Options>
void check_options(const Options& options);

namespace detail {

void check_name_count(std::string_view name, std::uint64_t value, std::size_t count);

template <class Options>
struct OptionChecker {
  const Options& options;

  template <class Number>
  void operator()(std::string_view name, Number Options::*member, const Bounds& bounds,
                  std::string_view /*help*/, const Condition& /*used*/ = {}) const {
    check_range(name, static_cast<double>(options.*member), bounds);
  }

  template <class Number>
  void operator()(std::string_view name, std::optional<Number> Options::*member,
                  const Bounds& bounds, std::string_view /*help*/,
                  const Condition& /*used*/ = {}) const {
    if (const auto& value = options.*member) {
      check_range(name, static_cast<double>(*value), bounds);
    }
  }

  void operator()(std::string_view name, std::vector<double> Options::*member, const Bounds& bounds,
                  std::string_view /*help*/, const Condition& /*used*/ = {}) const {
    for (const double value : options.*member) check_range(name, value, bounds);
  }

  template <class Enum, std::size_t Count>
  void operator()(std::string_view name, Enum Options::*member, const Names<Count>&,
                  std::string_view /*help*/, const Condition& /*used*/ = {}) const {
    check_name_count(name, static_cast<std::uint64_t>(options.*member), Count);
  }

  template <class Text>
  void operator()(std::string_view /*name*/, Text Options::* /*member*/, std::string_view /*help*/,
                  const Condition& /*used*/ = {}) const {}
};

}  // namespace detail

template <class Options>
void check_options(const Options& options) {
  Options::describe(detail::OptionChecker<Options>{options});
}

}  // namespace adacvar
