#include <adacvar/base/error.hpp>
#include <adacvar/risk/classification.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

/// By rows: actual class; by columns: predicted class.
ConfusionMatrix matrix(const std::vector<std::vector<int>>& counts) {
  ConfusionMatrix result(counts.size());
  for (std::size_t actual = 0; actual < counts.size(); ++actual) {
    for (std::size_t predicted = 0; predicted < counts.size(); ++predicted) {
      for (int i = 0; i < counts[actual][predicted]; ++i) result.add(actual, predicted);
    }
  }
  return result;
}

TEST(ConfusionMatrix, measures_by_hand) {
  const ConfusionMatrix m = matrix({{5, 1, 0},  //
                                    {2, 3, 1},  //
                                    {1, 0, 7}});
  EXPECT_EQ(m.classes(), 3U);
  EXPECT_EQ(m.rows(), 20);
  EXPECT_EQ(m.count(1, 0), 2);
  EXPECT_EQ(m.count(0, 1), 1);
  EXPECT_EQ(m.count(0), (ClassCount{.actual = 6, .predicted = 8, .correct = 5}));
  EXPECT_EQ(m.count(2), (ClassCount{.actual = 8, .predicted = 8, .correct = 7}));
  EXPECT_DOUBLE_EQ(m.accuracy(), 15.0 / 20);
  EXPECT_DOUBLE_EQ(m.precision(0), 5.0 / 8);
  EXPECT_DOUBLE_EQ(m.precision(1), 3.0 / 4);
  EXPECT_DOUBLE_EQ(m.precision(2), 7.0 / 8);
  EXPECT_DOUBLE_EQ(m.recall(0), 5.0 / 6);
  EXPECT_DOUBLE_EQ(m.recall(1), 3.0 / 6);
  EXPECT_DOUBLE_EQ(m.recall(2), 7.0 / 8);
  EXPECT_DOUBLE_EQ(m.min_class_precision(), 5.0 / 8);
}

TEST(ConfusionMatrix, a_perfect_prediction_has_ones) {
  const ConfusionMatrix m = matrix({{3, 0}, {0, 2}});
  EXPECT_EQ(m.accuracy(), 1);
  EXPECT_EQ(m.recall(1), 1);
  EXPECT_EQ(m.min_class_precision(), 1);
  EXPECT_EQ(matrix({{4}}).min_class_precision(), 1);
}

TEST(ConfusionMatrix, a_class_never_predicted_has_precision_zero) {
  const ConfusionMatrix m = matrix({{9, 0}, {1, 0}});
  EXPECT_DOUBLE_EQ(m.accuracy(), 0.9);
  EXPECT_DOUBLE_EQ(m.precision(0), 0.9);
  EXPECT_EQ(m.precision(1), 0);
  EXPECT_EQ(m.recall(1), 0);
  EXPECT_EQ(m.min_class_precision(), 0);
}

TEST(ConfusionMatrix, a_class_without_rows_counts_as_one_never_predicted) {
  const ConfusionMatrix absent = matrix({{3, 0, 0}, {0, 2, 0}, {0, 0, 0}});
  EXPECT_EQ(absent.recall(2), 0);
  EXPECT_EQ(absent.min_class_precision(), 0);
  const ConfusionMatrix only_predicted = matrix({{3, 1}, {0, 0}});
  EXPECT_EQ(only_predicted.recall(1), 0);
  EXPECT_EQ(only_predicted.precision(1), 0);
}

TEST(ConfusionMatrix, bad_classes_are_named_and_change_nothing) {
  expect_words<OptionError>([] { ConfusionMatrix(0); }, "classes = 0 is outside [1, 10000]");
  expect_words<OptionError>([] { ConfusionMatrix(10'001); },
                            "classes = 10001 is outside [1, 10000]");
  ConfusionMatrix m(3);
  expect_words<OptionError>([&] { m.add(3, 0); }, "actual = 3 is outside [0, 2]");
  expect_words<OptionError>([&] { m.add(0, 7); }, "predicted = 7 is outside [0, 2]");
  expect_words<OptionError>([&] { std::ignore = m.count(0, 3); },
                            "predicted = 3 is outside [0, 2]");
  expect_words<OptionError>([&] { std::ignore = m.count(3); }, "class = 3 is outside [0, 2]");
  expect_words<OptionError>([&] { std::ignore = m.precision(3); }, "class = 3 is outside [0, 2]");
  expect_words<OptionError>([&] { std::ignore = m.recall(3); }, "class = 3 is outside [0, 2]");
  EXPECT_EQ(m.rows(), 0);
}

TEST(ConfusionMatrix, measures_of_all_rows_need_a_row) {
  const ConfusionMatrix m(2);
  const std::string words = "the confusion matrix is empty: at least one row is needed";
  expect_words<DataError>([&] { std::ignore = m.accuracy(); }, words);
  expect_words<DataError>([&] { std::ignore = m.min_class_precision(); }, words);
  EXPECT_EQ(m.precision(0), 0);
}

}  // namespace
}  // namespace adacvar
