#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/preprocess.hpp>
#include <adacvar/data/read_data.hpp>
#include <adacvar/data/split.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

enum class TaskChoice : std::uint8_t { automatic, regression, binary, multiclass };

/// Which data is learned from, and what of it.
struct DataOptions {
  std::string data = {};
  std::string target = {};
  TaskChoice task = TaskChoice::automatic;
  std::vector<double> split = {};
  std::string valid_data = {};
  std::string test_data = {};
  std::string weight = {};
  bool raw_features = false;
  bool strict = false;
  SourceOptions source = {};

  static void describe(auto&& option) {
    using O = DataOptions;
    option("data", &O::data,
           "file (CSV, TSV, LIBSVM, NPY, idx, CIFAR-10; .gz, .xz), - for standard input, or name "
           "of a built-in set");
    option("target", &O::target,
           "column to learn; built-in sets, LIBSVM files and pictures know their own");
    option("task", &O::task, Names{"auto", "regression", "binary", "multiclass"},
           "auto: classes when the target is text of at most 50 values or has two values, else "
           "regression");
    option(
        "split", &O::split, Bounds{.low = 0, .high = 1},
        "shares of rows for training, validation and test; 0.5,0.3,0.2 unless files are given; a "
        "set of pictures keeps its own test rows");
    option("valid-data", &O::valid_data, "file or set of the validation rows");
    option("test-data", &O::test_data, "file or set of the test rows");
    option(
        "weight", &O::weight,
        "column of row weights: a row of weight 3 counts as three equal rows, one of weight 0 is "
        "left out");
    option("raw-features", &O::raw_features, "numeric features are not standardised");
    option("strict", &O::strict, "a row without a target is an error, not left out", for_files());
  }
};

/// Data ready for training and judging; `valid` and `test` may be without rows.
struct PreparedData {
  Preprocessor preprocessor;
  Dataset train;
  Dataset valid;
  Dataset test;
  Split rows;                      ///< their numbers, from 0, in the data that they came from
  SplitShares shares;              ///< as the rows were split
  DataFingerprint fingerprint;     ///< of the data given, before it was split
  std::string source;              ///< its name
  std::vector<std::string> notes;  ///< what a user should know, one sentence each
};

/// A number per class and row, from 0 on in the order in which classes are met, of pictures their
/// labels; empty for regression. Throws: DataError when there is no such target.
[[nodiscard]] std::vector<std::uint32_t> classes_of(const RawData& data, const std::string& target,
                                                    TaskChoice task);

/// The rows of the three parts, drawn by `seed` from those that have a target and, in the column
/// `weight` if there is one, a weight above 0; classes are split alike (stratified). A target that
/// has text among its numbers is split as numbers are, and stays so where the training rows have
/// numbers only. With `shares.own_test` the test rows are the data's own, and the shares are of the
/// others.
/// Throws: OptionError as split_rows, and when there are no such rows; DataError when there is no
/// such target.
[[nodiscard]] Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                               const SplitShares& shares, std::uint64_t seed,
                               const std::string& weight = {});

/// The dataset of `rows`, from which those of weight 0 are taken away and, unless `strict`, those
/// without a target, with a note each. `part`: the rows in words, as in apply_notes.
/// Throws: DataError as Preprocessor::apply, and when no row is left.
[[nodiscard]] Dataset apply_rows(const Preprocessor& preprocessor, const RawData& data,
                                 std::vector<Index>& rows, std::string_view part, bool strict,
                                 std::vector<std::string>& notes);

/// Reads, splits and preprocesses; what is fitted is fitted on the training rows alone. Rows
/// without a target are left out, with a note, unless `strict`. A text target is classes by itself
/// only when it has 50 at most and five rows for each. Throws: OptionError for options that do not
/// fit each other or the data; DataError as read_data and Preprocessor do, and when no row is left
/// for training.
[[nodiscard]] PreparedData prepare_data(const DataOptions& options, std::uint64_t seed);

/// The same for data that is there already; `options.data` is not looked at.
[[nodiscard]] PreparedData prepare_data(const RawData& data, const DataOptions& options,
                                        std::uint64_t seed);

/// The same for data that is there and split already; rows may be left out or stand repeatedly.
/// Files of `options` are not looked at, nor are its shares; an empty target is the data's usual.
[[nodiscard]] PreparedData prepare_split(const RawData& data, const DataOptions& options,
                                         const Split& split);

}  // namespace adacvar
