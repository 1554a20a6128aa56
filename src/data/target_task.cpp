#include "data/target_task.hpp"

#include "base/collectives.hpp"
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

/// Numbers of classes that are the same on all ranks; that of missing values is not used.
std::vector<std::uint32_t> number_classes(std::span<const double> values, Communicator& ranks) {
  const std::vector<double> distinct = distinct_in(
      std::vector<double>(values.begin(), values.end()), all_rows(values.size()), ranks);
  std::vector<std::uint32_t> classes;
  classes.reserve(values.size());
  for (const double value : values) {
    const auto place = std::ranges::lower_bound(distinct, value) - distinct.begin();
    classes.push_back(static_cast<std::uint32_t>(place));
  }
  return classes;
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
void check_text_classes(const RawData& data, const std::string& name, Communicator& ranks) {
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return;
  const Column& target = find_column(*table, name, "target");
  if (!target.categorical || target.declared) return;
  const std::size_t classes = target.levels.size();
  std::size_t rows = 0;
  for (const std::size_t count : count_levels(target)) rows += count;
  rows = sum_of(ranks, rows);
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

std::vector<double> DistinctValues::on(Communicator& ranks) && {
  if (ranks.size() > 1) {
    for (const double value : gather_values(ranks, std::span<const double>(values_))) add(value);
  }
  return std::move(values_);
}

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
                                          std::span<const Index> training_rows,
                                          Communicator& ranks) {
  const auto* table = std::get_if<Table>(&data.content);
  if (table == nullptr) return std::nullopt;
  const Column& target = find_column(*table, name, "target");
  if (std::ranges::none_of(target.levels, is_number_in_any_format)) return std::nullopt;
  return numeric_in(target, training_rows, ranks);
}

std::vector<std::uint32_t> classes_among(const RawData& data, const std::string& target,
                                         TaskChoice task, std::span<const Index> rows,
                                         Communicator& ranks) {
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
  if (task == TaskChoice::automatic && !has_two_values(values, rows, ranks)) return {};
  return ranks.size() == 1 ? number_classes(values) : number_classes(values, ranks);
}

std::optional<Task> chosen_task(const RawData& data, const std::string& target,
                                const std::string& weight, TaskChoice choice,
                                std::span<const Index> training_rows, Communicator& ranks) {
  if (choice != TaskChoice::automatic) return static_cast<Task>(static_cast<int>(choice) - 1);
  if (const auto numeric = numeric_in_training(data, target, training_rows, ranks)) {
    const std::vector<double> values = values_of(numeric->numbers);
    if (has_two_values(values, labelled_rows(data, target, weight), ranks)) return std::nullopt;
    return Task::regression;
  }
  const std::vector<Index> rows = labelled_rows(data, target, weight);
  const bool classes = !classes_among(data, target, choice, rows, ranks).empty();
  if (!any_of(ranks, classes)) return Task::regression;
  check_text_classes(data, target, ranks);
  return std::nullopt;
}

std::string whole_values_note(const RawData& data, const std::string& target, TaskChoice task,
                              Communicator& ranks) {
  constexpr std::size_t kMostValues = 20;
  const std::vector<double> values = numeric_target(data, target);
  DistinctValues found(kMostValues);
  for (const double value : values) found.add(value);
  const std::vector<double> distinct = std::move(found).on(ranks);
  const std::size_t count = sum_of(ranks, values.size());
  const auto is_whole = [](double value) { return value == std::floor(value); };
  if (task != TaskChoice::automatic || distinct.size() < 3 || distinct.size() > kMostValues ||
      count < kRowsPerClass * distinct.size() || !std::ranges::all_of(distinct, is_whole)) {
    return {};
  }
  return fmt::format(
      "target '{}' has {} whole values, {} to {}, and is learned as a number; --task multiclass "
      "makes them classes",
      target, distinct.size(), distinct.front(), distinct.back());
}

}  // namespace adacvar
