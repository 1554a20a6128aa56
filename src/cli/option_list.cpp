#include "cli/option_list.hpp"

#include "base/did_you_mean.hpp"
#include "data/field_reader.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace adacvar::cli {

namespace {

// The whole text, or nothing.
template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [place, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || place != end) return std::nullopt;
  return value;
}

std::vector<std::string> values_of(const CliOption& option) {
  const std::string text = option.text();
  if (text.empty()) return {};
  if (option.allowed != kListText) return {text};
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

double read_number(std::string_view name, const std::string& text) {
  const auto value = parse<double>(text);
  if (!value) throw OptionError(fmt::format("{} = '{}' is not a number", name, text));
  return *value;
}

std::uint64_t read_count(std::string_view name, const std::string& text, const Bounds& bounds) {
  const auto value = parse<std::uint64_t>(text);
  if (!value) {
    // 1e6 is a whole number to most people.
    const auto real = parse<double>(text);
    if (real && std::floor(*real) == *real && *real >= 0 && *real < 9e15) {
      check_range(name, *real, bounds);
      return static_cast<std::uint64_t>(*real);
    }
    throw OptionError(
        fmt::format("{} = '{}' is not a whole number in {}", name, text, bounds.text()));
  }
  check_range(name, static_cast<double>(*value), bounds);
  return *value;
}

std::vector<std::string> read_list(std::string_view name, const std::string& text) {
  std::vector<std::string> parts;
  try {
    FieldReader reader(text, ',');
    while (reader.next_row()) {
      while (!reader.row_ended()) parts.emplace_back(reader.field());
    }
  } catch (const RowError& error) {
    throw OptionError(fmt::format("{} = '{}': {}", name, text, error.message));
  }
  if (std::ranges::find(parts, std::string()) != parts.end()) {
    throw OptionError(fmt::format("{} = '{}' has an empty part", name, text));
  }
  return parts;
}

bool read_switch(std::string_view name, const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw OptionError(fmt::format("{} = '{}' is not one of: true, false", name, text));
}

std::size_t read_choice(std::string_view name, const std::string& text,
                        const std::vector<std::string>& choices) {
  const auto found = std::ranges::find(choices, text);
  if (found == choices.end()) {
    throw OptionError(fmt::format("{} = '{}' is not one of: {}{}", name, text,
                                  fmt::join(choices, ", "), did_you_mean(text, choices)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::string list_text(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string shortest(double value) { return fmt::format("{}", value); }

const CliOption* OptionList::find_or_null(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &CliOption::name);
  return found == options_.end() ? nullptr : &*found;
}

std::vector<OptionState> OptionList::states(const std::map<std::string, std::string>& given) const {
  std::vector<OptionState> states = fixed_;
  for (const CliOption& option : options_) {
    const auto place = given.find(option.name);
    states.push_back({.name = option.name,
                      .values = values_of(option),
                      .is_given = place != given.end(),
                      .used = option.used,
                      .where = place != given.end() ? place->second : ""});
  }
  return states;
}

Condition OptionList::condition_of(const CliOption& option) const {
  return option.used.simplified([this](const OptionTest& test) -> std::optional<bool> {
    if (find_or_null(test.option) != nullptr) return std::nullopt;
    return passes(test, fixed_);
  });
}

CliOption& OptionList::find(std::string_view name) {
  const auto found = std::ranges::find(options_, name, &CliOption::name);
  if (found == options_.end()) throw std::logic_error("no option " + std::string(name));
  return *found;
}

}  // namespace adacvar::cli
