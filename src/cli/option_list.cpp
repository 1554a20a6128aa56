#include "cli/option_list.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "base/option_states.hpp"
#include "data/field_reader.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace adacvar::cli {

namespace {

// Parses the whole text; empty if any of it is left over.
template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

double read_number_in(std::string_view name, const std::string& text, const Bounds& bounds) {
  const double value = read_number(name, text);
  check_range(name, value, bounds);
  return value;
}

double read_share(const OptionSpec& spec, const std::string& text) {
  const double value = read_number_in(spec.name, text, spec.bounds);
  if (spec.is_percentage && value >= 1 && !text.ends_with('%')) {
    throw OptionError(
        fmt::format("{} = {}: write {}% or {:g}", spec.name, text, text, value / 100));
  }
  return value;
}

std::vector<double> read_numbers(std::string_view name, const std::string& text,
                                 const Bounds& bounds) {
  std::vector<double> values;
  for (const std::string& part : read_list(name, text)) {
    values.push_back(read_number_in(name, part, bounds));
  }
  return values;
}

std::vector<std::string> choices_of(const OptionSpec& spec) {
  return {spec.names.begin(), spec.names.end()};
}

// Parses the text of an option; `type` is any value of the option's type.
OptionValue read_value(const OptionSpec& spec, const std::string& text, const OptionValue& type) {
  struct Reader {
    const OptionSpec& spec;
    const std::string& text;

    OptionValue operator()(double) const { return read_number_in(spec.name, text, spec.bounds); }
    OptionValue operator()(std::uint64_t) const { return read_count(spec.name, text, spec.bounds); }
    OptionValue operator()(std::optional<double>) const {
      if (text == "auto") return std::optional<double>();
      return std::optional(read_share(spec, text));
    }
    OptionValue operator()(const std::vector<double>&) const {
      return read_numbers(spec.name, text, spec.bounds);
    }
    OptionValue operator()(OptionChoice) const {
      return OptionChoice{read_choice(spec.name, text, choices_of(spec))};
    }
    OptionValue operator()(const std::string&) const { return text; }
    OptionValue operator()(const std::vector<std::string>&) const {
      return read_list(spec.name, text);
    }
    OptionValue operator()(bool) const { return read_flag(spec.name, text); }
  };
  return std::visit(Reader{spec, text}, type);
}

std::string allowed_text(const OptionSpec& spec, const OptionValue& type) {
  struct Text {
    const OptionSpec& spec;

    std::string operator()(double) const { return spec.bounds.text(); }
    std::string operator()(std::uint64_t) const { return "integer"; }
    std::string operator()(std::optional<double>) const { return "auto or " + spec.bounds.text(); }
    std::string operator()(const std::vector<double>&) const {
      return "numbers in " + spec.bounds.text();
    }
    std::string operator()(OptionChoice) const { return join(spec.names, "|"); }
    std::string operator()(const std::string&) const { return "text"; }
    std::string operator()(const std::vector<std::string>&) const { return kListText; }
    std::string operator()(bool) const { return {}; }
  };
  return std::visit(Text{spec}, type);
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
  const bool is_percent = text.ends_with('%');
  std::string number = is_percent ? text.substr(0, text.size() - 1) : text;
  if (is_percent && number.ends_with(' ')) number.pop_back();  // as texts write it: 5 %
  const auto value = parse<double>(number);
  if (!value) throw OptionError(fmt::format("{} = '{}' is not a number", name, text));
  return is_percent ? *value / 100 : *value;
}

std::uint64_t read_count(std::string_view name, const std::string& text, const Bounds& bounds) {
  const auto value = parse<std::uint64_t>(text);
  if (!value) {
    // Accepts 1e6 as an integer.
    const auto real = parse<double>(text);
    if (real && std::floor(*real) == *real && *real >= 0 && *real < 9e15) {
      check_range(name, *real, bounds);
      return static_cast<std::uint64_t>(*real);
    }
    throw OptionError(fmt::format("{} = '{}' is not an integer in {}", name, text, bounds.text()));
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
    throw OptionError(fmt::format("{} = '{}' has an empty item", name, text));
  }
  return parts;
}

bool read_flag(std::string_view name, const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw OptionError(fmt::format("{} = '{}' is not one of: true, false", name, text));
}

std::size_t read_choice(std::string_view name, const std::string& text,
                        const std::vector<std::string>& choices) {
  const auto found = std::ranges::find(choices, text);
  if (found == choices.end()) {
    throw OptionError(fmt::format("{} = '{}' is not one of: {}{}", name, text, join(choices, ", "),
                                  did_you_mean(text, choices)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::string list_text(const std::vector<std::string>& parts) { return join(parts, ","); }

std::string shortest_text(double value) { return fmt::format("{}", value); }

const CliOption* OptionList::find_or_null(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &CliOption::name);
  return found == options_.end() ? nullptr : &*found;
}

std::vector<OptionState> OptionList::states(const std::map<std::string, std::string>& given) const {
  std::vector<OptionState> states = fixed_;
  for (const CliOption& option : options_) {
    const auto location = given.find(option.name);
    states.push_back({.name = option.name,
                      .values = values_of(option),
                      .is_given = location != given.end(),
                      .condition = option.condition,
                      .location = location != given.end() ? location->second : ""});
  }
  return states;
}

Condition OptionList::condition_of(const CliOption& option) const {
  return option.condition.simplify([this](const OptionTest& test) -> std::optional<bool> {
    if (find_or_null(test.option) != nullptr) return std::nullopt;
    return passes(test, fixed_);
  });
}

void OptionList::add(const std::string& group, const std::vector<OptionSpec>& specs, void* options,
                     std::initializer_list<std::string_view> without) {
  for (const OptionSpec& spec : specs) {
    if (std::ranges::find(without, spec.name) != without.end()) continue;
    const OptionValue value = spec.value(options);
    CliOption option;
    option.name = spec.name;
    option.group = group;
    option.help = spec.help;
    option.condition = spec.condition;
    option.allowed = allowed_text(spec, value);
    option.choices = choices_of(spec);
    option.is_flag = std::holds_alternative<bool>(value);
    option.text = [&spec, options] { return list_text(value_texts(spec, spec.value(options))); };
    option.default_text = option.text();
    option.set = [&spec, options, value](const std::string& text) {
      spec.set(options, read_value(spec, text, value));
    };
    options_.push_back(std::move(option));
  }
}

CliOption& OptionList::find(std::string_view name) {
  const auto found = std::ranges::find(options_, name, &CliOption::name);
  if (found == options_.end()) throw std::logic_error("no option " + std::string(name));
  return *found;
}

}  // namespace adacvar::cli
