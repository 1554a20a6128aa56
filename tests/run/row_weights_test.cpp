#include <adacvar/adacvar.hpp>

#include "data/row_weights.hpp"
#include "run/trained_model.hpp"
#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Numbers = std::vector<double>;

/// Rows with whole weights from 0 to 3, and the same rows repeated as often.
struct Problem {
  Numbers x;  // two columns
  Numbers y;
  Numbers weights;
  Numbers repeated_x;
  Numbers repeated_y;
};

Problem make_problem(bool classes) {
  Rng rng(3);
  Problem p;
  for (int i = 0; i < 150; ++i) {
    const double a = rng.uniform();
    const double b = rng.uniform();
    const double noise = rng.uniform() - 0.5;
    const double y = classes ? (a + noise > 0.5 ? 1 : 0) : 10 * a - b + 4 * noise * noise * noise;
    const auto weight = static_cast<double>(rng.below(4));
    p.x.insert(p.x.end(), {a, b});
    p.y.push_back(y);
    p.weights.push_back(weight);
    for (int copy = 0; copy < static_cast<int>(weight); ++copy) {
      p.repeated_x.insert(p.repeated_x.end(), {a, b});
      p.repeated_y.push_back(y);
    }
  }
  return p;
}

TEST(RowWeights, whole_weights_are_repeated_rows_to_the_exact_solver) {
  for (const bool classes : {false, true}) {
    const Problem p = make_problem(classes);
    const std::size_t rows = p.y.size();
    const std::size_t copies = p.repeated_y.size();
    for (const double alpha : {0.07, 0.3, 1.0}) {
      const Model weighted = fit({p.x, rows, 2}, p.y, {.alpha = alpha, .weights = p.weights});
      const Model repeated = fit({p.repeated_x, copies, 2}, p.repeated_y, {.alpha = alpha});
      const TailRisk a = weighted.training_risk();
      const TailRisk b = repeated.training_risk();
      EXPECT_NEAR(a.cvar, b.cvar, 2e-6 * b.cvar) << alpha;
      EXPECT_LE(weighted.certificate()->lower, a.cvar);
      EXPECT_LE(weighted.certificate()->lower, b.cvar * (1 + 1e-9));
      // One model scored both ways: exactly the same risk.
      const TailRisk one = repeated.score({p.x, rows, 2}, p.y, p.weights).risk;
      EXPECT_EQ(repeated.score({p.x, rows, 2}, p.y, p.weights).losses.size(), rows);
      EXPECT_NEAR(one.mean, b.mean, 1e-12 * b.mean);
      EXPECT_NEAR(one.var, b.var, 1e-12 * b.mean);
      EXPECT_NEAR(one.cvar, b.cvar, 1e-12 * b.cvar);
    }
  }
}

TEST(RowWeights, accuracy_counts_weights) {
  const Problem p = make_problem(true);
  const Model model = fit({p.repeated_x, p.repeated_y.size(), 2}, p.repeated_y, {.alpha = 1});
  EXPECT_NEAR(*model.score({p.x, p.y.size(), 2}, p.y, p.weights).accuracy,
              *model.score({p.repeated_x, p.repeated_y.size(), 2}, p.repeated_y).accuracy, 1e-12);
}

TEST(RowWeights, gradient_steps_reach_the_weighted_optimum) {
  const Problem p = make_problem(false);
  const std::size_t rows = p.y.size();
  const double least =
      fit({p.x, rows, 2}, p.y, {.alpha = 0.2, .weights = p.weights}).training_risk().cvar;
  for (const FitAlgorithm algorithm :
       {FitAlgorithm::adacvar, FitAlgorithm::trunc, FitAlgorithm::soft}) {
    const Model model =
        fit({p.x, rows, 2}, p.y,
            {.alpha = 0.2, .algorithm = algorithm, .weights = p.weights, .steps = {.epochs = 300}});
    EXPECT_LT(model.training_risk().cvar, 1.05 * least);
    EXPECT_GE(model.training_risk().cvar, least * (1 - 1e-6));
  }
  const double mean =
      fit({p.x, rows, 2}, p.y, {.alpha = 1, .weights = p.weights}).training_risk().mean;
  const Model steps = fit({p.x, rows, 2}, p.y,
                          {.alpha = 0.2,
                           .algorithm = FitAlgorithm::mean,
                           .weights = p.weights,
                           .steps = {.epochs = 300}});
  EXPECT_LT(steps.training_risk().mean, 1.02 * mean);
}

