#include "data/columns_like.hpp"

#include "data/class_labels.hpp"

#include <array>
#include <utility>

namespace adacvar {

namespace {

constexpr std::array kSeparators = {'\0', ',', ';', '\t', ' ', '|'};

}  // namespace

ReadOptions read_options(const SourceOptions& options) {
  ReadOptions read;
  read.separator = kSeparators.at(static_cast<std::size_t>(options.separator));
  if (options.header != HeaderChoice::automatic) read.header = options.header == HeaderChoice::yes;
  read.categorical = options.categorical;
  read.drop = options.drop;
  read.decimal = options.decimal;
  read.missing = options.missing;
  read.progress = options.progress;
  return read;
}

namespace {

// A decimal sign given for these rows takes precedence over the format found in training.
KnownNumbers known_numbers(const std::string& name, NumberFormat format, DecimalChoice decimal) {
  if (decimal != DecimalChoice::automatic) {
    format.decimal = decimal == DecimalChoice::comma ? ',' : '.';
    format.grouped = true;
  }
  return {name, std::move(format)};
}

}  // namespace

ReadOptions columns_like(const Preprocessor& training, ReadOptions options,
                         const std::vector<std::string>& extra_columns) {
  const Preprocessor::Parts& parts = training.parts();
  options.only = extra_columns;
  options.needs_rows = false;
  if (!parts.weight.empty()) options.only->push_back(parts.weight);
  const bool numeric_classes = are_number_names(parts.class_names);
  if (parts.task == Task::regression ||
      (numeric_classes && parts.target_format != NumberFormat{})) {
    options.known_numeric.push_back(
        known_numbers(parts.target, parts.target_format, options.decimal));
  } else if (!numeric_classes) {
    options.known_categorical.push_back(parts.target);
  }
  if (parts.prediction) {
    options.only->push_back(parts.prediction->name);
    options.known_names.push_back(parts.prediction->name);
    options.known_numeric.push_back(
        known_numbers(parts.prediction->name, parts.prediction->format, options.decimal));
  }
  for (const ColumnTransform& column : parts.columns) {
    options.only->push_back(column.name);
    options.known_names.push_back(column.name);
    if (column.categorical) {
      options.known_categorical.push_back(column.name);
    } else {
      options.known_numeric.push_back(known_numbers(column.name, column.format, options.decimal));
    }
  }
  return options;
}

}  // namespace adacvar
