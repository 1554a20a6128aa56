#include <adacvar/adacvar.hpp>

#include <adacvar/report/evaluation.hpp>
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"
#include "data/read_data.hpp"

#include "run/trained_model.hpp"

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Words = std::vector<std::string>;

// Predicts y = x; the loss is (x - y)^2.
TrainedModel identity_model() {
  Preprocessor::Parts parts;
  parts.target = "y";
  parts.columns.resize(1);
  parts.columns[0].name = "x";
  TrainedModel model{.preprocessor = Preprocessor(parts),
                     .loss = Loss(LossKind::squared),
                     .model = LinearModel(1, 1),
                     .options = {},
                     .source = "t.csv",
                     .fingerprint = {},
                     .shares = {}};
  model.model.parameters()[0] = 1;
  return model;
}

class Evaluate : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) {
    return folder_.write(name, text).string();
  }

  // Losses 1, 9, 4, 9, 0.
  std::string five_rows() {
    return write("five.csv", "x,y,g\n1,2,10\n5,2,9\n3,1,10\n0,-3,9\n7,7,?\n");
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Evaluate, risks_of_all_rows) {
  const Evaluation found = evaluate(identity_model(), five_rows(),
                                    {.alphas = {1, 0.4, 0.4}, .bootstrap = {.resamples = 50}});
  EXPECT_EQ(found.source, five_rows());
  EXPECT_EQ(found.loss, "squared");
  EXPECT_EQ(found.resamples, 50U);
  EXPECT_EQ(found.all.rows, 5U);
  ASSERT_EQ(found.all.risk.size(), 2U) << "shares are sorted, each once";
  EXPECT_EQ(found.all.risk[0].alpha, 0.4);
  EXPECT_DOUBLE_EQ(found.all.risk[0].mean, 4.6);
  EXPECT_EQ(found.all.risk[0].cvar, 9);  // the mean of 9 and 9
  EXPECT_EQ(found.all.risk[0].var, 4);
  EXPECT_EQ(found.all.risk[1].alpha, 1);
  EXPECT_DOUBLE_EQ(found.all.risk[1].cvar, 4.6);
  EXPECT_TRUE(found.groups.empty());
  EXPECT_FALSE(found.all.accuracy);
}

// A few skewed losses: without the bound the intervals begin below 0.
TEST_F(Evaluate, intervals_of_losses_do_not_begin_below_zero) {
  std::string text = "x,y\n0,8\n";
  for (int i = 0; i < 30; ++i) text += "0,0.1\n";
  const std::vector<double> losses = [] {
    std::vector<double> all(31, 0.01);
    all[0] = 64;
    return all;
  }();
  const std::vector<double> alphas = {0.1, 1};
  ASSERT_LT(evaluate_risk(losses, alphas)[0].cvar_interval.low, 0);
  const Evaluation found =
      evaluate(identity_model(), write("skewed.csv", text), {.alphas = alphas});
  for (const RiskEstimate& risk : found.all.risk) {
    EXPECT_EQ(risk.cvar_interval.low, 0) << risk.alpha;
    EXPECT_GE(risk.mean_interval.low, 0);
    EXPECT_GE(risk.var_interval.low, 0);
  }
}

TEST_F(Evaluate, worst_rows_come_first_and_are_counted_from_one) {
  const Evaluation found = evaluate(identity_model(), five_rows(), {.worst = 4});
  ASSERT_EQ(found.detail.worst.size(), 4U);
  std::vector<std::size_t> rows;
  std::vector<double> losses;
  for (const WorstRow& row : found.detail.worst) {
    rows.push_back(row.row);
    losses.push_back(row.loss);
  }
  EXPECT_EQ(rows, (std::vector<std::size_t>{2, 4, 3, 1}));  // ties go to the earlier row
  EXPECT_EQ(losses, (std::vector<double>{9, 9, 4, 1}));
  EXPECT_EQ(found.detail.worst[1].target, "-3");
  EXPECT_EQ(found.detail.worst[1].prediction, "0");
  EXPECT_EQ(evaluate(identity_model(), five_rows(), {.worst = 100}).detail.worst.size(), 5U);
  EXPECT_TRUE(evaluate(identity_model(), five_rows(), {.worst = 0}).detail.worst.empty());
}

