#include <adacvar/base/options.hpp>

#include "base/join.hpp"
#include "base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace adacvar {

bool Bounds::contains(double value) const noexcept {
  const bool above = low_ok ? value >= low : value > low;
  const bool below = high_ok ? value <= high : value < high;
  return above && below && std::isfinite(value);
}

std::string Bounds::text() const {
  const bool low_closed = low_ok && std::isfinite(low);
  const bool high_closed = high_ok && std::isfinite(high);
  return fmt::format("{}{}, {}{}", low_closed ? '[' : '(', low, high, high_closed ? ']' : ')');
}

namespace {

// `a`, `a or b`, `a, b or c`.
std::string join_with_or(const std::vector<std::string>& words) {
  std::string text = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    text += (i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

template <class Item>
void add_new(std::vector<Item>& items, Item item) {
  if (std::ranges::find(items, item) == items.end()) items.push_back(std::move(item));
}

// `with a = 1 and b but not with c or d`.
std::string text_of(const std::vector<OptionTest>& tests, std::string_view before_name,
                    std::string_view before_value) {
  std::vector<std::string> wanted;
  std::vector<std::string> excluded;
  std::vector<std::string> worded;
  for (const OptionTest& test : tests) {
    const std::string values =
        test.values.empty() ? "" : fmt::format("{}{}", before_value, join_with_or(test.values));
    const std::string name = fmt::format("{}{}{}", before_name, test.option, values);
    add_new(test.words.empty() ? (test.is_one_of ? wanted : excluded) : worded,
            test.words.empty() ? name : test.words);
  }
  if (!wanted.empty()) worded.push_back(fmt::format("with {}", join(wanted, " and ")));
  std::string text = join(worded, " and ");
  if (excluded.empty()) return text;
  return text + (text.empty() ? "not with " : " but not with ") + join_with_or(excluded);
}

bool has_all(const std::vector<OptionTest>& tests, const std::vector<OptionTest>& others) {
  return std::ranges::all_of(others, [&](const OptionTest& test) {
    return std::ranges::find(tests, test) != tests.end();
  });
}

// An alternative that is stricter than another adds nothing.
void drop_stricter(std::vector<std::vector<OptionTest>>& alternatives) {
  std::erase_if(alternatives, [&, all = alternatives](const auto& tests) {
    return std::ranges::any_of(
        all, [&](const auto& other) { return other != tests && has_all(tests, other); });
  });
}

}  // namespace

Condition::Condition(OptionTest test) : alternatives_{{std::move(test)}} {}

bool Condition::is_always() const noexcept {
  return std::ranges::any_of(alternatives_, [](const auto& tests) { return tests.empty(); });
}

bool Condition::holds(const std::function<bool(const OptionTest&)>& passes) const {
  return std::ranges::any_of(alternatives_,
                             [&](const auto& tests) { return std::ranges::all_of(tests, passes); });
}

Condition Condition::simplify(
    const std::function<std::optional<bool>(const OptionTest&)>& outcome) const {
  Condition result;
  result.alternatives_.clear();
  for (const auto& tests : alternatives_) {
    std::vector<OptionTest> open;
    bool can_hold = true;
    for (const OptionTest& test : tests) {
      const std::optional<bool> known = outcome(test);
      if (!known) open.push_back(test);
      can_hold = can_hold && known.value_or(true);
    }
    if (can_hold) add_new(result.alternatives_, std::move(open));
  }
  drop_stricter(result.alternatives_);
  return result;
}

std::string Condition::text(std::string_view before_name, std::string_view before_value) const {
  if (is_always()) return {};
  std::vector<std::string> alternatives;
  for (const auto& tests : alternatives_) {
    add_new(alternatives, text_of(tests, before_name, before_value));
  }
  const bool is_one_exclusion = alternatives.size() == 1 && alternatives[0].starts_with("not ");
  return (is_one_exclusion ? "" : "only ") + join(alternatives, ", or ");
}

Condition operator&&(const Condition& one, const Condition& other) {
  Condition both;
  both.alternatives_.clear();
  for (const auto& some : one.alternatives_) {
    for (const auto& more : other.alternatives_) {
      both.alternatives_.push_back(some);
      for (const OptionTest& test : more) add_new(both.alternatives_.back(), test);
    }
  }
  return both;
}

Condition operator||(const Condition& one, const Condition& other) {
  Condition either = one;
  for (const auto& tests : other.alternatives_) add_new(either.alternatives_, tests);
  return either;
}

Condition with(std::string option, std::vector<std::string> values) {
  return Condition({.option = std::move(option), .values = std::move(values)});
}

Condition without(std::string option, std::vector<std::string> values) {
  return Condition({.option = std::move(option), .values = std::move(values), .is_one_of = false});
}

void check_range(std::string_view name, double value, const Bounds& bounds) {
  if (!bounds.contains(value)) {
    throw OptionError(fmt::format("{} = {} is outside {}", name, printable(value), bounds.text()));
  }
}

OptionSpec::OptionSpec(std::string_view option, std::string_view sentence, Condition when,
                       Accessor accessor)
    : name(option), help(sentence), condition(std::move(when)), accessor_(std::move(accessor)) {}

OptionValue OptionSpec::value(const void* options) const {
  // `find` changes nothing; it takes a non-const pointer because `set` needs one.
  const void* const member = accessor_.find(const_cast<void*>(options));  // NOLINT(*-const-cast)
  return std::visit(
      [&]<class Value>(const Value& /*type*/) -> OptionValue {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          return OptionChoice{*static_cast<const std::uint8_t*>(member)};
        } else {
          return *static_cast<const Value*>(member);
        }
      },
      accessor_.type);
}

void OptionSpec::set(void* options, const OptionValue& value) const {
  assert(value.index() == accessor_.type.index());
  void* const member = accessor_.find(options);
  std::visit(
      [&]<class Value>(const Value& now) {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          *static_cast<std::uint8_t*>(member) = static_cast<std::uint8_t>(now.number);
        } else {
          *static_cast<Value*>(member) = now;
        }
      },
      value);
}

void OptionSpec::check(const OptionValue& value) const {
  if (const auto* const number = std::get_if<double>(&value)) {
    check_range(name, *number, bounds);
  } else if (const auto* const count = std::get_if<std::uint64_t>(&value)) {
    check_range(name, static_cast<double>(*count), bounds);
  } else if (const auto* const automatic = std::get_if<std::optional<double>>(&value)) {
    if (*automatic) check_range(name, **automatic, bounds);
  } else if (const auto* const numbers = std::get_if<std::vector<double>>(&value)) {
    for (const double each : *numbers) check_range(name, each, bounds);
  } else if (const auto* const choice = std::get_if<OptionChoice>(&value)) {
    if (choice->number < names.size()) return;
    throw OptionError(
        fmt::format("{} = {} is not one of its {} values", name, choice->number, names.size()));
  }
}

void check_options(const std::vector<OptionSpec>& specs, const void* options) {
  for (const OptionSpec& spec : specs) spec.check(spec.value(options));
}

}  // namespace adacvar
