#include <adacvar/data/prepare_data.hpp>

#include "data/class_labels.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

namespace adacvar {

namespace {

std::vector<Index> all_rows(std::size_t rows) {
  std::vector<Index> result(rows);
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

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

bool has_two_values(std::span<const double> values) {
  const auto other = std::ranges::find_if(values, [&](double v) { return v != values[0]; });
  return other != values.end() &&
         std::ranges::all_of(values, [&](double v) { return v == values[0] || v == *other; });
}

/// None where the preprocessor finds it out. Whether numbers are classes is asked of all rows: the
/// training rows of a small table may well have two values only.
std::optional<Task> chosen_task(const RawData& data, const std::string& target, TaskChoice choice) {
  if (choice != TaskChoice::automatic) return static_cast<Task>(static_cast<int>(choice) - 1);
  if (classes_of(data, target, choice).empty()) return Task::regression;
  return std::nullopt;
}

std::string target_of(const RawData& data, const std::string& given) {
  if (std::holds_alternative<Images>(data.content)) {
    if (given.empty() || given == "label") return "label";
    throw OptionError(fmt::format(
        "target = '{}': the target of pictures is their labels, called 'label'", given));
  }
  if (std::holds_alternative<SparseRows>(data.content)) {
    if (given.empty() || given == "target") return "target";
    throw OptionError(
        fmt::format("target = '{}': the target of a LIBSVM file is its labels, "
                    "called 'target'",
                    given));
  }
  if (!given.empty()) return given;
  if (!data.target.empty()) return data.target;
  throw OptionError(fmt::format("target is not given; the columns of {} are: {}", data.source(),
                                column_names(std::get<Table>(data.content))));
}

SplitShares shares_for(const DataOptions& options) {
  const bool valid_file = !options.valid_data.empty();
  const bool test_file = !options.test_data.empty();
  if (options.split.empty()) {
    SplitShares shares;
    if (valid_file) shares.valid = 0;
    if (test_file) shares.test = 0;
    const double sum = shares.train + shares.valid + shares.test;
    return {shares.train / sum, shares.valid / sum, shares.test / sum};
  }
  if (options.split.size() != 3) {
    throw OptionError(fmt::format("split has {} shares, it needs three: training, validation, test",
                                  options.split.size()));
  }
  const SplitShares shares{options.split[0], options.split[1], options.split[2]};
  if ((valid_file && shares.valid > 0) || (test_file && shares.test > 0)) {
    throw OptionError(fmt::format("split = {}: the {} rows come from a file, so their share is 0",
                                  fmt::join(options.split, ","),
                                  valid_file && shares.valid > 0 ? "validation" : "test"));
  }
  return shares;
}

// The set's own test rows stay test rows; of the others a sixth is for validation.
SplitShares own_shares(const DataOptions& options) {
  if (!options.valid_data.empty()) return {.train = 1, .valid = 0, .test = 0, .own_test = true};
  return {.train = 5.0 / 6, .valid = 1.0 / 6, .test = 0, .own_test = true};
}

Preprocessor fit(const RawData& data, std::span<const Index> rows,
                 const PreprocessOptions& options) {
  return std::visit([&](const auto& content) { return Preprocessor::fit(content, rows, options); },
                    data.content);
}

Dataset apply(const Preprocessor& preprocessor, const RawData& data, std::span<const Index> rows,
              std::string_view part, std::vector<std::string>& notes) {
  if (rows.empty()) return {};
  if (const auto* sparse = std::get_if<SparseRows>(&data.content)) {
    return preprocessor.apply(*sparse, rows);
  }
  if (const auto* images = std::get_if<Images>(&data.content)) {
    return preprocessor.apply(*images, rows);
  }
  ApplyReport report;
  Dataset result = preprocessor.apply(std::get<Table>(data.content), rows, &report);
  if (std::string note = unknown_note(report, part); !note.empty()) {
    notes.push_back(std::move(note));
  }
  return result;
}

void note_empty_parts(const Split& split, const SplitShares& shares,
                      std::vector<std::string>& notes) {
  const auto note = [&](const std::vector<Index>& rows, double share, std::string_view part) {
    if (share > 0 && rows.empty()) {
      notes.push_back(fmt::format("a share of {:g} leaves no row for {}", share, part));
    }
  };
  note(split.valid, shares.valid, "validation");
  note(split.test, shares.test, "test");
}

// One feature per row fits anything in training and helps nowhere else.
void note_many_levels(const Preprocessor& preprocessor, std::size_t rows,
                      std::vector<std::string>& notes) {
  for (const ColumnTransform& column : preprocessor.parts().columns) {
    if (column.levels.size() <= 20 || 2 * column.levels.size() <= rows) continue;
    notes.push_back(fmt::format(
        "column '{}' is taken for {} categories in {} rows: an id to drop, or numbers with words "
        "among them?",
        column.name, column.levels.size(), rows));
  }
}

Dataset apply_file(const Preprocessor& preprocessor, const std::string& name,
                   const DataOptions& options, std::string_view part,
                   std::vector<std::string>& notes) {
  // What was left out or a category in training is known; this file need not have it.
  SourceOptions source = options.source;
  source.categorical.clear();
  source.drop.clear();
  const RawData data = read_data_like(preprocessor, name, source);
  return apply(preprocessor, data, all_rows(data.rows()), part, notes);
}

}  // namespace

// Missing values are refused when the preprocessor meets them.
std::vector<std::uint32_t> classes_of(const RawData& data, const std::string& target,
                                      TaskChoice task) {
  if (task == TaskChoice::regression) return {};
  if (const auto* images = std::get_if<Images>(&data.content)) {
    return {images->labels.begin(), images->labels.end()};
  }
  const auto* table = std::get_if<Table>(&data.content);
  if (table != nullptr) {
    const Column& column = find_column(*table, target, "target");
    if (column.categorical) return column.codes;
  }
  const std::span<const double> values =
      table != nullptr ? std::span(find_column(*table, target, "target").numbers)
                       : std::span(std::get<SparseRows>(data.content).target);
  if (task == TaskChoice::automatic && !has_two_values(values)) return {};
  return number_classes(values);
}

Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                 const SplitShares& shares, std::uint64_t seed) {
  const std::vector<std::uint32_t> classes = classes_of(data, target, task);
  if (!shares.own_test) return split_rows(data.rows(), shares, seed, classes);
  if (data.own_test == 0 || data.own_test >= data.rows()) {
    throw OptionError(fmt::format("{} has no test rows of its own", data.source()));
  }
  const std::size_t others = data.rows() - data.own_test;
  Split split =
      split_rows(others, shares, seed, std::span(classes).first(std::min(others, classes.size())));
  split.test.resize(data.own_test);
  std::iota(split.test.begin(), split.test.end(), static_cast<Index>(others));
  return split;
}

PreparedData prepare_split(const RawData& data, const DataOptions& options, const Split& split) {
  const std::string target = target_of(data, options.target);
  if (split.train.empty()) {
    throw DataError(fmt::format("of {} row{}, none is left for training", data.rows(),
                                data.rows() == 1 ? "" : "s"),
                    data.source());
  }
  Preprocessor preprocessor = fit(data, split.train,
                                  {.target = target,
                                   .task = chosen_task(data, target, options.task),
                                   .standardise = !options.raw_features});
  std::vector<std::string> notes = preprocessor.notes();
  PreparedData result{.preprocessor = preprocessor,
                      .train = apply(preprocessor, data, split.train, "the training", notes),
                      .valid = apply(preprocessor, data, split.valid, "the validation", notes),
                      .test = apply(preprocessor, data, split.test, "the test", notes),
                      .rows = split,
                      .shares = {},
                      .fingerprint = fingerprint_of(data),
                      .source = data.source(),
                      .notes = {}};
  result.notes = std::move(notes);
  return result;
}

PreparedData prepare_data(const DataOptions& options, std::uint64_t seed) {
  check_options(options);
  SplitShares shares = shares_for(options);
  const RawData data = read_data(options.data, options.source);
  if (options.split.empty() && data.own_test > 0) shares = own_shares(options);
  const std::string target = target_of(data, options.target);
  const Split split = split_data(data, target, options.task, shares, seed);
  PreparedData result = prepare_split(data, options, split);
  result.shares = shares;
  note_empty_parts(split, shares, result.notes);
  note_many_levels(result.preprocessor, split.train.size(), result.notes);
  if (!options.valid_data.empty()) {
    result.valid = apply_file(result.preprocessor, options.valid_data, options, "the validation",
                              result.notes);
    result.rows.valid = all_rows(result.valid.rows);
  }
  if (!options.test_data.empty()) {
    if (shares.own_test) {
      result.notes.push_back(
          fmt::format("the {} test rows that {} has itself are left out: others are given",
                      data.own_test, data.source()));
    }
    result.test =
        apply_file(result.preprocessor, options.test_data, options, "the test", result.notes);
    result.rows.test = all_rows(result.test.rows);
  }
  return result;
}

}  // namespace adacvar