TEST_F(Evaluate, groups_are_sorted_by_risk_and_marked_where_their_tail_is_small) {
  std::string text = "x,y,g\n";
  for (int i = 0; i < 100; ++i) text += "0," + std::to_string(i % 7) + ",many\n";
  for (int i = 0; i < 100; ++i) text += "0," + std::to_string(i % 5) + ",calm\n";
  text += "0,50,few\n";
  const Evaluation found =
      evaluate(identity_model(), write("g.csv", text), {.alphas = {0.1}, .group = "g"});
  ASSERT_EQ(found.groups.size(), 3U);
  EXPECT_EQ(found.groups[0].name, "few");
  EXPECT_EQ(found.groups[1].name, "many");
  EXPECT_EQ(found.groups[2].name, "calm");
  EXPECT_FALSE(found.groups[0].risk[0].reliable);
  EXPECT_TRUE(found.groups[1].risk[0].reliable);
  const std::string shown = evaluation_text(found);
  const std::string few = shown.substr(shown.find("\nfew"));
  EXPECT_NE(few.substr(0, few.find('\n', 1)).find('?'), std::string::npos) << shown;
  const std::string many = shown.substr(shown.find("\nmany"));
  EXPECT_EQ(many.substr(0, many.find('\n', 1)).find('?'), std::string::npos) << shown;
  EXPECT_NE(shown.find("\n? fewer than 10 rows"), std::string::npos);
}

TEST_F(Evaluate, tails_that_are_too_heavy_are_noted) {
  std::string text = "x,y\n";
  for (int i = 1; i <= 500; ++i) text += "0," + std::to_string(1000.0 / i) + "\n";
  const Evaluation found = evaluate(identity_model(), write("h.csv", text), {.alphas = {0.1}});
  EXPECT_TRUE(found.all.risk[0].heavy_tail());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("too heavy for an interval"), std::string::npos);
  EXPECT_NE(evaluation_text(found).find("^"), std::string::npos);
}

TEST_F(Evaluate, groups_divide_the_rows) {
  const Evaluation found = evaluate(identity_model(), five_rows(), {.alphas = {0.5}, .group = "g"});
  EXPECT_EQ(found.group_column, "g");
  ASSERT_EQ(found.groups.size(), 3U);
  EXPECT_EQ(found.groups[0].name, "9");
  EXPECT_EQ(found.groups[1].name, "10");
  EXPECT_EQ(found.groups[2].name, "(missing)");
  EXPECT_EQ(found.groups[0].rows, 2U);
  EXPECT_EQ(found.groups[1].rows, 2U);
  EXPECT_EQ(found.groups[2].rows, 1U);
  EXPECT_EQ(found.groups[0].risk.at(0).mean, 9);
  EXPECT_EQ(found.groups[1].risk.at(0).mean, 2.5);
  EXPECT_EQ(found.groups[1].risk.at(0).cvar, 4);
  EXPECT_EQ(found.groups[2].risk.at(0).mean, 0);
}

TEST_F(Evaluate, a_column_of_groups_has_a_hundred_values_at_most) {
  std::string text = "x,y,id\n";
  for (int i = 1; i <= 100; ++i) text += "1,2," + std::to_string(i) + "\n";
  const EvaluateOptions options{.alphas = {1}, .group = "id", .bootstrap = {.resamples = 2}};
  EXPECT_EQ(evaluate(identity_model(), write("t.csv", text), options).groups.size(), 100U);
  const std::string more = write("more.csv", text + "1,2,101\n");
  expect_words<OptionError>([&] { (void)evaluate(identity_model(), more, options); },
                            "group = 'id' ... more than 100 values");
  expect_words<DataError>([&] { (void)evaluate(identity_model(), more, {.group = "q"}); },
                          more + ": group column 'q' is not one of: x, y, id");
}

TEST_F(Evaluate, tail_shares_are_the_usual_ones_and_the_models_own) {
  TrainedModel model = identity_model();
  const auto alphas = [&] {
    std::vector<double> found;
    for (const RiskEstimate& risk : evaluate(model, five_rows()).all.risk) {
      found.push_back(risk.alpha);
    }
    return found;
  };
  model.options.alpha = 0.2;
  EXPECT_EQ(alphas(), (std::vector<double>{0.01, 0.05, 0.1, 0.2, 0.5}));
  model.options.alpha = 0.05;
  EXPECT_EQ(alphas(), (std::vector<double>{0.01, 0.05, 0.1, 0.5}));
}

