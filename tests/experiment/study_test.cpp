#include "experiment/study.hpp"

#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"
#include "support/experiment_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace adacvar {
namespace {

std::size_t ones(const Dataset& data) {
  return static_cast<std::size_t>(std::ranges::count(data.targets, 1.0));
}

Study shifted(Experiment experiment, Rebalance rebalance = Rebalance::none) {
  return make_study(experiment, {.rebalance = rebalance});
}

TEST(MakeStudy, convex_has_all_sets_and_the_optimum) {
  const Study study = make_study(Experiment::convex, {});
  EXPECT_EQ(study.sets.size(), 14U);
  EXPECT_EQ(study.alpha, 0.01);
  EXPECT_EQ(study.contestants.size(), 6U);
  EXPECT_EQ(study.contestants.back().name, kExactName);
}

TEST(MakeStudy, shifts_have_classes_only) {
  const Study study = shifted(Experiment::shift_double, Rebalance::upsample);
  EXPECT_EQ(study.name, "shift-double-upsample");
  EXPECT_EQ(study.table, "shift_double_upsample");
  EXPECT_EQ(study.sets, classification_sets());
  EXPECT_EQ(study.alpha, 0.1);
  EXPECT_EQ(shifted(Experiment::shift_train, Rebalance::downsample).table, "");
}

TEST(MakeStudy, refuses_what_does_not_fit) {
  support::expect_words<OptionError>(
      [] { (void)make_study(Experiment::shift_train, {.sets = {"abalone"}}); },
      "sets: 'abalone' ... adult, australian, german, monks, phoneme, spambase, splice, titanic");
  EXPECT_THROW((void)make_study(Experiment::convex, {.rebalance = Rebalance::upsample}),
               OptionError);
}

// About a quarter of 1,000 rows are class 1: class 0 is the majority.
TEST(PrepareCase, shift_train_inverts_the_classes_to_ten_and_ninety) {
  const RawData raw = support::made_data(1000, true);
  const PreparedData plain = prepare_case(Study{}, raw, 0);
  const PreparedData data = prepare_case(shifted(Experiment::shift_train), raw, 0);
  ASSERT_LT(2 * ones(plain.train), plain.train.rows);
  const auto expected = [](std::size_t others) { return (others + 4) / 9; };  // rounded
  EXPECT_EQ(ones(data.train), ones(plain.train));
  EXPECT_EQ(data.train.rows - ones(data.train), expected(ones(plain.train)));
  EXPECT_EQ(data.valid.rows - ones(data.valid), expected(ones(plain.valid)));
  EXPECT_EQ(data.test.targets, plain.test.targets);
}

TEST(PrepareCase, shift_test_leaves_training_alone) {
  const RawData raw = support::made_data(1000, true);
  const PreparedData plain = prepare_case(Study{}, raw, 0);
  const PreparedData data = prepare_case(shifted(Experiment::shift_test), raw, 0);
  EXPECT_EQ(data.train.dense, plain.train.dense);
  EXPECT_EQ(data.valid.dense, plain.valid.dense);
  EXPECT_EQ(ones(data.test), ones(plain.test));
  EXPECT_EQ(data.test.rows - ones(data.test), (ones(plain.test) + 5) / 10);
}

TEST(PrepareCase, shift_double_shifts_both) {
  const RawData raw = support::made_data(1000, true);
  const PreparedData data = prepare_case(shifted(Experiment::shift_double), raw, 0);
  EXPECT_EQ(data.train.rows - ones(data.train), (ones(data.train) + 5) / 10);
  EXPECT_EQ(data.test.rows - ones(data.test),
            std::max<std::size_t>(1, (ones(data.test) + 50) / 100));
}

TEST(PrepareCase, rebalancing_balances_training_alone) {
  const RawData raw = support::made_data(1000, true);
  const PreparedData plain = prepare_case(shifted(Experiment::shift_train), raw, 0);
  for (const Rebalance how : {Rebalance::upsample, Rebalance::downsample}) {
    const PreparedData data = prepare_case(shifted(Experiment::shift_train, how), raw, 0);
    EXPECT_EQ(2 * ones(data.train), data.train.rows);
    EXPECT_EQ(data.valid.targets, plain.valid.targets);
    EXPECT_EQ(data.test.targets, plain.test.targets);
  }
}

}  // namespace
}  // namespace adacvar
