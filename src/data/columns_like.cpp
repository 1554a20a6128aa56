#include "data/columns_like.hpp"

#include "data/class_labels.hpp"
#include "data/number_text.hpp"

#include <algorithm>
#include <array>

namespace adacvar {

namespace {

constexpr std::array kSeparators = {'\0', ',', ';', '\t', ' '};

// Classes that were numbers are named in their shortest form; text is kept as it was written.
bool is_shortest_number(const std::string& name) {
  double number = 0;
  return parse_number(name, number) && number_name(number) == name;
}

}  // namespace

ReadOptions read_options(const SourceOptions& options) {
  ReadOptions read;
  read.separator = kSeparators.at(static_cast<std::size_t>(options.separator));
  if (options.header != HeaderChoice::automatic) read.header = options.header == HeaderChoice::yes;
  read.categorical = options.categorical;
  read.drop = options.drop;
  return read;
}

ReadOptions columns_like(const Preprocessor& training, ReadOptions options,
                         const std::vector<std::string>& also) {
  const Preprocessor::Parts& parts = training.parts();
  options.only = also;
  if (!std::ranges::all_of(parts.class_names, is_shortest_number)) {
    options.known_categorical.push_back(parts.target);
  }
  for (const ColumnTransform& column : parts.columns) {
    options.only->push_back(column.name);
    options.known_names.push_back(column.name);
    if (column.categorical) options.known_categorical.push_back(column.name);
  }
  return options;
}

}  // namespace adacvar
