#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/dataset.hpp>
#include "data/preprocess.hpp"
#include "data/read_data.hpp"
#include "data/split.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Data ready for training and evaluation; `valid` and `test` may be empty.
struct PreparedData {
  Preprocessor preprocessor;
  Dataset train;
  Dataset valid;
  Dataset test;
  Split rows;  ///< row numbers, from 0, in the data given
  /// Number in the source of row 0 of training, validation and test data: not 0 on several ranks.
  std::array<std::uint64_t, 3> first_rows{};
  SplitShares shares;              ///< shares of the split
  DataFingerprint fingerprint;     ///< fingerprint of the data given, before the split
  std::string source;              ///< name of the data given
  std::vector<std::string> notes;  ///< notes for the user, one sentence each
};

/// Returns the class number of every row, counted from 0 in order of first appearance; for images
/// the labels, for regression empty. Throws: DataError when the target does not exist.
[[nodiscard]] std::vector<std::uint32_t> classes_of(const RawData& data, const std::string& target,
                                                    TaskChoice task);

/// Splits the rows at random, by `seed`, into training, validation and test rows, stratified by
/// class. Rows need a target and, if a column `weight` is given, a weight above 0. A target with
/// text among its numbers is split like numbers, and is numeric if the training rows have only
/// numbers. With `shares.own_test` the test rows are the data's own, and the shares refer to the
/// other rows.
/// Throws: OptionError as split_rows, and when the data has no test rows of its own; DataError when
/// the target does not exist.
[[nodiscard]] Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                               const SplitShares& shares, std::uint64_t seed,
                               const std::string& weight = {});
/// The same for the rows of all ranks; this one returns its own.
[[nodiscard]] Split split_data(const RawData& data, const std::string& target, TaskChoice task,
                               const SplitShares& shares, std::uint64_t seed,
                               const std::string& weight, Communicator& ranks);

/// Returns the dataset of `rows` after removing from them, with a note, rows of weight 0 and,
/// unless `strict`, rows without a target. `part` describes the rows in notes, as in apply_notes.
/// Throws: DataError as Preprocessor::apply, and when no row is left.
[[nodiscard]] Dataset apply_rows(const Preprocessor& preprocessor, const RawData& data,
                                 std::vector<Index>& rows, std::string_view part, bool strict,
                                 std::vector<std::string>& notes);
/// The same for `rows` of all ranks: this one returns its own; notes are the same on all.
[[nodiscard]] Dataset apply_rows(const Preprocessor& preprocessor, const RawData& data,
                                 std::vector<Index>& rows, std::string_view part, bool strict,
                                 std::vector<std::string>& notes, Communicator& ranks);

/// Reads, splits and preprocesses data; preprocessing is fitted on the training rows only. Rows
/// without a target are left out, with a note, unless `strict`. By default a text target is
/// classification only if it has at most 50 classes and five rows per class. Throws: OptionError
/// for options that do not fit each other or the data; DataError as read_data and Preprocessor do,
/// and when no row is left for training.
[[nodiscard]] PreparedData prepare_data(const DataOptions& options, std::uint64_t seed);

/// Splits and preprocesses data in memory; `options.data` is ignored.
[[nodiscard]] PreparedData prepare_data(const RawData& data, const DataOptions& options,
                                        std::uint64_t seed);

/// Splits and preprocesses the rows of all ranks, of which `data` has those of this one; tables
/// follow each other in the order of the ranks and have the same columns and levels. The result has
/// this rank's rows of each set; what refers to rows of all ranks (preprocessor, fingerprint,
/// notes) is the same on all, and equal to that of one rank with all rows. Cost: also 16 bytes at
/// most on each rank for a row of any.
[[nodiscard]] PreparedData prepare_data(const RawData& data, const DataOptions& options,
                                        std::uint64_t seed, Communicator& ranks);

/// Reads the rows of several ranks, then splits and preprocesses them.
[[nodiscard]] PreparedData prepare_data(const DataOptions& options, std::uint64_t seed,
                                        Communicator& ranks);

/// Preprocesses data in memory with a given split, in which rows may be missing or repeated. Files
/// and shares in `options` are ignored; an empty target means the default target of the data.
[[nodiscard]] PreparedData prepare_split(const RawData& data, const DataOptions& options,
                                         const Split& split);

}  // namespace adacvar
