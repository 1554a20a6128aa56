#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/matrix_view.hpp>
#include "data/images.hpp"
#include "data/prediction_transform.hpp"
#include "data/table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// A table becomes a sparse dataset when its dense training rows would take more than this and it
/// has more than kMostDenseFeatures features per column: 8 bytes per column instead of 4 per
/// feature.
inline constexpr std::size_t kMostDenseBytes = std::size_t{32} << 20U;
inline constexpr std::size_t kMostDenseFeatures = 4;

/// In tables of at most this many training rows no text column is treated as an identifier.
inline constexpr std::size_t kMostIdentifierRows = 50;

struct PreprocessOptions {
  std::string target = {};        ///< name of the target's column
  std::optional<Task> task = {};  ///< none: detected by Preprocessor::fit
  bool standardise = true;        ///< numeric features to mean 0, standard deviation 1
  bool for_trees = false;         ///< see ColumnTransform::for_trees
  bool has_missing = false;       ///< matrices: a NaN is a missing value, not an error
  std::string weight = {};        ///< name of the column of row weights; empty: none. Tables only
  /// Column of predictions to correct; none: an ordinary model. Not for sparse rows and images.
  PredictionOptions prediction = {};
};

/// Transformation of one input column.
struct ColumnTransform {
  std::string name;
  bool categorical = false;
  double mean = 0;  ///< numeric: (x - mean) / scale; a missing x counts as fill
  double scale = 1;
  double fill = 0;                  ///< mean of the training rows
  NumberFormat format = {};         ///< numeric: format of its numbers
  std::vector<std::string> levels;  ///< categorical: one feature each, in sorted order
  bool missing_level = false;       ///< categorical: one more feature, 1 where the value is missing
  /// One feature: the number itself or the position of the level, NaN where it is missing or not
  /// among the levels.
  bool for_trees = false;

  [[nodiscard]] std::size_t features() const noexcept {
    return categorical && !for_trees ? levels.size() + (missing_level ? 1 : 0) : 1;
  }
  friend bool operator==(const ColumnTransform&, const ColumnTransform&) = default;
};

/// Values that `apply` found in a numeric column.
struct NumericReport {
  std::size_t numbers = 0;
  std::size_t missing = 0;  ///< without texts
  std::size_t texts = 0;    ///< values that are not numbers
  std::string first_text;
  std::string first_place;  ///< `line 17` or `row 16`
};

/// Values that `apply` found, summed over several calls.
struct ApplyReport {
  std::size_t unknown_categories = 0;        ///< values not seen in training, over all columns
  std::vector<std::string> unknown_columns;  ///< columns with such values, each once
  std::map<std::string, NumericReport> numeric;
  bool lacks_weights = false;           ///< no column of row weights: every row counts 1
  std::size_t clipped_predictions = 0;  ///< probabilities that were nearly 0 or 1
  bool for_trees = false;               ///< values that are missing or not known stay missing
  bool has_other_rows = false;          ///< other ranks have rows too: see merge_report
};

/// Returns notes, one sentence each, on values not seen in training, text in numeric columns and
/// missing weights. `part` describes the rows, as in `2 values of a, b in the test rows were ...`.
[[nodiscard]] std::vector<std::string> apply_notes(const ApplyReport& report,
                                                   std::string_view part);

/// Returns a note on the number of missing values; empty if there were none.
[[nodiscard]] std::string missing_note(const ApplyReport& report, std::string_view part);

class Preprocessor;

/// Replaces what `apply` found on this rank by what it found on all; `table` is the one it was
/// applied to. Throws: DataError, on all ranks, when a numeric column has only text.
void merge_report(ApplyReport& report, const Preprocessor& preprocessor, const Table& table,
                  Communicator& ranks);

/// Turns tables into datasets, fitted on the training rows only.
///
/// The training rows determine whether a column is numeric; text in other rows is then a missing
/// value, and counted. Numeric columns are standardised (population standard deviation); missing
/// values are replaced by the training mean. Categorical columns become one feature per level seen
/// in training, with a level for missing values if training had any; a value not seen in training
/// is encoded as all zeros and counted. Columns that are constant in training are dropped, with a
/// note; so are identifiers: text columns with a different value in more than half of the training
/// rows that have a value (over kMostIdentifierRows), unless declared categorical. If categories
/// make many features of few columns (kMostDenseBytes) the datasets are sparse. A row weight counts
/// as repetition: means and standard deviations are weighted, and datasets have weights if the
/// table has their column, which is not a feature. With PreprocessOptions::for_trees numbers stay
/// as they are, a categorical column is one feature, and missing values are NaN. A column of
/// predictions becomes the offsets of the datasets and their last two features
/// (PredictionTransform). Classes: the name that sorts first is class 0; names that are all numbers
/// sort as numbers.
class Preprocessor {
 public:
  /// Default task: classification for a categorical target and for a numeric one with two values,
  /// else regression.
  /// Cost: O(rows * columns), plus sorting of the levels.
  /// Throws: DataError when the target does not exist, is missing in a row, is constant, has only
  /// one class or does not fit the task, when a numeric column has a text in a training row, when a
  /// weight is not a finite number above 0, when no feature is left, or when a prediction is
  /// missing or outside its scale; OptionError for predictions of more than two classes.
  [[nodiscard]] static Preprocessor fit(const Table& table, std::span<const Index> training_rows,
                                        const PreprocessOptions& options);
  /// Fits on the training rows of all ranks, of which this one has those of `table`; the tables
  /// have the same columns and levels. The result is the same on all ranks, and on any number.
  [[nodiscard]] static Preprocessor fit(const Table& table, std::span<const Index> training_rows,
                                        const PreprocessOptions& options, Communicator& ranks);

