#pragma once

#include <cstddef>
#include <vector>

namespace adacvar {

/// Rows of one class: their number or, where they have weights, the sum of these.
struct ClassCount {
  double actual = 0;     ///< of that class
  double predicted = 0;  ///< taken for that class
  double correct = 0;    ///< both

  friend bool operator==(const ClassCount&, const ClassCount&) = default;
};

/// How often each class was taken for which; classes are 0, 1, ..., as in a Dataset's targets. A
/// row of weight w counts as w rows.
///
/// Limits: at most 10,000 classes. Memory for classes^2 counts.
/// Throws: OptionError for a class or number of classes that is not allowed; DataError for a weight
/// that is negative or not finite, and where a measure needs a row and there is none.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::size_t classes);

  void add(std::size_t actual, std::size_t predicted, double weight = 1);

  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  /// The weight of all rows; without weights their number.
  [[nodiscard]] double rows() const noexcept { return rows_; }
  [[nodiscard]] double count(std::size_t actual, std::size_t predicted) const;
  [[nodiscard]] ClassCount count(std::size_t class_index) const;

  /// Share of the rows whose class was predicted. Throws: DataError before the first row.
  [[nodiscard]] double accuracy() const;

  /// Share of the rows taken for the class that are of it; 0 when none was taken for it
  /// (scikit-learn: zero_division=0).
  [[nodiscard]] double precision(std::size_t class_index) const;

  /// Share of the rows of the class that were taken for it; 0 when it has no row.
  [[nodiscard]] double recall(std::size_t class_index) const;

  /// The smallest precision of any class, so 0 when a class was never predicted, even one
  /// without rows, as in the authors' published code.
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
