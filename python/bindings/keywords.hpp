#pragma once

#include <adacvar/base/options.hpp>

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::python {

namespace py = pybind11;

/// An option as a keyword of Python: its entry in the list of options and the struct that has it.
struct Keyword {
  const OptionSpec* spec;
  void* options;
  std::vector<std::string_view> more_names = {};  ///< choices before those of the list

  [[nodiscard]] std::string name() const;  ///< with underscores
  [[nodiscard]] py::object value() const;  ///< as it stands in the struct
  /// A line for docstrings: `alpha: tail share ... (0, 1]`.
  [[nodiscard]] std::string help() const;
  /// Its annotation in stubs.
  [[nodiscard]] std::string type() const;
};

/// Returns the options of `names` in the struct, or all of them.
template <class Options>
std::vector<Keyword> keywords_of(Options& options,
                                 const std::vector<std::string_view>& names = {}) {
  std::vector<Keyword> keywords;
  for (const OptionSpec& spec : Options::options()) {
    if (names.empty() || std::ranges::find(names, spec.name) != names.end()) {
      keywords.push_back({&spec, &options});
    }
  }
  return keywords;
}

/// Sets the options that `given` names. A keyword of `more_names` is left to the caller.
/// Throws: TypeError for an unknown keyword, with the nearest one, or a value of another type;
/// ValueError for a value that is not allowed, with those that are.
void set_keywords(const std::vector<Keyword>& keywords, const py::dict& given);

/// Throws ValueError for the first of `given` that has no effect beside the others, with the
/// condition under which it has one. Conditions on options that are not keywords count as met.
void refuse_unused(const std::vector<Keyword>& keywords, const py::dict& given);

/// Returns a dictionary per keyword: name, default, type, range, choices, help and condition.
[[nodiscard]] py::list describe(const std::vector<Keyword>& keywords);

/// `, eta: float | None = None, ...`, for signatures in docstrings.
[[nodiscard]] std::string signature(const std::vector<Keyword>& keywords);
/// The lines of `help`, indented by four blanks.
[[nodiscard]] std::string help(const std::vector<Keyword>& keywords);

}  // namespace adacvar::python
