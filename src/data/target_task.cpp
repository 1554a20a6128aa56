#include "data/target_task.hpp"

#include "data/class_labels.hpp"
#include "data/number_format.hpp"
#include "data/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace adacvar {

namespace {

constexpr std::size_t kMostTextClasses = 50;
constexpr std::size_t kRowsPerClass = 5;

std::vector<std::uint32_t> number_classes(std::span<const double> values) {
  std::unordered_map<double, std::uint32_t> numbers;
  std::vector<std::uint32_t> classes;
  classes.reserve(values.size());
  for (const double value : values) {
    classes.push_back(
        numbers.emplace(value, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return classes;
}

/// Returns the distinct values that are not missing, in order, at most `most` + 1.
std::vector<double> distinct_values(std::span<const double> values, std::size_t most) {
  std::vector<double> distinct;
  for (const double value : values) {
    const auto place = std::ranges::lower_bound(distinct, value);
    if (std::isnan(value) || (place != distinct.end() && *place == value)) continue;
    distinct.insert(place, value);
    if (distinct.size() > most) break;
  }
  return distinct;
}

/// True if `rows` have two distinct values, not counting missing ones.
bool has_two_values(std::span<const double> values, std::span<const Index> rows) {
  std::vector<double> distinct;
  for (const Index row : rows) {
    const double value = values[row];
    if (std::isnan(value) || std::ranges::find(distinct, value) != distinct.end()) continue;
    distinct.push_back(value);
    if (distinct.size() > 2) return false;
  }
  return distinct.size() == 2;
}

std::vector<double> values_of(const CompactNumbers& numbers) {
  std::vector<double> values(numbers.size());
  std::ranges::copy(numbers, values.begin());
  return values;
}

/// Returns the numbers of a numeric target; empty for any other.
std::vector<double> numeric_target(const RawData& data, const std::string& target) {
  if (const auto* sparse = std::get_if<SparseRows>(&data.content)) return sparse->target;
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return {};
  return values_of(find_column(*table, target, "target").numbers);
}

// Numbers in an unrecognised format, or free text, would make every row a class.
void check_text_classes(const RawData& data, const std::string& name) {
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return;
  const Column& target = find_column(*table, name, "target");
  if (!target.categorical || target.declared) return;
  const std::size_t classes = target.levels.size();
  std::size_t rows = 0;
  for (const std::size_t count : count_levels(target)) rows += count;
  if (classes <= 2 || (classes <= kMostTextClasses && rows >= kRowsPerClass * classes)) return;
  const auto word = std::ranges::find_if_not(target.levels, is_number_in_any_format);
  const bool numbers = word == target.levels.end();
  throw OptionError(fmt::format(
      "task is not given: target '{}' is text with {} different values in {} rows, such as '{}'; "
      "--task multiclass takes them for classes, --task regression for numbers{}",
      name, classes, rows, numbers ? target.levels[0] : std::string_view(*word),
      numbers ? ", --decimal point or --decimal comma sets how numbers are read" : ""));
}

}  // namespace

std::vector<Index> all_rows(std::size_t rows) {
  std::vector<Index> result(rows);
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

std::vector<Index> weighted_rows(const RawData& data, const std::string& weight,
                                 std::span<const Index> rows) {
  const auto* table = std::get_if<Table>(&data.content);
  if (weight.empty() || table == nullptr) return {rows.begin(), rows.end()};
  return rows_with_weight(*table, weight, rows);
}

std::vector<Index> labelled_rows(const RawData& data, const std::string& target,
                                 const std::string& weight) {
  std::vector<Index> rows = weighted_rows(data, weight, all_rows(data.rows()));
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return rows;
  const Column& column = find_column(*table, target, "target");
  std::vector<bool> has_text(table->rows, false);
  for (const TextValue& text : column.texts) has_text[text.row] = true;
  std::erase_if(rows, [&](Index row) { return is_missing_at(column, row) && !has_text[row]; });
  return rows;
}

std::optional<Column> numeric_in_training(const RawData& data, const std::string& name,
                                          std::span<const Index> training_rows) {
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return std::nullopt;
  const Column& target = find_column(*table, name, "target");
  if (std::ranges::none_of(target.levels, is_number_in_any_format)) return std::nullopt;
  return numeric_in(target, training_rows);
}

std::vector<std::uint32_t> classes_among(const RawData& data, const std::string& target,
                                         TaskChoice task, std::span<const Index> rows) {
  if (task == TaskChoice::regression) return {};
  if (const auto* images = std::get_if<Images>(&data.content)) {
    return {images->labels.begin(), images->labels.end()};
  }
  const auto* table = std::get_if<Table>(&data.content);
  if (table != nullptr) {
    const Column& column = find_column(*table, target, "target");
    if (column.categorical) return column.codes;
  }
  const std::vector<double> values = numeric_target(data, target);
  if (task == TaskChoice::automatic && !has_two_values(values, rows)) return {};
  return number_classes(values);
}

std::optional<Task> chosen_task(const RawData& data, const std::string& target,
                                const std::string& weight, TaskChoice choice,
                                std::span<const Index> training_rows) {
  if (choice != TaskChoice::automatic) return static_cast<Task>(static_cast<int>(choice) - 1);
  if (const auto numeric = numeric_in_training(data, target, training_rows)) {
    const std::vector<double> values = values_of(numeric->numbers);
    if (has_two_values(values, labelled_rows(data, target, weight))) return std::nullopt;
    return Task::regression;
  }
  const std::vector<Index> rows = labelled_rows(data, target, weight);
  if (classes_among(data, target, choice, rows).empty()) return Task::regression;
  check_text_classes(data, target);
  return std::nullopt;
}

std::string whole_values_note(const RawData& data, const std::string& target, TaskChoice task) {
  constexpr std::size_t kMostValues = 20;
  const std::vector<double> values = numeric_target(data, target);
  const std::vector<double> distinct = distinct_values(values, kMostValues);
  const auto is_whole = [](double value) { return value == std::floor(value); };
  if (task != TaskChoice::automatic || distinct.size() < 3 || distinct.size() > kMostValues ||
      values.size() < kRowsPerClass * distinct.size() || !std::ranges::all_of(distinct, is_whole)) {
    return {};
  }
  return fmt::format(
      "target '{}' has {} whole values, {} to {}, and is learned as a number; --task multiclass "
      "makes them classes",
      target, distinct.size(), distinct.front(), distinct.back());
}

}  // namespace adacvar