TEST(RowWeights, a_column_of_the_table_weights_every_part_of_a_run) {
  const TemporaryFolder folder;
  const Problem p = make_problem(false);
  std::string text = "a,b,w,y\n";
  std::string plain = "a,b,y\n";
  for (std::size_t i = 0; i < p.y.size(); ++i) {
    const std::string row = std::to_string(p.x[2 * i]) + "," + std::to_string(p.x[2 * i + 1]) + ",";
    const std::string y = std::to_string(p.y[i]) + "\n";
    text += row + std::to_string(static_cast<int>(p.weights[i])) + "," + y;
    for (int copy = 0; copy < static_cast<int>(p.weights[i]); ++copy) plain += row + y;
  }
  RunOptions options;
  options.data.data = folder.write("weighted.csv", text).string();
  options.data.target = "y";
  options.data.weight = "w";
  options.data.split = {1, 0, 0};
  options.train.algorithm = Algorithm::exact;
  const RunReport weighted = run(options);
  options.data.data = folder.write("repeated.csv", plain).string();
  options.data.weight = {};
  const RunReport repeated = run(options);
  const TailRisk a = weighted.results[0].train->risk;
  const TailRisk b = repeated.results[0].train->risk;
  EXPECT_NEAR(a.cvar, b.cvar, 2e-6 * b.cvar);
  EXPECT_NEAR(a.mean, b.mean, 1e-3 * b.mean);
  const Model& model = weighted.results[0].model;
  const std::string data = folder.path() / "weighted.csv";
  const Evaluation evaluated = evaluate(model, data, {.alphas = {0.1}});
  EXPECT_NEAR(evaluated.all.risk[0].cvar, a.cvar, 1e-9 * a.cvar);
}

// 20 rows of weight 5 are 100 rows: a tail of 0.03 has weight 3, less than a row's 5.
TEST(RowWeights, small_tails_are_noted_by_weight) {
  const TemporaryFolder folder;
  std::string text = "x,w,y\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + ",5," + std::to_string(i * 7 % 5) + "\n";
  RunOptions options;
  options.data.data = folder.write("t.csv", text).string();
  options.data.target = "y";
  options.data.weight = "w";
  options.data.split = {1, 0, 0};
  options.train.algorithm = Algorithm::mean;
  options.train.alpha = 0.03;
  const RunReport small = run(options);
  ASSERT_EQ(small.notes.size(), 1U);
  EXPECT_PRED2(support::has_words, small.notes[0],
               "alpha = 0.03 ... weight 100 of 20 training rows is 3 ... largest loss");
  const auto evaluated =
      evaluate(small.results[0].model, options.data.data, {.alphas = {0.03, 0.1}}).notes;
  ASSERT_EQ(evaluated.size(), 2U);
  EXPECT_PRED2(support::has_words, evaluated[0], "weight 100 of 20 rows is 3 ... largest loss");
  EXPECT_PRED2(support::has_words, evaluated[1], "tail of weight 10 ... intervals");
  options.train.alpha = 0.05;
  EXPECT_EQ(run(options).notes, std::vector<std::string>{});
}

TEST(RowWeights, weights_that_are_none_are_refused) {
  const Problem p = make_problem(false);
  const MatrixView x(p.x, p.y.size(), 2);
  Numbers bad = p.weights;
  for (const double value : {-1.0, 1e308, 5e-324, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    bad[4] = value;
    expect_words<DataError>([&] { (void)fit(x, p.y, {.weights = bad}); }, "weight 5");
  }
  const Numbers none(p.y.size(), 0.0);
  expect_words<DataError>([&] { (void)fit(x, p.y, {.weights = none}); }, "weight 0");
  const Numbers few(3, 1.0);
  expect_words<DataError>([&] { (void)fit(x, p.y, {.weights = few}); }, "3 weights");
  EXPECT_EQ(rows_with_weight(3, Numbers{0, 2, 0}), std::vector<Index>{1});
  EXPECT_EQ(rows_with_weight(2, {}).size(), 2U);
}

}  // namespace
}  // namespace adacvar
