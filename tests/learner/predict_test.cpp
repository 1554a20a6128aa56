#include <adacvar/adacvar.hpp>

#include "learner/predict.hpp"

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Numbers = std::vector<double>;

Dataset column(std::vector<float> values) {
  Dataset data;
  data.rows = values.size();
  data.features = 1;
  data.dense = std::move(values);
  return data;
}

// A weight and an intercept per output.
LinearModel model_of(const Numbers& parameters) {
  LinearModel model(1, parameters.size() / 2);
  std::ranges::copy(parameters, model.parameters().begin());
  return model;
}

TEST(Predict, regression_is_in_the_units_of_the_target) {
  const Dataset data = column({0, 1, -2});
  // Scores 2 x + 0.5: 0.5, 2.5, -3.5.
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball}) {
    const Predictions found =
        predict(model_of({2, 0.5}), Loss(kind), data, {.mean = 100, .sd = 10});
    EXPECT_EQ(found.values, (Numbers{105, 125, 65}));
    EXPECT_TRUE(found.probabilities.empty());
    EXPECT_TRUE(found.scores.empty());
  }
}

TEST(Predict, logistic_gives_probabilities_of_both_classes) {
  // Scores log 3, 0, -log 3: class 1 has probability 3/4, 1/2, 1/4; ties go to the first class.
  const Predictions found =
      predict(model_of({std::log(3.0), 0}), Loss(LossKind::logistic), column({1, 0, -1}));
  EXPECT_EQ(found.values, (Numbers{1, 0, 0}));
  ASSERT_EQ(found.probabilities.size(), 6U);
  const Numbers expected{0.25, 0.75, 0.5, 0.5, 0.75, 0.25};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.probabilities[i], expected[i], 1e-15);
  EXPECT_TRUE(found.scores.empty());
}

TEST(Predict, hinge_gives_scores_and_no_probabilities) {
  const Predictions found = predict(model_of({2, -1}), Loss(LossKind::hinge), column({2, 0.5, -1}));
  EXPECT_EQ(found.values, (Numbers{1, 0, 0}));
  EXPECT_EQ(found.scores, (Numbers{3, 0, -3}));
  EXPECT_TRUE(found.probabilities.empty());
}

TEST(Predict, softmax_gives_probabilities_and_ties_go_to_the_first) {
  // Three classes with scores x log 2, x log 2, 0.
  const double log2 = std::log(2.0);
  const Predictions found =
      predict(model_of({log2, 0, log2, 0, 0, 0}), Loss(LossKind::softmax), column({1, 0, -1}));
  EXPECT_EQ(found.values, (Numbers{0, 0, 2}));
  const Numbers expected{0.4, 0.4, 0.2, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.25, 0.25, 0.5};
  ASSERT_EQ(found.probabilities.size(), expected.size());
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found.probabilities[i], expected[i], 1e-15);
}

TEST(Predict, extreme_scores_are_certain_and_never_nan) {
  const Dataset data = column({1, -1, 0});
  const double huge = 1.7e308;  // the difference of two such scores is infinite
  EXPECT_EQ(predict(model_of({huge, 0}), Loss(LossKind::logistic), data).probabilities,
            (Numbers{0, 1, 1, 0, 0.5, 0.5}));
  EXPECT_EQ(predict(model_of({huge, 0, -huge, 0}), Loss(LossKind::softmax), data).probabilities,
            (Numbers{1, 0, 0, 1, 0.5, 0.5}));
  EXPECT_EQ(predict(model_of({huge, 0, -huge, 0}), Loss(LossKind::softmax), data).values,
            (Numbers{0, 1, 0}));
}

TEST(Predict, sparse_rows_predict_as_dense_ones) {
  Dataset sparse;
  sparse.rows = 2;
  sparse.features = 1;
  sparse.start = {0, 0, 1};
  sparse.column = {0};
  sparse.value = {3};
  EXPECT_EQ(predict(model_of({2, 1}), Loss(LossKind::hinge), sparse).scores, (Numbers{1, 7}));
}

TEST(Predict, no_rows_give_nothing_and_other_features_are_refused) {
  Dataset none = column({});
  EXPECT_TRUE(predict(model_of({1, 1, 2, 2}), Loss(LossKind::softmax), none).values.empty());
  none.features = 2;
  support::expect_words<OptionError>(
      [&] {
        (void)predict(model_of({1, 1}), Loss(LossKind::squared), none);
      },
      "the data has 2 features, the model 1");
}

}  // namespace
}  // namespace adacvar