  /// Sparse rows stay sparse: a column is divided by its standard deviation but not centred.
  /// Columns without a value in the training rows, or constant there, are dropped.
  [[nodiscard]] static Preprocessor fit(const SparseRows& rows,
                                        std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// Images: pixels / 255, each channel standardised by the mean and standard deviation of its
  /// pixels in the training rows. Classes are the labels found there, in increasing order. A
  /// channel that is constant there becomes 0. Throws: DataError also for task regression.
  [[nodiscard]] static Preprocessor fit(const Images& images, std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// Fits on a matrix in memory with columns `names` of numbers or of categories; a sparse matrix
  /// is treated like sparse rows, and its columns have no names. `target` has a value for each row
  /// of the matrix, `weights` one for each training row; no weights: every row counts 1. Throws:
  /// DataError also for a NaN (unless options.has_missing) or infinity, with its row and column.
  [[nodiscard]] static Preprocessor fit(const MatrixView& features,
                                        std::span<const Index> training_rows,
                                        std::span<const std::string> names, const Column& target,
                                        std::span<const double> weights,
                                        const PreprocessOptions& options = {});

  /// Returns the dataset of `rows`, in that order. Columns are matched by name, in any order.
  /// Throws: DataError when a column is missing, or was numeric in training and holds only text,
  /// when a class was not seen in training (with the row), when a target is missing.
  [[nodiscard]] Dataset apply(const Table& table, std::span<const Index> rows,
                              ApplyReport* report = nullptr) const;
  [[nodiscard]] Dataset apply(const SparseRows& sparse, std::span<const Index> rows) const;
  /// Classes are matched by name, or by label if `images` has no names.
  [[nodiscard]] Dataset apply(const Images& images, std::span<const Index> rows) const;

  /// Returns the dataset without targets, which the table need not have, for prediction.
  [[nodiscard]] Dataset apply_features(const Table& table, std::span<const Index> rows,
                                       ApplyReport* report = nullptr) const;
  [[nodiscard]] Dataset apply_features(const SparseRows& sparse, std::span<const Index> rows) const;
  [[nodiscard]] Dataset apply_features(const Images& images, std::span<const Index> rows) const;
  /// A matrix with the columns of training, in their order, including that of predictions.
  /// Throws: DataError for another number of columns, a NaN (unless its features are for trees) or
  /// infinity, or categories.
  [[nodiscard]] Dataset apply_features(const MatrixView& features,
                                       std::span<const Index> rows) const;

  /// Converts the values of a target column: standardised numbers, or class numbers.
  /// Throws: DataError for a missing value, or a class that training did not have.
  [[nodiscard]] std::vector<double> apply_targets(const Column& target, std::span<const Index> rows,
                                                  const std::string& source) const;

  /// Returns those of `rows` that have a weight above 0, in their order; all of them if the table
  /// has no weights. `apply` requires such rows. Throws: DataError when a weight is missing, text
  /// or negative.
  [[nodiscard]] std::vector<Index> rows_with_weight(const Table& table,
                                                    std::span<const Index> rows) const;
  /// Returns those of `rows` that have a target, in their order. Text among numbers is not a
  /// target.
  [[nodiscard]] std::vector<Index> rows_with_target(const Table& table,
                                                    std::span<const Index> rows) const;
  /// Returns `; '5 kg' in line 3 is text, ...` for the first of `rows` that has text in a numeric
  /// target, or an empty string. For messages about rows that `rows_with_target` leaves out.
  [[nodiscard]] std::string target_text_note(const Table& table, std::span<const Index> rows) const;

  /// The state of a preprocessor, as stored in a model file.
  struct Parts {
    std::string target;
    Task task = Task::regression;
    bool sparse = false;
    double target_mean = 0;
    double target_sd = 1;
    std::vector<std::string> class_names;
    std::vector<ColumnTransform> columns;  ///< dense: in the order of the training table
    std::vector<std::string> dropped;      ///< dense: constant columns
    std::vector<std::string> identifiers;  ///< dense: columns left out as identifiers
    std::string weight;                    ///< column of row weights; empty: none
    /// Dense: predictions that the model corrects. Numeric features are clipped as they are.
    std::optional<PredictionTransform> prediction = {};
    std::vector<std::string> inputs;  ///< dense: names of all columns, in the order of training
    NumberFormat target_format = {};  ///< format of a numeric target
    bool sparse_categories = false;   ///< tables become sparse datasets
    std::vector<std::uint32_t> sparse_columns;  ///< sparse: columns kept, increasing
    std::vector<double> sparse_scales;          ///< sparse: divisor of each column
    std::size_t sparse_width = 0;               ///< sparse: total number of columns; 0: not known
    ImageShape image = {};                      ///< images
    std::vector<double> channel_means;          ///< images: means of pixels / 255
    std::vector<double> channel_scales;         ///< images: divisors
    std::vector<std::uint8_t> labels;           ///< images: labels of the classes, increasing

    friend bool operator==(const Parts&, const Parts&) = default;
  };

  /// Throws: DataError unless the parts agree with each other.
  explicit Preprocessor(Parts parts);
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

  [[nodiscard]] std::size_t features() const noexcept;
  /// Returns the scale that turns targets of its datasets back into the user's units.
  [[nodiscard]] TargetScale target_scale() const noexcept {
    return {parts_.target_mean, parts_.target_sd};
  }
  /// Returns the feature names; none for images.
  [[nodiscard]] std::vector<std::string> feature_names() const;
  /// Returns notes, one line each: `column 'x' is constant in the training rows and was dropped`.
  [[nodiscard]] std::vector<std::string> notes() const;

  friend bool operator==(const Preprocessor&, const Preprocessor&) = default;

 private:
  Parts parts_;
};

}  // namespace adacvar
