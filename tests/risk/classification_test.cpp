#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/classification.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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

using Marks = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

// Compares every row of the class with every other row.
std::optional<double> slow_auc(const Numbers& scores, const Marks& in_class,
                               const Numbers& weights) {
  double ordered = 0;
  double all = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (in_class[i] == 0 || in_class[j] != 0) continue;
      const double pair = weights.empty() ? 1 : weights[i] * weights[j];
      all += pair;
      ordered += scores[i] > scores[j] ? pair : scores[i] == scores[j] ? pair / 2 : 0;
    }
  }
  if (all == 0) return std::nullopt;
  return ordered / all;
}

TEST(Auc, by_hand) {
  // Pairs in order: 0.35 > 0.1, 0.8 > 0.1, 0.8 > 0.4; not 0.35 > 0.4.
  EXPECT_DOUBLE_EQ(auc(Numbers{0.1, 0.4, 0.35, 0.8}, Marks{0, 0, 1, 1}).value(), 0.75);
  EXPECT_EQ(auc(Numbers{1, 2, 3}, Marks{0, 0, 1}), 1);
  EXPECT_EQ(auc(Numbers{3, 2, 1}, Marks{0, 0, 1}), 0);
  EXPECT_EQ(auc(Numbers{5, 5, 5}, Marks{0, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(auc(Numbers{1, 2, 2}, Marks{0, 0, 1}).value(), 0.75);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(auc(Numbers{-infinity, 0, infinity}, Marks{0, 0, 1}), 1);
}

TEST(Auc, a_weight_counts_as_rows) {
  // Pairs: 3 * 1 in order (2 > 1), 3 * 2 not (2 < 4).
  EXPECT_DOUBLE_EQ(auc(Numbers{1, 4, 2}, Marks{0, 0, 1}, Numbers{1, 2, 3}).value(), 1.0 / 3);
  EXPECT_EQ(auc(Numbers{1, 4, 2}, Marks{0, 0, 1}, Numbers{1, 0, 3}), 1);
}

TEST(Auc, one_class_alone_has_none) {
  EXPECT_FALSE(auc(Numbers{1, 2}, Marks{1, 1}));
  EXPECT_FALSE(auc(Numbers{1, 2}, Marks{0, 0}));
  EXPECT_FALSE(auc(Numbers{}, Marks{}));
  EXPECT_FALSE(auc(Numbers{1, 2}, Marks{0, 1}, Numbers{0, 1}));
}

TEST(Auc, equals_the_slow_version) {
  Rng rng(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto rows = static_cast<std::size_t>(1 + 20 * rng.uniform());
    const double steps = trial % 3 == 0 ? 3 : 1000;  // few values: many ties
    Numbers scores;
    Marks in_class;
    Numbers weights;
    for (std::size_t i = 0; i < rows; ++i) {
      scores.push_back(std::floor(steps * rng.uniform()) - steps / 2);
      in_class.push_back(rng.uniform() < 0.4 ? 1 : 0);
      if (trial % 2 == 0) weights.push_back(std::floor(4 * rng.uniform()) / 2);
    }
    const std::optional<double> fast = auc(scores, in_class, weights);
    const std::optional<double> slow = slow_auc(scores, in_class, weights);
    ASSERT_EQ(fast.has_value(), slow.has_value()) << trial;
    ASSERT_NEAR(fast.value_or(0), slow.value_or(0), 1e-12) << trial;
  }
}

TEST(Auc, macro_average_is_the_mean_of_the_classes_with_rows) {
  const Numbers scores = {0.8, 0.1, 0.1, 0,  //
                          0.3, 0.6, 0.1, 0,  //
                          0.5, 0.2, 0.3, 0,  //
                          0.4, 0.4, 0.2, 0};
  const Numbers targets = {0, 1, 2, 0};
  // Class 0: 0.8 above both others, 0.4 above 0.3 only: 3 / 4. Class 1: 0.6 above all: 1.
  // Class 2: 0.3 above all: 1. Class 3 has no rows.
  EXPECT_DOUBLE_EQ(macro_auc(scores, 4, targets).value(), (0.75 + 1 + 1) / 3);
  EXPECT_FALSE(macro_auc(Numbers{1, 0, 1, 0}, 2, Numbers{0, 0}));
  // Two classes with opposite scores: both have the AUC of the binary task.
  EXPECT_DOUBLE_EQ(macro_auc(Numbers{0, 1, 0, 4, 0, 3.5, 0, 8}, 2, Numbers{0, 0, 1, 1}).value(),
                   (0.5 + 0.75) / 2);
}

TEST(Auc, bad_input_is_refused) {
  expect_words<OptionError>([] { std::ignore = auc(Numbers{1, 2}, Marks{1}); }, "2 scores");
  expect_words<OptionError>(
      [] {
        std::ignore = auc(Numbers{1, 2}, Marks{1, 0}, Numbers{1});
      },
      "weights");
  expect_words<DataError>(
      [] {
        std::ignore = auc(Numbers{1, 2}, Marks{1, 0}, Numbers{1, -1});
      },
      "-1");
  expect_words<DataError>([] { std::ignore = auc(Numbers{1, std::nan("")}, Marks{1, 0}); }, "NaN");
  expect_words<OptionError>(
      [] {
        std::ignore = macro_auc(Numbers{1, 2}, 2, Numbers{0, 1});
      },
      "2 scores of 2 rows and 2 classes");
  expect_words<OptionError>(
      [] {
        std::ignore = macro_auc(Numbers{1, 2}, 2, Numbers{2});
      },
      "target = 2 is outside [0, 1]");
  expect_words<OptionError>([] { std::ignore = macro_auc(Numbers{1, 2}, 2, Numbers{-1}); },
                            "target = -1 is outside [0, 1]");
}

}  // namespace
}  // namespace adacvar
