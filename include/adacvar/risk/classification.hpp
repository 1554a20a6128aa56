#pragma once

#include <cstddef>
#include <vector>

namespace adacvar {

/// Rows of one class: their number, or the sum of their weights.
struct ClassCount {
  double actual = 0;     ///< rows of the class
  double predicted = 0;  ///< rows predicted as the class
  double correct = 0;    ///< rows of the class predicted as the class

  friend bool operator==(const ClassCount&, const ClassCount&) = default;
};

/// Confusion matrix: counts by actual and predicted class. Classes are 0, 1, ..., as in a Dataset's
/// targets. A row of weight w counts as w rows.
///
/// Limits: at most 10,000 classes. Memory for classes^2 counts.
/// Throws: OptionError for a class or number of classes out of range; DataError for a weight that
/// is negative or not finite, and for a measure of no rows.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::size_t classes);

  void add(std::size_t actual, std::size_t predicted, double weight = 1);

  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  /// Total weight of all rows; without weights their number.
  [[nodiscard]] double rows() const noexcept { return rows_; }
  [[nodiscard]] double count(std::size_t actual, std::size_t predicted) const;
  [[nodiscard]] ClassCount count(std::size_t class_index) const;

  /// Share of the rows that are classified correctly. Throws: DataError before the first row.
  [[nodiscard]] double accuracy() const;

  /// Share of the rows predicted as the class that belong to it; 0 when none is predicted
  /// (scikit-learn: zero_division=0).
  [[nodiscard]] double precision(std::size_t class_index) const;

  /// Share of the rows of the class that are predicted as it; 0 when it has no rows.
  [[nodiscard]] double recall(std::size_t class_index) const;

  /// Smallest precision of any class: 0 when a class is never predicted, even one without rows, as
  /// in the authors' published code.
  /// Paper: [CLJK20], the "(min class) precision" beside the accuracy.
  /// Throws: DataError before the first row.
  [[nodiscard]] double min_class_precision() const;

 private:
  [[nodiscard]] std::size_t place(std::size_t actual, std::size_t predicted) const;
  void check_not_empty() const;

  std::size_t classes_;
  double rows_ = 0;
  std::vector<double> counts_;  ///< by actual class, then by predicted
};

}  // namespace adacvar
