#include "data/prepare_data.hpp"

#include "base/collectives.hpp"
#include "base/join.hpp"
#include "data/class_labels.hpp"
#include "data/number_format.hpp"
#include "data/row_weights.hpp"
#include "data/target_task.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace adacvar {

namespace {

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

std::string target_of(const RawData& data, const std::string& given) {
  if (std::holds_alternative<Images>(data.content)) {
    if (given.empty() || given == "label") return "label";
    throw OptionError(
        fmt::format("target = '{}': the target of images is their labels, called 'label'", given));
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
                                  join(options.split, ","),
                                  valid_file && shares.valid > 0 ? "validation" : "test"));
  }
  return shares;
}

// The set's own test rows stay test rows; a sixth of the others is for validation.
SplitShares own_shares(const DataOptions& options) {
  if (!options.valid_data.empty()) return {.train = 1, .valid = 0, .test = 0, .own_test = true};
  return {.train = 5.0 / 6, .valid = 1.0 / 6, .test = 0, .own_test = true};
}

Preprocessor fit(const RawData& data, std::span<const Index> rows, const PreprocessOptions& options,
                 Communicator& ranks) {
  if (const auto* table = std::get_if<Table>(&data.content)) {
    return Preprocessor::fit(*table, rows, options, ranks);
  }
  return std::visit([&](const auto& content) { return Preprocessor::fit(content, rows, options); },
                    data.content);
}

void note_left_out(std::size_t count, std::string_view rows, std::string_view target,
                   std::vector<std::string>& notes, std::string_view text_note = {}) {
  if (count == 0) return;
  notes.push_back(fmt::format("{} {} {} without a target ('{}'): left out{}", count, rows,
                              count == 1 ? "is" : "are", target, text_note));
}

void note_zero_weights(std::size_t count, std::string_view rows, std::string_view weight,
                       std::vector<std::string>& notes) {
  if (count == 0) return;
  notes.push_back(fmt::format("{} {} {} weight 0 ('{}'): left out", count, rows,
                              count == 1 ? "has" : "have", weight));
}

void leave_out_weightless(const Preprocessor& preprocessor, const Table& table,
                          std::vector<Index>& rows, std::string_view part,
                          std::vector<std::string>& notes, Communicator& ranks) {
  const std::size_t before = sum_of(ranks, rows.size());
  rows = preprocessor.rows_with_weight(table, rows);
  const std::string& weight = preprocessor.parts().weight;
  const std::size_t left = sum_of(ranks, rows.size());
  if (left == 0) {
    throw DataError(fmt::format("{} rows all have weight 0 ('{}')", part, weight), table.source);
  }
  note_zero_weights(before - left, fmt::format("of {} rows", part), weight, notes);
}

void leave_out_unlabelled(const Preprocessor& preprocessor, const Table& table,
                          std::vector<Index>& rows, std::string_view part,
                          std::vector<std::string>& notes, Communicator& ranks) {
  const std::vector<std::string> text_notes =
      gather_text(ranks, preprocessor.target_text_note(table, rows));
  const auto first_note =
      std::ranges::find_if(text_notes, [](const std::string& note) { return !note.empty(); });
  const std::string text_note = first_note == text_notes.end() ? std::string() : *first_note;
  const std::size_t before = sum_of(ranks, rows.size());
  rows = preprocessor.rows_with_target(table, rows);
  const std::string& target = preprocessor.parts().target;
  const std::size_t left = sum_of(ranks, rows.size());
  if (left == 0) {
    throw DataError(fmt::format("none of {} rows has a target ('{}'){}", part, target, text_note),
                    table.source);
  }
  note_left_out(before - left, fmt::format("of {} rows", part), target, notes, text_note);
}

void note_empty_parts(const Split& split, const SplitShares& shares,
                      std::vector<std::string>& notes, Communicator& ranks) {
  const auto note = [&](const std::vector<Index>& rows, double share, std::string_view part) {
    if (share > 0 && sum_of(ranks, rows.size()) == 0) {
      notes.push_back(fmt::format("a share of {:g} leaves no row for {}", share, part));
    }
  };
  note(split.valid, shares.valid, "validation");
  note(split.test, shares.test, "test");
}

