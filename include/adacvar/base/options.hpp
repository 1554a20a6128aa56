#pragma once

#include <adacvar/base/error.hpp>

#include <array>
#include <cstdint>
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

/// Throws OptionError `name = value is outside bounds` unless `bounds` contains `value`.
void check_range(std::string_view name, double value, const Bounds& bounds);

/// Checks every described option of `options` against its bounds or names.
///
/// An options struct declares each option once, in `describe`: its name, member, allowed
/// values (numbers: Bounds, enumerations: Names, texts and switches: none) and help. Checks,
/// flags, configuration keys and the page of options are made from that one list.
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
                  std::string_view /*help*/) const {
    check_range(name, static_cast<double>(options.*member), bounds);
  }

  template <class Number>
  void operator()(std::string_view name, std::optional<Number> Options::*member,
                  const Bounds& bounds, std::string_view /*help*/) const {
    if (const auto& value = options.*member) {
      check_range(name, static_cast<double>(*value), bounds);
    }
  }

  void operator()(std::string_view name, std::vector<double> Options::*member, const Bounds& bounds,
                  std::string_view /*help*/) const {
    for (const double value : options.*member) check_range(name, value, bounds);
  }

  template <class Enum, std::size_t Count>
  void operator()(std::string_view name, Enum Options::*member, const Names<Count>&,
                  std::string_view /*help*/) const {
    check_name_count(name, static_cast<std::uint64_t>(options.*member), Count);
  }

  template <class Text>
  void operator()(std::string_view /*name*/, Text Options::* /*member*/,
                  std::string_view /*help*/) const {}
};

}  // namespace detail

template <class Options>
void check_options(const Options& options) {
  Options::describe(detail::OptionChecker<Options>{options});
}

}  // namespace adacvar
