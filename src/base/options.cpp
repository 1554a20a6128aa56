#include <adacvar/base/options.hpp>

#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
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
std::string listed(const std::vector<std::string>& words) {
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
        test.values.empty() ? "" : fmt::format("{}{}", before_value, listed(test.values));
    const std::string name = fmt::format("{}{}{}", before_name, test.option, values);
    add_new(test.words.empty() ? (test.is_one_of ? wanted : excluded) : worded,
            test.words.empty() ? name : test.words);
  }
  if (!wanted.empty()) worded.push_back(fmt::format("with {}", fmt::join(wanted, " and ")));
  std::string text = fmt::format("{}", fmt::join(worded, " and "));
  if (excluded.empty()) return text;
  return text + (text.empty() ? "not with " : " but not with ") + listed(excluded);
}

bool has_all(const std::vector<OptionTest>& tests, const std::vector<OptionTest>& others) {
  return std::ranges::all_of(others, [&](const OptionTest& test) {
    return std::ranges::find(tests, test) != tests.end();
  });
}

// An alternative that asks for more than another adds nothing.
void drop_stricter(std::vector<std::vector<OptionTest>>& alternatives) {
  std::erase_if(alternatives, [&, all = alternatives](const auto& tests) {
    return std::ranges::any_of(
        all, [&](const auto& other) { return other != tests && has_all(tests, other); });
  });
}

}  // namespace

bool Condition::is_always() const noexcept {
  return std::ranges::any_of(alternatives_, [](const auto& tests) { return tests.empty(); });
}

bool Condition::holds(const std::function<bool(const OptionTest&)>& passes) const {
  return std::ranges::any_of(alternatives_,
                             [&](const auto& tests) { return std::ranges::all_of(tests, passes); });
}

Condition Condition::simplified(
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
  return (is_one_exclusion ? "" : "only ") + fmt::format("{}", fmt::join(alternatives, ", or "));
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

void detail::check_name_count(std::string_view name, std::uint64_t value, std::size_t count) {
  if (value >= count) {
    throw OptionError(fmt::format("{} = {} is not one of its {} values", name, value, count));
  }
}

}  // namespace adacvar