// For tables too small to tell identifiers from categories.
void note_many_levels(const Preprocessor& preprocessor, std::size_t rows,
                      std::vector<std::string>& notes) {
  for (const ColumnTransform& column : preprocessor.parts().columns) {
    const std::size_t levels = column.levels.size();
    if (levels <= 20 || 2 * levels <= rows || rows > kMostIdentifierRows) continue;
    notes.push_back(fmt::format(
        "column '{}' is distinct in {} ({} categories in {} rows): an id? --drop {} leaves it out",
        column.name, 10 * levels > 9 * rows ? "nearly every row" : "more than half of the rows",
        levels, rows, column.name));
  }
}

void refuse_categorical_weight(const DataOptions& options) {
  if (options.weight.empty()) return;
  const auto& categorical = options.source.categorical;
  if (std::ranges::find(categorical, options.weight) == categorical.end()) return;
  throw OptionError(fmt::format(
      "categorical = '{}' is the column of weights, which are numbers; leave one of both out",
      options.weight));
}

// Whether text is a number is decided by all values of a column; parts of it do not suffice.
void refuse_text_weights(const RawData& data, const std::string& weight,
                         const Communicator& ranks) {
  if (ranks.size() == 1) return;
  const auto& table = std::get<Table>(data.content);
  if (!find_column(table, weight, "weight").categorical) return;
  throw DataError(
      fmt::format("weight '{}' is a column of text, not of plain numbers: not supported "
                  "on several ranks",
                  weight),
      table.source);
}

void check_weights(const RawData& data, const std::string& weight, std::vector<std::string>& notes,
                   Communicator& ranks) {
  if (weight.empty() || !std::holds_alternative<Table>(data.content)) return;
  refuse_text_weights(data, weight, ranks);
  const std::size_t all = sum_of(ranks, data.rows());
  const std::size_t rows = sum_of(ranks, weighted_rows(data, weight, all_rows(data.rows())).size());
  if (rows == 0) {
    throw DataError(fmt::format("weight '{}' is 0 in every row", weight), data.source());
  }
  note_zero_weights(all - rows, fmt::format("of {} rows", all), weight, notes);
}

std::size_t first_row_of(const RawData& data) {
  const auto* table = std::get_if<Table>(&data.content);
  return table == nullptr ? 0 : table->first_row;
}

void check_targets(const RawData& data, const std::string& target, const std::string& weight,
                   bool strict, std::vector<std::string>& notes, Communicator& ranks) {
  const std::vector<Index> all = weighted_rows(data, weight, all_rows(data.rows()));
  const std::vector<Index> rows = labelled_rows(data, target, weight);
  const std::size_t all_count = sum_of(ranks, all.size());
  const std::size_t count = sum_of(ranks, rows.size());
  if (count == all_count) return;
  if (count == 0) {
    throw DataError(fmt::format("target '{}' is missing in every row", target), data.source());
  }
  if (strict) {
    const auto missing = std::ranges::mismatch(rows, all).in2;
    const std::size_t mine =
        missing == all.end() ? kNoRow : first_row_of(data) + static_cast<std::size_t>(*missing);
    const std::size_t first = std::ranges::min(gather_one(ranks, mine));
    throw DataError(fmt::format("target '{}' is missing in row {}", target, first + 1),
                    data.source());
  }
  note_left_out(all_count - count, fmt::format("of {} rows", all_count), target, notes);
}

/// Splits the rows of all ranks as if they were on one: every rank draws the same split of their
/// places, and takes its own.
Split split_labelled(std::span<const Index> rows, std::span<const std::uint32_t> classes,
                     const SplitShares& shares, std::uint64_t seed, Communicator& ranks) {
  std::vector<std::uint32_t> labels;
  if (!classes.empty()) {
    for (const Index row : rows) labels.push_back(classes[row]);
  }
  const std::size_t first = sum_before(ranks, rows.size());
  if (ranks.size() > 1) labels = gather_values(ranks, std::span<const std::uint32_t>(labels));
  Split split = split_rows(sum_of(ranks, rows.size()), shares, seed, labels);
  for (auto* part : {&split.train, &split.valid, &split.test}) {
    const auto begin = std::ranges::lower_bound(*part, first);
    const auto end = std::ranges::lower_bound(*part, first + rows.size());
    std::vector<Index> mine(begin, end);
    for (Index& row : mine) row = rows[row - first];
    *part = std::move(mine);
  }
  return split;
}

