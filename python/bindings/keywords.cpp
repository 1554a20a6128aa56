#include "keywords.hpp"

#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace adacvar::python {

namespace {

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

std::vector<std::string_view> choices_of(const Keyword& keyword) {
  std::vector<std::string_view> names = keyword.more_names;
  names.insert(names.end(), keyword.spec->names.begin(), keyword.spec->names.end());
  return names;
}

[[noreturn]] void refuse_type(const Keyword& keyword, const char* needed, const py::handle& given) {
  throw py::type_error(keyword.name() + " must be " + needed + ", not " +
                       std::string(py::repr(given)));
}

double number_of(const Keyword& keyword, const py::handle& given) {
  const double value = py::isinstance<py::bool_>(given) || py::isinstance<py::str>(given)
                           ? (PyErr_SetNone(PyExc_TypeError), -1.0)
                           : PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_type(keyword, "a number", given);
  }
  check_range(keyword.name(), value, keyword.spec->bounds);
  return value;
}

std::string text_of(const Keyword& keyword, const py::handle& given, const char* needed) {
  if (!py::isinstance<py::str>(given)) refuse_type(keyword, needed, given);
  return py::cast<std::string>(given);
}

OptionChoice choice_of(const Keyword& keyword, const py::handle& given) {
  const std::string text = text_of(keyword, given, "a name");
  const auto& names = keyword.spec->names;
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return {static_cast<std::size_t>(found - names.begin())};
  throw OptionError(keyword.name() + " = '" + text +
                    "' is not one of: " + joined(choices_of(keyword)));
}

std::optional<double> automatic_of(const Keyword& keyword, const py::handle& given) {
  const bool is_auto = py::isinstance<py::str>(given) && py::cast<std::string>(given) == "auto";
  if (given.is_none() || is_auto) return std::nullopt;
  return number_of(keyword, given);
}

OptionValue value_of(const Keyword& keyword, const py::handle& given) {
  return std::visit(
      [&]<class Value>(const Value& /*now*/) -> OptionValue {
        if constexpr (std::is_same_v<Value, double>) {
          return number_of(keyword, given);
        } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
          if (py::isinstance<py::bool_>(given)) refuse_type(keyword, "an integer", given);
          const std::uint64_t count = count_of(given, keyword.name().c_str());
          check_range(keyword.name(), static_cast<double>(count), keyword.spec->bounds);
          return count;
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return automatic_of(keyword, given);
        } else if constexpr (std::is_same_v<Value, OptionChoice>) {
          return choice_of(keyword, given);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return text_of(keyword, given, "a text");
        } else if constexpr (std::is_same_v<Value, bool>) {
          if (!py::isinstance<py::bool_>(given)) refuse_type(keyword, "True or False", given);
          return py::cast<bool>(given);
        } else {
          throw std::logic_error("lists are not keywords");
        }
      },
      keyword.spec->value(keyword.options));
}

/// As conditions name values: `auto`, a name, a number.
std::string condition_text(const Keyword& keyword) {
  const py::object value = keyword.value();
  return value.is_none() ? "auto" : std::string(py::str(value));
}

bool is_met(const OptionTest& test, const std::vector<Keyword>& keywords) {
  const auto found = std::ranges::find_if(
      keywords, [&](const Keyword& keyword) { return keyword.spec->name == test.option; });
  if (found == keywords.end()) return true;
  const std::string now = condition_text(*found);
  const bool is_one = test.values.empty()
                          ? now != "auto"
                          : std::ranges::find(test.values, now) != test.values.end();
  return is_one == test.is_one_of;
}

std::string condition_words(const Condition& condition, const std::vector<Keyword>& keywords) {
  const auto is_keyword = [&](const std::string& name) {
    return std::ranges::any_of(keywords,
                               [&](const Keyword& each) { return each.spec->name == name; });
  };
  std::string text = condition
                         .simplify([&](const OptionTest& test) -> std::optional<bool> {
                           if (is_keyword(test.option)) return std::nullopt;
                           return true;
                         })
                         .text();
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string range_text(const Keyword& keyword) {
  const OptionValue now = keyword.spec->value(keyword.options);
  if (std::holds_alternative<OptionChoice>(now)) return joined(choices_of(keyword));
  const bool is_number = std::holds_alternative<double>(now) ||
                         std::holds_alternative<std::uint64_t>(now) ||
                         std::holds_alternative<std::optional<double>>(now);
  return is_number ? keyword.spec->bounds.text() : "";
}

std::string nearest(const std::string& name, const std::vector<Keyword>& keywords) {
  const py::object matches = py::module_::import("difflib").attr("get_close_matches");
  py::list names;
  for (const Keyword& keyword : keywords) names.append(keyword.name());
  const py::list found = matches(name, names, 1);
  return found.empty() ? "" : "; did you mean '" + py::cast<std::string>(found[0]) + "'?";
}

}  // namespace

