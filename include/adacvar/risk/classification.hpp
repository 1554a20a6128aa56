#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

/// Area under the ROC curve: the probability that a row of the class has a larger score than a row
/// outside it, where equal scores count one half. A row of weight w counts as w rows. No value if
/// all rows are in the class, or none.
///
/// `in_class` is 1 for rows of the class, else 0; no `weights`: all 1.
/// Cost: O(n log n).
/// Throws: OptionError for lists of different lengths; DataError for a score that is NaN, and for
/// an invalid weight.
[[nodiscard]] std::optional<double> auc(std::span<const double> scores,
                                        std::span<const std::uint8_t> in_class,
                                        std::span<const double> weights = {});

/// Mean over the classes of the AUC of each class against all others (macro average, one versus
/// rest; scikit-learn: multi_class='ovr', average='macro'). Classes without rows are left out; no
/// value if only one class has rows.
///
/// `scores` has `classes` entries per row, row by row; `targets` are class numbers.
/// Cost: O(classes * n log n).
/// Throws: as auc; OptionError for a class or number of classes out of range.
[[nodiscard]] std::optional<double> macro_auc(std::span<const double> scores, std::size_t classes,
                                              std::span<const double> targets,
                                              std::span<const double> weights = {});
/// Likewise, with scores that are computed where they are needed. In memory are those of one class.
[[nodiscard]] std::optional<double> macro_auc(
    const std::function<double(std::size_t row, std::size_t class_index)>& score,
    std::size_t classes, std::span<const double> targets, std::span<const double> weights = {});

}  // namespace adacvar
