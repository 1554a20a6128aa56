#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/matrix_view.hpp>
#include "data/images.hpp"
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

/// Training rows of a table that would take more than that, with more than kMostDenseFeatures
/// features for each column, become sparse: 8 bytes for each column in place of 4 for each feature.
inline constexpr std::size_t kMostDenseBytes = std::size_t{32} << 20U;
inline constexpr std::size_t kMostDenseFeatures = 4;

/// In tables of up to so many training rows a text column is never taken for an identifier.
inline constexpr std::size_t kMostIdentifierRows = 50;

struct PreprocessOptions {
  std::string target = {};        ///< name of the target's column
  std::optional<Task> task = {};  ///< none: see Preprocessor::fit
  bool standardise = true;        ///< numeric features to mean 0, standard deviation 1
  std::string weight = {};        ///< name of the column of row weights; empty: none. Tables only
};

/// What one input column becomes.
struct ColumnTransform {
  std::string name;
  bool categorical = false;
  double mean = 0;  ///< numeric: (x - mean) / scale; a missing x counts as fill
  double scale = 1;
  double fill = 0;                  ///< mean of the training rows
  NumberFormat format = {};         ///< numeric: as its numbers are written
  std::vector<std::string> levels;  ///< categorical: one feature each, in sorted order
  bool missing_level = false;       ///< categorical: one more feature, 1 where the value is missing

  [[nodiscard]] std::size_t features() const noexcept {
    return categorical ? levels.size() + (missing_level ? 1 : 0) : 1;
  }
  friend bool operator==(const ColumnTransform&, const ColumnTransform&) = default;
};

/// What `apply` met in a numeric column.
struct NumericReport {
  std::size_t numbers = 0;
  std::size_t missing = 0;  ///< without texts
  std::size_t texts = 0;    ///< values that are not numbers
  std::string first_text;
  std::string first_place;  ///< `line 17` or `row 16`
};

/// What `apply` met; of several calls, in all of them.
struct ApplyReport {
  std::size_t unknown_categories = 0;        ///< values not seen in training, over all columns
  std::vector<std::string> unknown_columns;  ///< columns with such values, each once
  std::map<std::string, NumericReport> numeric;
  bool lacks_weights = false;  ///< the column of row weights is not there: every row counts 1
};

/// In words, one sentence each: values not seen in training, texts in numeric columns, no weights.
/// `part`: the rows, as in `2 values of a, b in the test rows were ...`.
[[nodiscard]] std::vector<std::string> apply_notes(const ApplyReport& report,
                                                   std::string_view part);

/// How many numbers were missing, in words; nothing when none was.
[[nodiscard]] std::string missing_note(const ApplyReport& report, std::string_view part);

/// Turns tables into datasets, by what it learned from the training rows alone.
///
/// Whether a column is numeric is a matter of the training rows: text that only other rows have is
/// a missing value there, and counted. Numeric columns are standardised (population standard
/// deviation), a missing value is the training mean. Categorical columns become one feature per
/// level seen in training, a missing value a level of its own where training had one; a value not
/// seen there has only zeros and is counted. Columns that are constant in training are dropped,
/// with a note; so are identifiers: text that has a different value in more than half of the
/// training rows that have one (over kMostIdentifierRows), unless declared categorical. Where
/// categories make many features of few columns (kMostDenseBytes) the datasets are sparse. Row
/// weights are repeated rows: means and deviations count them, and datasets have them where the
/// table has their column; it is not a feature. Classes: the name that sorts first is class 0;
/// names that are all numbers sort as numbers.
class Preprocessor {
 public:
  /// `task`, when not said: a categorical target is classes; so is a numeric one with two values;
  /// any other is regression.
  /// Cost: O(rows * columns), plus sorting of the levels.
  /// Throws: DataError when the target is not a column, is missing in a row, is constant or has
  /// one class only, does not fit the task, when a numeric column has a text in a training row,
  /// when a weight is not a finite number above 0, or when no feature is left.
  [[nodiscard]] static Preprocessor fit(const Table& table, std::span<const Index> training_rows,
                                        const PreprocessOptions& options);