Dataset apply_file(const Preprocessor& preprocessor, const std::string& name,
                   const DataOptions& options, std::string_view part, std::vector<Index>& rows,
                   std::uint64_t& first_row, std::vector<std::string>& notes, Communicator& ranks) {
  // Columns that were dropped or categorical in training are known; this file need not have them.
  SourceOptions source = options.source;
  source.categorical.clear();
  source.drop.clear();
  const RawData data = read_data_like(preprocessor, name, source, {}, ranks);
  if (sum_of(ranks, data.rows()) == 0) throw DataError("has a header but no rows", data.source());
  rows = all_rows(data.rows());
  first_row = first_row_of(data);
  return apply_rows(preprocessor, data, rows, part, options.strict, notes, ranks);
}

PreparedData prepare_parts(const RawData& data, const DataOptions& options, Split split,
                           Communicator& ranks) {
  const std::string target = target_of(data, options.target);
  if (!options.weight.empty()) split.train = weighted_rows(data, options.weight, split.train);
  if (sum_of(ranks, split.train.size()) == 0) {
    const std::size_t all = sum_of(ranks, data.rows());
    throw DataError(fmt::format("of {} row{}, none is left for training", all, all == 1 ? "" : "s"),
                    data.source());
  }
  Preprocessor preprocessor =
      fit(data, split.train,
          {.target = target,
           .task = chosen_task(data, target, options.weight, options.task, split.train, ranks),
           .standardise = !options.raw_features,
           .for_trees = options.for_trees,
           .weight = options.weight,
           .prediction = options.prediction},
          ranks);
  PreparedData result{.preprocessor = std::move(preprocessor),
                      .train = {},
                      .valid = {},
                      .test = {},
                      .rows = std::move(split),
                      .first_rows = {},
                      .shares = {},
                      .fingerprint = fingerprint_of(data, ranks),
                      .source = data.source(),
                      .notes = {}};
  result.first_rows.fill(first_row_of(data));
  if (const auto* table = std::get_if<Table>(&data.content)) result.notes = table->notes;
  for (std::string& note : result.preprocessor.notes()) result.notes.push_back(std::move(note));
  const auto apply_to = [&](std::vector<Index>& rows, std::string_view part) {
    return apply_rows(result.preprocessor, data, rows, part, options.strict, result.notes, ranks);
  };
  result.train = apply_to(result.rows.train, "the training");
  result.valid = apply_to(result.rows.valid, "the validation");
  result.test = apply_to(result.rows.test, "the test");
  return result;
}

}  // namespace

const std::vector<OptionSpec>& DataOptions::options() {
  using O = DataOptions;
  static const std::vector<OptionSpec> all{
      {"data", &O::data,
       "file (CSV, TSV, LIBSVM, NPY, idx, CIFAR-10; .gz, .xz), - for standard input, or name "
       "of a built-in set"},
      {"target", &O::target,
       "target column; built-in sets, LIBSVM files and images have a default"},
      {"task", &O::task, Names{"auto", "regression", "binary", "multiclass"},
       "auto: classes when the target is text of at most 50 values or has two values, else "
       "regression"},
      {"split", &O::split, Bounds{.low = 0, .high = 1},
       "shares of rows for training, validation and test; 0.5,0.3,0.2 (correct and best: "
       "0.8,0,0.2) "
       "unless files are given; a set of images keeps its own test rows"},
      {"valid-data", &O::valid_data, "file or set of the validation rows"},
      {"test-data", &O::test_data, "file or set of the test rows"},
      {"weight", &O::weight,
       "column of row weights: a row of weight 3 counts as three equal rows, one of weight 0 is "
       "left out"},
      {"raw-features", &O::raw_features, "numeric features are not standardised", without("trees")},
      {"strict", &O::strict, "a row without a target is an error, not left out", for_files()},
  };
  return all;
}

Dataset apply_rows(const Preprocessor& preprocessor, const RawData& data, std::vector<Index>& rows,
                   std::string_view part, bool strict, std::vector<std::string>& notes) {
  SelfCommunicator self;
  return apply_rows(preprocessor, data, rows, part, strict, notes, self);
}