TEST_F(Evaluate, tails_of_few_rows_are_noted) {
  const Words notes = evaluate(identity_model(), five_rows(), {.alphas = {0.1, 0.5}}).notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_PRED2(support::has_words, notes[0], "alpha = 0.1 of 5 rows ... 0.5 ... largest loss");
  EXPECT_PRED2(support::has_words, notes[1], "alpha = 0.5 of 5 rows ... 2.5 ... intervals");
}

// y is a number or, for classes, a name; g has two values.
std::string table(int rows, bool classes) {
  Rng rng(8);
  std::string text = "x,g,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = rng.uniform();
    const double noisy = x + 0.5 * rng.uniform();
    text += std::to_string(x) + (rng.below(3) == 0 ? ",a," : ",b,") +
            (classes ? (noisy > 0.75 ? "yes" : "no") : std::to_string(noisy)) + "\n";
  }
  return text;
}

TEST_F(Evaluate, parts_are_the_rows_that_training_had_and_their_risks_those_it_found) {
  for (const bool classes : {false, true}) {
    RunOptions options;
    options.data.data = write("t.csv", table(120, classes));
    options.data.target = "y";
    options.train.epochs = 3;
    options.train.seed = 11;
    const RunResult trained = run(options).results.at(0);
    const Split split = split_data(read_data(options.data.data), "y", TaskChoice::automatic,
                                   trained.model.parts().shares, 11);
    const auto check = [&](DataPart part, const std::vector<Index>& rows, const PartRisk& risk) {
      const Evaluation found =
          evaluate(trained.model, options.data.data,
                   {.alphas = {0.1}, .worst = 1000, .part = part, .bootstrap = {.resamples = 2}});
      std::set<std::size_t> listed;
      for (const WorstRow& row : found.detail.worst) listed.insert(row.row);
      std::set<std::size_t> expected;
      for (const Index row : rows) expected.insert(row + 1U);
      EXPECT_EQ(listed, expected);
      EXPECT_EQ(found.all.rows, rows.size());
      EXPECT_NEAR(found.all.risk.at(0).cvar, risk.risk.cvar, 1e-12);
      EXPECT_NEAR(found.all.risk.at(0).mean, risk.risk.mean, 1e-12);
      EXPECT_EQ(found.all.accuracy, risk.accuracy);
      EXPECT_EQ(found.all.min_class_precision, risk.min_class_precision);
    };
    check(DataPart::train, split.train, *trained.train);
    check(DataPart::valid, split.valid, *trained.valid);
    check(DataPart::test, split.test, *trained.test);
  }
}

TEST_F(Evaluate, groups_of_a_part_add_up_to_it) {
  RunOptions options;
  options.data.data = write("t.csv", table(200, true));
  options.data.target = "y";
  options.train.epochs = 2;
  const RunResult trained = run(options).results.at(0);
  const Evaluation found = evaluate(
      trained.model, options.data.data,
      {.alphas = {0.5}, .group = "g", .part = DataPart::test, .bootstrap = {.resamples = 2}});
  ASSERT_EQ(found.groups.size(), 2U);
  double rows = 0;
  double losses = 0;
  double right = 0;
  for (const RiskTable& group : found.groups) {
    const auto count = static_cast<double>(group.rows);
    rows += count;
    losses += count * group.risk.at(0).mean;
    right += count * *group.accuracy;
  }
  EXPECT_EQ(rows, static_cast<double>(found.all.rows));
  EXPECT_NEAR(losses / rows, found.all.risk.at(0).mean, 1e-12);
  EXPECT_NEAR(right / rows, *found.all.accuracy, 1e-12);
  // A target and a prediction are classes by name.
  for (const WorstRow& row : found.detail.worst) {
    EXPECT_TRUE(row.target == "yes" || row.target == "no") << row.target;
    EXPECT_TRUE(row.prediction == "yes" || row.prediction == "no") << row.prediction;
  }
}

TEST_F(Evaluate, a_part_of_other_data_or_without_rows_is_refused) {
  RunOptions options;
  options.data.data = write("t.csv", table(50, false));
  options.data.target = "y";
  options.data.split = {0.7, 0.3, 0};
  options.train.epochs = 1;
  const Model model = run(options).results.at(0).model;
  const std::string other = write("other.csv", table(51, false));
  expect_words<OptionError>(
      [&] { (void)evaluate(model, other, {.part = DataPart::train}); },
      "part needs the data ... " + options.data.data + ", 50 rows ... " + other);
  expect_words<OptionError>(
      [&] { (void)evaluate(model, options.data.data, {.part = DataPart::test}); },
      "no rows in that part");
  EXPECT_EQ(evaluate(model, other).all.rows, 51U);
}

