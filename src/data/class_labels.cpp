#include "data/class_labels.hpp"

#include "base/collectives.hpp"
#include "data/number_format.hpp"
#include "data/number_text.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

void sort_names(std::vector<std::string>& names) {
  double ignored = 0;
  const bool numeric =
      std::ranges::all_of(names, [&](const auto& name) { return parse_number(name, ignored); });
  if (numeric) {
    const auto key = [](const std::string& name) {
      double number = 0;
      (void)parse_number(name, number);
      return number;
    };
    std::ranges::sort(names, [&](const auto& a, const auto& b) {
      const double first = key(a);
      const double second = key(b);
      return first != second ? first < second : a < b;
    });
  } else {
    std::ranges::sort(names);
  }
  const auto repeats = std::ranges::unique(names);
  names.erase(repeats.begin(), repeats.end());
}

std::string number_name(double number) {
  return fmt::format("{}", number == 0 ? 0.0 : number);  // no "-0"
}

std::string value_name(const Column& column, std::size_t row) {
  return column.categorical ? std::string(column.levels[column.codes[row]])
                            : number_name(column.numbers[row]);
}

bool is_missing_at(const Column& column, std::size_t row) {
  return column.categorical ? column.codes[row] == kMissingLevel : std::isnan(column.numbers[row]);
}

const TextValue* text_at(const Column& column, std::size_t row) {
  const auto found = std::ranges::lower_bound(column.texts, row, {}, &TextValue::row);
  return found != column.texts.end() && found->row == row ? &*found : nullptr;
}

std::string place_of(const Table& table, const Column& column, std::size_t row) {
  const TextValue* const text = text_at(column, row);
  return text != nullptr && text->line > 0 ? fmt::format("line {}", text->line)
                                           : fmt::format("row {}", table.first_row + row + 1);
}

bool are_number_names(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& name) {
    double number = 0;
    return parse_number(name, number) && number_name(number) == name;
  });
}

namespace {

void make_distinct(std::vector<double>& numbers) {
  std::ranges::sort(numbers);
  const auto repeats = std::ranges::unique(numbers);
  numbers.erase(repeats.begin(), repeats.end());
}

}  // namespace

std::vector<double> distinct_in(const CompactNumbers& numbers, std::span<const Index> rows,
                                Communicator& ranks) {
  std::vector<double> distinct;
  for (const Index row : rows) {
    if (!std::isnan(numbers[row])) distinct.push_back(numbers[row]);
  }
  make_distinct(distinct);
  if (ranks.size() == 1) return distinct;
  distinct = gather_values(ranks, std::span<const double>(distinct));
  make_distinct(distinct);
  return distinct;
}

std::vector<std::string> names_in(const Column& column, std::span<const Index> rows,
                                  Communicator& ranks) {
  std::vector<std::string> names;
  if (column.categorical) {
    std::vector<std::size_t> counts = count_levels(column, rows);
    sum_counts(ranks, counts);
    for (std::size_t level = 0; level < counts.size(); ++level) {
      if (counts[level] > 0) names.emplace_back(column.levels[level]);
    }
  } else {
    for (const double number : distinct_in(column.numbers, rows, ranks)) {
      names.push_back(number_name(number));
    }
  }
  sort_names(names);
  return names;
}

void check_rows(std::span<const Index> rows, std::size_t table_rows, const std::string& source) {
  for (const Index row : rows) {
    if (row >= table_rows) {
      throw OptionError(fmt::format("row = {} is outside [0, {})", row, table_rows));
    }
  }
  if (rows.empty()) throw DataError("no rows are given", source);
}

}  // namespace adacvar