std::string Keyword::name() const {
  std::string text(spec->name);
  std::ranges::replace(text, '-', '_');
  return text;
}

py::object Keyword::value() const {
  if (!more_names.empty()) return py::str(std::string(more_names[0]));
  return std::visit(
      [&]<class Value>(const Value& now) -> py::object {
        if constexpr (std::is_same_v<Value, OptionChoice>) {
          return py::str(std::string(spec->names.at(now.number)));
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return now ? py::object(py::float_(*now)) : py::object(py::none());
        } else if constexpr (std::is_same_v<Value, std::vector<double>> ||
                             std::is_same_v<Value, std::vector<std::string>>) {
          throw std::logic_error("lists are not keywords");
        } else {
          return py::cast(now);
        }
      },
      spec->value(options));
}

std::string Keyword::help() const {
  const std::string range = range_text(*this);
  std::string text = name() + ": " + std::string(spec->help);
  if (!range.empty()) text += spec->names.empty() ? "; in " + range : "; one of: " + range;
  return text;
}

std::string Keyword::type() const {
  return std::visit(
      []<class Value>(const Value& /*now*/) -> std::string {
        if constexpr (std::is_same_v<Value, double>) return "float";
        if constexpr (std::is_same_v<Value, std::uint64_t>) return "int";
        if constexpr (std::is_same_v<Value, std::optional<double>>) return "float | None";
        if constexpr (std::is_same_v<Value, bool>) return "bool";
        return "str";
      },
      spec->value(options));
}

void set_keywords(const std::vector<Keyword>& keywords, const py::dict& given) {
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found = std::ranges::find_if(
        keywords, [&](const Keyword& keyword) { return keyword.name() == name; });
    if (found == keywords.end()) {
      throw py::type_error("'" + name + "' is not a keyword" + nearest(name, keywords));
    }
    if (!found->more_names.empty() && py::isinstance<py::str>(value) &&
        std::ranges::find(found->more_names, py::cast<std::string>(value)) !=
            found->more_names.end()) {
      continue;
    }
    found->spec->set(found->options, value_of(*found, value));
  }
}

void refuse_unused(const std::vector<Keyword>& keywords, const py::dict& given) {
  for (const Keyword& keyword : keywords) {
    if (!given.contains(keyword.name().c_str())) continue;
    const Condition& condition = keyword.spec->condition;
    if (condition.holds([&](const OptionTest& test) { return is_met(test, keywords); })) continue;
    throw OptionError(keyword.name() +
                      " has no effect here: " + condition_words(condition, keywords));
  }
}

py::list describe(const std::vector<Keyword>& keywords) {
  py::list all;
  for (const Keyword& keyword : keywords) {
    py::dict one;
    one["name"] = keyword.name();
    one["default"] = keyword.value();
    one["type"] = keyword.type();
    one["range"] = keyword.spec->names.empty() ? range_text(keyword) : "";
    py::list choices;
    for (const std::string_view choice : choices_of(keyword)) choices.append(std::string(choice));
    one["choices"] = py::tuple(choices);
    one["help"] = std::string(keyword.spec->help);
    one["condition"] = condition_words(keyword.spec->condition, keywords);
    all.append(one);
  }
  return all;
}

std::string signature(const std::vector<Keyword>& keywords) {
  std::string text;
  for (const Keyword& keyword : keywords) {
    text += ", " + keyword.name() + ": " + keyword.type() + " = " +
            std::string(py::repr(keyword.value()));
  }
  return text;
}

std::string help(const std::vector<Keyword>& keywords) {
  std::string text;
  for (const Keyword& keyword : keywords) text += "    " + keyword.help() + "\n";
  return text;
}

}  // namespace adacvar::python