TEST_F(Evaluate, unknown_categories_are_noted_and_other_columns_left_unread) {
  Preprocessor::Parts parts = identity_model().preprocessor.parts();
  parts.columns.push_back({.name = "c", .categorical = true, .levels = {"a", "b"}});
  TrainedModel model = identity_model();
  model.preprocessor = Preprocessor(parts);
  model.model = LinearModel(3, 1);
  const std::string file = write("t.csv", "x,c,free text,y\n1,a,1,2\n2,q,2,3\n3,b,oops,4\n");
  EXPECT_PRED2(support::has_words, evaluate(model, file, {.alphas = {1}}).notes.at(0),
               "1 value ... c ... training");
}

TEST_F(Evaluate, sparse_rows_have_no_groups) {
  RunOptions options;
  options.data.data = write("t.txt", "1 1:2\n-1 2:4\n1 1:6\n-1 2:1\n1 1:1\n-1 2:3\n");
  options.data.split = {1, 0, 0};
  options.train.epochs = 1;
  const Model model = run(options).results.at(0).model;
  EXPECT_EQ(evaluate(model, options.data.data).all.rows, 6U);
  expect_words<OptionError>(
      [&] { (void)evaluate(model, options.data.data, {.group = "c1"}); },
      "group = 'c1' needs named columns; " + options.data.data + " is a LIBSVM file");
}

// 400 rows with losses (i / 100)^2, i = 0 to 99; the identity model's are a ninth of another's.
std::string hundred_losses() {
  std::string text = "x,y,w\n";
  for (int i = 0; i < 400; ++i) text += "0," + std::to_string(0.01 * (i % 100)) + ",1\n";
  return text;
}

TEST_F(Evaluate, a_guarantee_is_the_bound_of_the_losses_at_all_alphas_at_once) {
  const std::string data = write("t.csv", hundred_losses());
  const Evaluation found = evaluate(identity_model(), data,
                                    {.alphas = {0.005, 0.1, 1}, .guarantee = 0.9, .loss_max = 1.5});
  ASSERT_TRUE(found.guarantee);
  EXPECT_EQ(found.guarantee->confidence, 0.9);
  EXPECT_EQ(found.guarantee->loss_max, 1.5);
  EXPECT_EQ(found.guarantee->cvar,
            cvar_upper_bounds(found.detail.losses, std::vector{0.005, 0.1, 1.0},
                              {.confidence = 0.9, .loss_max = 1.5}));
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_GT(found.guarantee->cvar[a], found.all.risk[a].cvar);
  }
  EXPECT_PRED2(support::has_words, found.notes.back(), "alpha = 0.005 ... too few ... 1.5");
  EXPECT_PRED2(support::has_words, evaluation_text(found),
               "new rows ... <= ... 90 % confidence ... all at once ... [0, 1.5]");
  EXPECT_FALSE(evaluate(identity_model(), data).guarantee);
}

TEST_F(Evaluate, a_guarantee_whose_premises_fail_is_refused) {
  const std::string data = write("t.csv", hundred_losses());
  const auto refused = [&](const TrainedModel& model, const EvaluateOptions& options,
                           const std::string& words) {
    expect_words<OptionError>([&] { (void)evaluate(model, data, options); }, words);
  };
  refused(identity_model(), {.guarantee = 0.95},
          "guarantee needs loss-max ... squared loss has no bound");
  refused(identity_model(), {.guarantee = 0.95, .loss_max = 0.98},
          "loss-max = 0.98 is exceeded by the loss 0.9801 in row 100");
  refused(identity_model(), {.guarantee = 1, .loss_max = 1}, "guarantee = 1 is outside [0, 1)");
  Preprocessor::Parts parts = identity_model().preprocessor.parts();
  parts.weight = "w";
  TrainedModel weighted = identity_model();
  weighted.preprocessor = Preprocessor(parts);
  refused(weighted, {.guarantee = 0.95, .loss_max = 1}, "not supported with row weights");
}

