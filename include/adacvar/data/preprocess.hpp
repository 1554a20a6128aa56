#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/images.hpp>
#include <adacvar/data/table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

struct PreprocessOptions {
  std::string target = {};        ///< name of the target's column
  std::optional<Task> task = {};  ///< none: see Preprocessor::fit
  bool standardise = true;        ///< numeric features to mean 0, standard deviation 1
};

/// What one input column becomes.
struct ColumnTransform {
  std::string name;
  bool categorical = false;
  double mean = 0;  ///< numeric: (x - mean) / scale; a missing x counts as fill
  double scale = 1;
  double fill = 0;                  ///< mean of the training rows
  std::vector<std::string> levels;  ///< categorical: one feature each, in sorted order
  bool missing_level = false;       ///< categorical: one more feature, 1 where the value is missing

  [[nodiscard]] std::size_t features() const noexcept {
    return categorical ? levels.size() + (missing_level ? 1 : 0) : 1;
  }
  friend bool operator==(const ColumnTransform&, const ColumnTransform&) = default;
};

/// What `apply` met that training had not.
struct ApplyReport {
  std::size_t unknown_categories = 0;        ///< values, over all columns
  std::vector<std::string> unknown_columns;  ///< columns with such values
};

/// In words, or nothing when there was nothing: `2 values of a, b in the test rows were ...`.
[[nodiscard]] std::string unknown_note(const ApplyReport& report, std::string_view part);

/// Turns tables into datasets, by what it learned from the training rows alone.
///
/// Numeric columns are standardised (population standard deviation), a missing value is the
/// training mean. Categorical columns become one feature per level seen in training, a missing
/// value a level of its own where training had one; a value not seen there has only zeros and is
/// counted. Columns that are constant in training are dropped, with a note.
/// Classes: the name that sorts first is class 0; names that are all numbers sort as numbers.
class Preprocessor {
 public:
  /// `task`, when not said: a categorical target is classes; so is a numeric one with two values;
  /// any other is regression.
  /// Cost: O(rows * columns), plus sorting of the levels.
  /// Throws: DataError when the target is not a column, is missing in a row, is constant or has
  /// one class only, does not fit the task, or when no feature is left.
  [[nodiscard]] static Preprocessor fit(const Table& table, std::span<const Index> training_rows,
                                        const PreprocessOptions& options);

  /// Sparse rows stay sparse: a column is divided by its standard deviation but not centred.
  /// Columns without a value in the training rows, or constant there, are dropped.
  [[nodiscard]] static Preprocessor fit(const SparseRows& rows,
                                        std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// Pictures: pixels / 255, each channel standardised by the mean and standard deviation of its
  /// pixels in the training rows. Classes are the labels met there, in the order of their numbers.
  /// A channel that is constant there becomes 0. Throws: DataError also for task regression.
  [[nodiscard]] static Preprocessor fit(const Images& images, std::span<const Index> training_rows,
                                        const PreprocessOptions& options = {});

  /// The rows named, in that order. Columns are found by name, so their order is free.
  /// Throws: DataError when a column is missing or of the other kind, when a class was not seen
  /// in training (with the row), when a target is missing.
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
    std::vector<std::uint32_t> sparse_columns;  ///< sparse: columns kept, increasing
    std::vector<double> sparse_scales;          ///< sparse: what each is divided by
    ImageShape image = {};                      ///< pictures
    std::vector<double> channel_means;          ///< pictures: of pixels / 255
    std::vector<double> channel_scales;         ///< pictures: what is divided by
    std::vector<std::uint8_t> labels;           ///< pictures: of the classes, increasing

    friend bool operator==(const Parts&, const Parts&) = default;
  };

  /// Throws: DataError unless the parts agree with each other.
  explicit Preprocessor(Parts parts);
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

  [[nodiscard]] std::size_t features() const noexcept;
  /// None for pictures.
  [[nodiscard]] std::vector<std::string> feature_names() const;
  /// In words, one line each: `column 'x' is constant in the training rows and was dropped`.
  [[nodiscard]] std::vector<std::string> notes() const;

  friend bool operator==(const Preprocessor&, const Preprocessor&) = default;

 private:
  Parts parts_;
};

}  // namespace adacvar
