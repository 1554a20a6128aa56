#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/dataset.hpp>
#include "data/preprocess.hpp"
#include "data/read_data.hpp"
#include "data/split.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

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

/// A number per class and row, from 0 on in the order in which classes are met, of images their
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