  /// Sparse rows stay sparse: a column is divided by its standard deviation but not centred.
  /// Columns without a value in the training rows, or constant there, are dropped.
  [[nodiscard]] static Preprocessor fit(const SparseRows& rows,
                                        std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// Images: pixels / 255, each channel standardised by the mean and standard deviation of its
  /// pixels in the training rows. Classes are the labels met there, in the order of their numbers.
  /// A channel that is constant there becomes 0. Throws: DataError also for task regression.
  [[nodiscard]] static Preprocessor fit(const Images& images, std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// A matrix in memory: numeric columns called `names`, without missing values; a sparse one is
  /// treated as sparse rows are, and its columns have no names. `target` has a value for each row
  /// of the matrix, `weights` one for each training row, or none: all count 1.
  /// Throws: DataError also for a NaN or infinity, with its row and column.
  [[nodiscard]] static Preprocessor fit(const MatrixView& features,
                                        std::span<const Index> training_rows,
                                        std::span<const std::string> names, const Column& target,
                                        std::span<const double> weights,
                                        const PreprocessOptions& options = {});

  /// The rows named, in that order. Columns are found by name, so their order is free.
  /// Throws: DataError when a column is missing, or was numeric in training and holds only text,
  /// when a class was not seen in training (with the row), when a target is missing.
  [[nodiscard]] Dataset apply(const Table& table, std::span<const Index> rows,
                              ApplyReport* report = nullptr) const;
  [[nodiscard]] Dataset apply(const SparseRows& sparse, std::span<const Index> rows) const;
  /// Classes are found by name; by label where `images` has no names.
  [[nodiscard]] Dataset apply(const Images& images, std::span<const Index> rows) const;

  /// The same without targets, for tables that need not have them: prediction.
  [[nodiscard]] Dataset apply_features(const Table& table, std::span<const Index> rows,
                                       ApplyReport* report = nullptr) const;
  [[nodiscard]] Dataset apply_features(const SparseRows& sparse, std::span<const Index> rows) const;
  [[nodiscard]] Dataset apply_features(const Images& images, std::span<const Index> rows) const;
  /// A matrix with the columns of training, in their order.
  /// Throws: DataError for another number of columns, a NaN or infinity, or categories.
  [[nodiscard]] Dataset apply_features(const MatrixView& features,
                                       std::span<const Index> rows) const;

  /// Targets of its datasets for the values of a column: standardised, or numbers of classes.
  /// Throws: DataError for a missing value, or a class that training did not have.
  [[nodiscard]] std::vector<double> apply_targets(const Column& target, std::span<const Index> rows,
                                                  const std::string& source) const;

  /// Those of `rows` that have a weight above 0, in their order; all, where the table has no
  /// weights. `apply` takes no others. Throws: DataError when a weight is missing, text or
  /// negative.
  [[nodiscard]] std::vector<Index> rows_with_weight(const Table& table,
                                                    std::span<const Index> rows) const;
  /// Those of `rows` that have a target, in their order. A text among numbers is none.
  [[nodiscard]] std::vector<Index> rows_with_target(const Table& table,
                                                    std::span<const Index> rows) const;
  /// `; '5 kg' in line 3 is text, ...` of the first of `rows` that has text where a numeric target
  /// should be; empty: there is none. For messages about rows that `rows_with_target` leaves out.
  [[nodiscard]] std::string target_text_note(const Table& table, std::span<const Index> rows) const;

  /// The parts of a preprocessor; what is stored in a model file.
  struct Parts {
    std::string target;
    Task task = Task::regression;
    bool sparse = false;
    double target_mean = 0;
    double target_sd = 1;
    std::vector<std::string> class_names;
    std::vector<ColumnTransform> columns;       ///< dense: in the order of the training table
    std::vector<std::string> dropped;           ///< dense: constant columns
    std::vector<std::string> identifiers;       ///< dense: columns left out as such
    std::string weight;                         ///< column of row weights; empty: none
    std::vector<std::string> inputs;            ///< dense: names of all, in the order of training
    NumberFormat target_format = {};            ///< of a numeric target
    bool sparse_categories = false;             ///< tables become sparse datasets
    std::vector<std::uint32_t> sparse_columns;  ///< sparse: columns kept, increasing
    std::vector<double> sparse_scales;          ///< sparse: what each is divided by
    std::size_t sparse_width = 0;               ///< sparse: columns in all; 0: not known
    ImageShape image = {};                      ///< images
    std::vector<double> channel_means;          ///< images: of pixels / 255
    std::vector<double> channel_scales;         ///< images: what is divided by
    std::vector<std::uint8_t> labels;           ///< images: of the classes, increasing

    friend bool operator==(const Parts&, const Parts&) = default;
  };

  /// Throws: DataError unless the parts agree with each other.
  explicit Preprocessor(Parts parts);
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

  [[nodiscard]] std::size_t features() const noexcept;
  /// Turns the targets of its datasets back into the user's units.
  [[nodiscard]] TargetScale target_scale() const noexcept {
    return {parts_.target_mean, parts_.target_sd};
  }
  /// None for images.
  [[nodiscard]] std::vector<std::string> feature_names() const;
  /// In words, one line each: `column 'x' is constant in the training rows and was dropped`.
  [[nodiscard]] std::vector<std::string> notes() const;

  friend bool operator==(const Preprocessor&, const Preprocessor&) = default;

 private:
  Parts parts_;
};

}  // namespace adacvar