Dataset apply_rows(const Preprocessor& preprocessor, const RawData& data, std::vector<Index>& rows,
                   std::string_view part, bool strict, std::vector<std::string>& notes,
                   Communicator& ranks) {
  if (sum_of(ranks, rows.size()) == 0) return {};
  if (const auto* sparse = std::get_if<SparseRows>(&data.content)) {
    return preprocessor.apply(*sparse, rows);
  }
  if (const auto* images = std::get_if<Images>(&data.content)) {
    return preprocessor.apply(*images, rows);
  }
  const auto& table = std::get<Table>(data.content);
  leave_out_weightless(preprocessor, table, rows, part, notes, ranks);
  if (!strict) leave_out_unlabelled(preprocessor, table, rows, part, notes, ranks);
  ApplyReport report;
  report.has_other_rows = ranks.size() > 1;
  Dataset result = preprocessor.apply(table, rows, &report);
  merge_report(report, preprocessor, table, ranks);
  for (std::string& note : apply_notes(report, part)) notes.push_back(std::move(note));
  return result;
}

// Missing values get a class of their own, which is not used.
std::vector<std::uint32_t> classes_of(const RawData& data, const std::string& target,
                                      TaskChoice task) {
  SelfCommunicator self;
  return classes_among(data, target, task, all_rows(data.rows()), self);
}

Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                 const SplitShares& shares, std::uint64_t seed, const std::string& weight) {
  SelfCommunicator self;
  return split_data(data, target, task, shares, seed, weight, self);
}

Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                 const SplitShares& shares, std::uint64_t seed, const std::string& weight,
                 Communicator& ranks) {
  const std::vector<Index> rows = labelled_rows(data, target, weight);
  const std::vector<std::uint32_t> classes = classes_among(data, target, task, rows, ranks);
  if (!shares.own_test) {
    if (task == TaskChoice::automatic) {
      Split split = split_labelled(rows, {}, shares, seed, ranks);
      if (!any_of(ranks, !classes.empty()) ||
          numeric_in_training(data, target, split.train, ranks)) {
        return split;
      }
    }
    return split_labelled(rows, classes, shares, seed, ranks);
  }
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
  SelfCommunicator self;
  return prepare_parts(data, options, split, self);
}

PreparedData prepare_data(const DataOptions& options, std::uint64_t seed) {
  SelfCommunicator self;
  return prepare_data(options, seed, self);
}

PreparedData prepare_data(const DataOptions& options, std::uint64_t seed, Communicator& ranks) {
  check_options(options);
  refuse_categorical_weight(options);
  (void)shares_for(options);  // report errors before reading
  return prepare_data(read_data(options.data, options.source, ranks), options, seed, ranks);
}

PreparedData prepare_data(const RawData& data, const DataOptions& options, std::uint64_t seed) {
  SelfCommunicator self;
  return prepare_data(data, options, seed, self);
}

PreparedData prepare_data(const RawData& data, const DataOptions& options, std::uint64_t seed,
                          Communicator& ranks) {
  check_options(options);
  refuse_categorical_weight(options);
  SplitShares shares = shares_for(options);
  if (options.split.empty() && data.own_test > 0) shares = own_shares(options);
  const std::string target = target_of(data, options.target);
  std::vector<std::string> notes;
  check_weights(data, options.weight, notes, ranks);
  check_targets(data, target, options.weight, options.strict, notes, ranks);
  // Before the datasets are made, since it needs memory itself.
  const std::string whole_values = whole_values_note(data, target, options.task, ranks);
  PreparedData result = prepare_parts(
      data, options, split_data(data, target, options.task, shares, seed, options.weight, ranks),
      ranks);
  result.shares = shares;
  note_many_levels(result.preprocessor, sum_of(ranks, result.train.rows), notes);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  if (!whole_values.empty()) result.notes.push_back(whole_values);
  note_empty_parts(result.rows, shares, result.notes, ranks);
  if (!options.valid_data.empty()) {
    result.valid = apply_file(result.preprocessor, options.valid_data, options, "the validation",
                              result.rows.valid, result.first_rows[1], result.notes, ranks);
  }
  if (!options.test_data.empty()) {
    if (shares.own_test) {
      result.notes.push_back(
          fmt::format("the {} test rows of {} itself are not used: other test rows are given",
                      data.own_test, data.source()));
    }
    result.test = apply_file(result.preprocessor, options.test_data, options, "the test",
                             result.rows.test, result.first_rows[2], result.notes, ranks);
  }
  return result;
}

}  // namespace adacvar