TEST_F(Evaluate, rows_of_training_have_no_guarantee) {
  RunOptions options;
  options.data.data = write("t.csv", table(120, false));
  options.data.target = "y";
  options.train.epochs = 2;
  const Model model = run(options).results.at(0).model;
  options.train.seed = 1;
  const Model other_split = run(options).results.at(0).model;
  const auto guaranteed = [&](DataPart part, const Model* other) {
    return evaluate(model, options.data.data, {.part = part, .guarantee = 0.9, .loss_max = 100},
                    other);
  };
  for (const DataPart part : {DataPart::all, DataPart::train, DataPart::valid}) {
    expect_words<OptionError>([&] { (void)guaranteed(part, nullptr); },
                              "no part in training ... part = test");
  }
  EXPECT_TRUE(guaranteed(DataPart::test, &model).guarantee);
  expect_words<OptionError>([&] { (void)guaranteed(DataPart::test, &other_split); },
                            "no part in training ... of the other model");
  const std::string fresh = write("fresh.csv", table(121, false));
  EXPECT_TRUE(evaluate(model, fresh, {.guarantee = 0.9, .loss_max = 100}, &other_split).guarantee);
}

// Predicts 2 x + 1: with x = 0 its losses exceed those of the identity for y < 0.5.
TrainedModel other_model() {
  TrainedModel model = identity_model();
  model.model.parameters()[0] = 2;
  model.model.parameters()[1] = 1;
  return model;
}

TEST_F(Evaluate, another_model_is_compared_on_the_same_rows) {
  const Model other(other_model());
  const Evaluation found = evaluate(identity_model(), five_rows(), {.alphas = {0.4, 1}}, &other);
  // Its predictions are 3, 11, 7, 1, 15, its losses 1, 81, 36, 16, 64.
  ASSERT_EQ(found.differences.size(), 2U);
  EXPECT_DOUBLE_EQ(found.differences[0].other_cvar, 72.5);
  EXPECT_DOUBLE_EQ(found.differences[0].difference.value, 9 - 72.5);
  EXPECT_DOUBLE_EQ(found.differences[1].difference.value, 4.6 - 39.6);
  EXPECT_FALSE(found.differences[0].guaranteed);
  EXPECT_TRUE(evaluate(identity_model(), five_rows()).differences.empty());
}

TEST_F(Evaluate, the_better_model_is_named_where_that_is_guaranteed) {
  std::string text = "x,y\n";
  for (int i = 0; i < 2000; ++i) text += "0,-" + std::to_string(0.0001 * (i % 1000)) + "\n";
  const Model other(other_model());
  const Evaluation found =
      evaluate(identity_model(), write("t.csv", text),
               {.alphas = {0.001, 0.1}, .guarantee = 0.95, .loss_max = 2}, &other);
  EXPECT_GT(found.differences.at(0).guaranteed.value(), 0);
  EXPECT_LT(found.differences.at(1).guaranteed.value(), -0.5);
  const std::string shown = evaluation_text(found);
  EXPECT_PRED2(support::has_words, shown,
               "worst 10 % is better than that of the other model with ... 95 % confidence");
  EXPECT_PRED2(support::has_words, shown, "Not shown ... worst 0.1 %.");
}

TEST_F(Evaluate, models_that_cannot_be_compared_are_refused) {
  const auto refused = [&](const TrainedModel& other, const std::string& words) {
    const Model given(other);
    expect_words<OptionError>([&] { (void)evaluate(identity_model(), five_rows(), {}, &given); },
                              words);
  };
  TrainedModel other = identity_model();
  other.loss = Loss(LossKind::absolute);
  refused(other, "against: ... loss 'absolute', the model 'squared'");
  Preprocessor::Parts parts = identity_model().preprocessor.parts();
  parts.target = "g";
  other = identity_model();
  other.preprocessor = Preprocessor(parts);
  refused(other, "against: ... target 'g', the model 'y'");
  const Model same(identity_model());
  expect_words<OptionError>([&] { (void)evaluate(identity_model(), "-", {}, &same); },
                            "standard input");
}

TEST_F(Evaluate, options_out_of_range_are_refused) {
  expect_words<OptionError>(
      [&] {
        (void)evaluate(identity_model(), five_rows(), {.alphas = {0.5, 0}});
      },
      "alphas = 0 is outside (0, 1]");
  expect_words<OptionError>(
      [&] { (void)evaluate(identity_model(), five_rows(), {.bootstrap = {.level = 1}}); },
      "level = 1 is outside (0, 1)");
}

}  // namespace
}  // namespace adacvar
