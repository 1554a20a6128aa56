#include <adacvar/adacvar.hpp>

#include "run/trained_model.hpp"
#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

/// Rows of three columns; y depends on all of them, with noise, in units far from 1.
struct Problem {
  std::size_t rows = 0;
  Numbers x;  // row by row
  Numbers y;
};

Problem linear_problem(std::size_t rows, std::uint64_t seed = 1) {
  Rng rng(seed);
  Problem problem;
  problem.rows = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = rng.uniform();
    const double b = 100 + 10 * rng.uniform();
    const double c = rng.uniform() < 0.5 ? 0 : 1;
    problem.x.insert(problem.x.end(), {a, b, c});
    problem.y.push_back(5000 + 300 * a - 40 * b + 7 * c + 20 * (rng.uniform() - 0.5));
  }
  return problem;
}

Numbers transposed(const Numbers& x, std::size_t rows) {
  const std::size_t columns = x.size() / rows;
  Numbers result(x.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + i] = x[i * columns + c];
  }
  return result;
}

/// The same matrix in CSR form.
struct Csr {
  std::vector<std::int64_t> start = {0};
  std::vector<std::int32_t> column;
  Numbers value;

  Csr(const Numbers& x, std::size_t columns) {
    for (std::size_t e = 0; e < x.size(); ++e) {
      if (x[e] != 0) {
        column.push_back(static_cast<std::int32_t>(e % columns));
        value.push_back(x[e]);
      }
      if (e % columns == columns - 1) start.push_back(static_cast<std::int64_t>(value.size()));
    }
  }
  [[nodiscard]] MatrixView view(std::size_t columns) const {
    return MatrixView::csr(std::span(start), std::span(column), std::span(value), columns);
  }
};

TEST(Fit, finds_the_certified_optimum_in_the_units_of_the_user) {
  const Problem p = linear_problem(400);
  const Model model = fit({p.x, p.rows, 3}, p.y, {.alpha = 0.05});
  // Noise is within 10 of the line: so is every prediction of the best model, or nearly.
  const Numbers predictions = model.predict({p.x, p.rows, 3});
  for (std::size_t i = 0; i < p.rows; ++i) EXPECT_NEAR(predictions[i], p.y[i], 15);
  Numbers losses;
  for (std::size_t i = 0; i < p.rows; ++i) {
    losses.push_back((predictions[i] - p.y[i]) * (predictions[i] - p.y[i]));
  }
  EXPECT_NEAR(model.training_risk().cvar, cvar(losses, 0.05), 1e-6 * model.training_risk().cvar);
  ASSERT_TRUE(model.certificate());
  EXPECT_LE(model.certificate()->lower, model.training_risk().cvar);
  EXPECT_LE(model.certificate()->upper, 1.000001 * model.certificate()->lower);
  EXPECT_TRUE(model.classes().empty());
}

TEST(Fit, limits_are_kept_and_certified) {
  Problem problem = linear_problem(200);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    problem.y[i] += 400 * problem.x[3 * i] * problem.x[3 * i] * (i % 7 == 0 ? 1 : 0);
  }
  const MatrixView x(problem.x, problem.rows, 3);
  const TailRisk plain = fit(x, problem.y, {.gamma = 1}).training_risk();
  const TailRisk pure = fit(x, problem.y).training_risk();
  const Model model = fit(x, problem.y, {.mean_budget = 0.1});
  EXPECT_LE(model.training_risk().mean, 1.1 * plain.mean * (1 + 1e-6));
  EXPECT_LT(model.training_risk().cvar, plain.cvar);
  EXPECT_LE(model.certificate()->relative_gap(), 1e-5);
  const Model other = fit(x, problem.y, {.cvar_limit = 1.05 * pure.cvar});
  EXPECT_LE(other.training_risk().cvar, 1.05 * pure.cvar * (1 + 1e-9));
  EXPECT_LT(other.training_risk().mean, pure.mean);
  expect_words<OptionError>([&] { (void)fit(x, problem.y, {.cvar_limit = 0.5 * pure.cvar}); },
                            "cvar-limit ... certified");
}

TEST(Fit, every_kind_of_view_gives_the_same_model) {
  const Problem p = linear_problem(200);
  const Numbers reference = fit({p.x, p.rows, 3}, p.y).predict({p.x, p.rows, 3});
  const Numbers columns = transposed(p.x, p.rows);
  const MatrixView by_column(columns, p.rows, 3, Layout::column_major);
  EXPECT_EQ(fit(by_column, p.y).predict(by_column), reference);
  EXPECT_EQ(fit({p.x.data(), p.rows, 3}, p.y).predict({p.x.data(), p.rows, 3}), reference);
  // Every other row of a matrix with an unused column at the end.
  Numbers wide(p.rows * 2 * 4, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < p.rows; ++i) {
    std::copy_n(p.x.begin() + static_cast<std::ptrdiff_t>(3 * i), 3,
                wide.begin() + static_cast<std::ptrdiff_t>(8 * i));
  }
  const MatrixView strided = MatrixView::strided(wide.data(), p.rows, 3, 8, 1);
  EXPECT_EQ(fit(strided, p.y).predict(strided), reference);
  const std::vector<float> single(p.x.begin(), p.x.end());
  const Numbers of_floats = fit({single, p.rows, 3}, p.y).predict({single, p.rows, 3});
  for (std::size_t i = 0; i < p.rows; ++i) EXPECT_NEAR(of_floats[i], reference[i], 1e-2);
}

TEST(Fit, sparse_rows_have_the_same_optimum) {
  const Problem p = linear_problem(200);
  const Csr csr(p.x, 3);
  const Model dense = fit({p.x, p.rows, 3}, p.y);
  const Model sparse = fit(csr.view(3), p.y);
  EXPECT_NEAR(sparse.training_risk().cvar, dense.training_risk().cvar,
              1e-4 * dense.training_risk().cvar);
  const Numbers one = dense.predict({p.x, p.rows, 3});
  const Numbers other = sparse.predict(csr.view(3));
  for (std::size_t i = 0; i < p.rows; ++i) EXPECT_NEAR(one[i], other[i], 1);
  expect_words<DataError>([&] { (void)sparse.predict(csr.view(4)); }, "4 columns");
  expect_words<DataError>([&] { (void)sparse.predict({p.x, p.rows, 3}); }, "sparse rows");
}

TEST(Fit, all_algorithms_come_near_the_optimum) {
  const Problem p = linear_problem(300);
  const double least = fit({p.x, p.rows, 3}, p.y).training_risk().cvar;
  for (const FitAlgorithm algorithm :
       {FitAlgorithm::exact, FitAlgorithm::adacvar, FitAlgorithm::trunc, FitAlgorithm::soft}) {
    const Model model = fit({p.x, p.rows, 3}, p.y,
                            {.algorithm = algorithm, .steps = {.epochs = 200, .decay = 0.1}});
    EXPECT_LT(model.training_risk().cvar, 1.2 * least);
    EXPECT_TRUE(model.certificate());
  }
  EXPECT_GT(fit({p.x, p.rows, 3}, p.y, {.algorithm = FitAlgorithm::mean}).training_risk().cvar,
            least);
}

TEST(Fit, classes_are_given_by_value_or_by_name) {
  const Problem p = linear_problem(200);
  Numbers labels;
  Words names;
  for (std::size_t i = 0; i < p.rows; ++i) {
    const bool high = p.x[3 * i] > 0.5;
    labels.push_back(high ? 3 : -1);
    names.emplace_back(high ? "high" : "low");
  }
  const Model numbered = fit({p.x, p.rows, 3}, labels, {.alpha = 0.5, .ridge = 0.01});
  EXPECT_EQ(numbered.classes(), (Words{"-1", "3"}));
  const Numbers predicted = numbered.predict({p.x, p.rows, 3});
  std::size_t right = 0;
  for (std::size_t i = 0; i < p.rows; ++i) right += predicted[i] == labels[i] ? 1 : 0;
  EXPECT_GT(right, 190U);
  const Model named = fit({p.x, p.rows, 3}, names, {.alpha = 0.5, .ridge = 0.01});
  EXPECT_EQ(named.classes(), (Words{"high", "low"}));
  expect_words<OptionError>([&] { (void)named.predict({p.x, p.rows, 3}); }, "predict_classes");
  const std::vector<std::size_t> places = named.predict_classes({p.x, p.rows, 3});
  for (std::size_t i = 0; i < p.rows; ++i) EXPECT_EQ(places[i] == 0, predicted[i] == 3);
  const Numbers probabilities = named.predict_probabilities({p.x, p.rows, 3});
  ASSERT_EQ(probabilities.size(), 2 * p.rows);
  for (std::size_t i = 0; i < p.rows; ++i) {
    EXPECT_NEAR(probabilities[2 * i] + probabilities[2 * i + 1], 1, 1e-12);
  }
  const Score scored = numbered.score({p.x, p.rows, 3}, labels);
  EXPECT_EQ(scored.accuracy, static_cast<double>(right) / static_cast<double>(p.rows));
  EXPECT_EQ(scored.risk, numbered.training_risk());
  expect_words<DataError>(
      [&] {
        (void)numbered.score({p.x, p.rows, 3}, Numbers(p.rows, 2.0));
      },
      "class '2'");
}

TEST(Fit, three_values_are_a_number_unless_told_otherwise) {
  const Problem p = linear_problem(150);
  Numbers labels;
  for (std::size_t i = 0; i < p.rows; ++i) labels.push_back(static_cast<double>(i % 3));
  EXPECT_TRUE(fit({p.x, p.rows, 3}, labels).classes().empty());
  const Model classes = fit({p.x, p.rows, 3}, labels, {.target = FitOptions::Target::classes});
  EXPECT_EQ(classes.classes(), (Words{"0", "1", "2"}));
}

TEST(Fit, constant_columns_have_no_weight_but_keep_their_place) {
  Problem p = linear_problem(100);
  Numbers with_constant;
  for (std::size_t i = 0; i < p.rows; ++i) {
    with_constant.insert(with_constant.end(), {p.x[3 * i], 7.0, p.x[3 * i + 1], p.x[3 * i + 2]});
  }
  const Model model = fit({with_constant, p.rows, 4}, p.y);
  EXPECT_EQ(model.predict({with_constant, p.rows, 4}),
            fit({p.x, p.rows, 3}, p.y).predict({p.x, p.rows, 3}));
  expect_words<DataError>([&] { (void)model.predict({p.x, p.rows, 3}); }, "trained on 4");
}

TEST(Fit, a_saved_model_predicts_the_same) {
  const TemporaryFolder folder;
  const Problem p = linear_problem(120);
  Numbers x = p.x;
  for (std::size_t i = 0; i < p.rows; ++i) x[3 * i + 1] = 4;  // dropped: its place must be kept
  const Model model = fit({x, p.rows, 3}, p.y, {.alpha = 0.2});
  model.save(folder.path() / "m.json");
  const Model read = Model::load(folder.path() / "m.json");
  EXPECT_EQ(read.predict({x, p.rows, 3}), model.predict({x, p.rows, 3}));
  EXPECT_EQ(read.training_risk(), model.training_risk());
  EXPECT_EQ(read.certificate()->lower, model.certificate()->lower);
  EXPECT_EQ(read.parts().options.alpha, 0.2);
  const Csr csr(p.x, 3);
  const Model sparse = fit(csr.view(3), p.y);
  sparse.save(folder.path() / "s.json");
  const Model sparse_read = Model::load(folder.path() / "s.json");
  EXPECT_EQ(sparse_read.predict(csr.view(3)), sparse.predict(csr.view(3)));
  expect_words<DataError>([&] { (void)sparse_read.predict(csr.view(5)); }, "5 columns");
}

TEST(Fit, a_table_of_numbers_is_predicted_from_a_matrix) {
  const TemporaryFolder folder;
  RunOptions options;
  options.data.data =
      folder.write("t.csv", "a,k,b,y\n1,5,2,3\n2,5,1,4\n3,5,7,1\n4,5,3,9\n5,5,2,6\n6,5,8,2\n")
          .string();
  options.data.target = "y";
  options.data.split = {1, 0, 0};
  options.train.algorithm = Algorithm::exact;
  const RunResult found = run(options).results.at(0);
  const Numbers x = {1, 5, 2, 6, 5, 8};  // columns a, k, b of the first and the last row
  const Score scored = found.model.score({x, 2, 3}, Numbers{3, 2});
  EXPECT_EQ(scored.losses.size(), 2U);
  EXPECT_EQ(found.model.predict({x, 2, 3}), scored.predictions);
  EXPECT_NEAR(scored.losses[0], std::pow(scored.predictions[0] - 3, 2), 1e-9);
}

TEST(Fit, sizes_values_and_options_are_checked_first) {
  const Problem p = linear_problem(20);
  const MatrixView x(p.x, p.rows, 3);
  expect_words<DataError>([&] { (void)MatrixView(p.x, 21, 3); }, "60 values");
  expect_words<DataError>([&] { (void)MatrixView(static_cast<const double*>(nullptr), 2, 3); },
                          "null pointer");
  expect_words<DataError>([&] { (void)fit(x, Numbers(19, 1.0)); }, "19 targets");
  expect_words<DataError>([&] { (void)fit(x, Words(3)); }, "3 classes");
  expect_words<DataError>([&] { (void)fit(x, Numbers(20, 1.0)); }, "constant");
  expect_words<DataError>([&] { (void)fit(x, Words(20, "a")); }, "one class");
  expect_words<OptionError>([&] { (void)fit(x, p.y, {.alpha = 0}); }, "alpha = 0");
  expect_words<OptionError>([&] { (void)fit(x, p.y, {.ridge = -1}); }, "ridge = -1");
  const Words names = {"a", "b"};
  expect_words<DataError>([&] { (void)fit(x, p.y, {.names = names}); }, "2 names");
  const Words twice = {"a", "b", "a"};
  expect_words<DataError>([&] { (void)fit(x, p.y, {.names = twice}); }, "'a' is given");
  const Words nameless = {"a", "", "b"};
  expect_words<DataError>([&] { (void)fit(x, p.y, {.names = nameless}); }, "name is empty");
  expect_words<OptionError>(
      [&] { (void)fit(x, Words(20, "a"), {.target = FitOptions::Target::number}); }, "classes");
  expect_words<DataError>([&] { (void)fit({p.x, 0, 0}, Numbers{}); }, "values");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Numbers broken = p.x;
    broken[3 * 7 + 1] = bad;
    expect_words<DataError>([&] { (void)fit({broken, p.rows, 3}, p.y); }, "row 8, column 'x2'");
    expect_words<DataError>(
        [&] {
          (void)fit(x, p.y).predict({broken, p.rows, 3});
        },
        "row 8, column 'x2'");
    Numbers y = p.y;
    y[4] = bad;
    expect_words<DataError>([&] { (void)fit(x, y); }, "target 5");
  }
}

TEST(MatrixView, csr_arrays_are_checked) {
  const Numbers values = {1, 2};
  const std::vector<std::int32_t> columns = {0, 2};
  const auto csr = [&](const std::vector<std::int32_t>& start, std::size_t width) {
    return MatrixView::csr(std::span(start), std::span(columns), std::span(values), width);
  };
  EXPECT_EQ(csr({0, 1, 2}, 3).rows(), 2U);
  expect_words<DataError>([&] { (void)csr({}, 3); }, "no offsets");
  expect_words<DataError>([&] { (void)csr({0, 2, 1}, 3); }, "offset 2");
  expect_words<DataError>([&] { (void)csr({0, 3}, 3); }, "offset 1");
  expect_words<DataError>([&] { (void)csr({-1, 2}, 3); }, "offset 0");
  expect_words<DataError>([&] { (void)csr({0, 1, 2}, 2); }, "column 2");
  const std::vector<std::int32_t> repeated = {1, 1};
  const std::vector<std::int32_t> start = {0, 2};
  expect_words<DataError>(
      [&] {
        (void)fit(MatrixView::csr(std::span(start), std::span(repeated), std::span(values), 3),
                  Numbers{1});
      },
      "more than once");
}

/// Rows of a number and a category with the levels b, a, c.
struct Mixed {
  Numbers x;
  Numbers dummies;  // the number, and features of a and c
  Numbers y;
  Words levels = {"b", "a", "c"};

  explicit Mixed(std::size_t rows) {
    Rng rng(3);
    for (std::size_t i = 0; i < rows; ++i) {
      const double number = rng.uniform();
      const std::uint32_t code = rng.below(3);
      x.insert(x.end(), {number, static_cast<double>(code)});
      dummies.insert(dummies.end(), {number, code == 1 ? 1.0 : 0.0, code == 2 ? 1.0 : 0.0});
      y.push_back(number + 3.0 * (code == 1) - (code == 2) - std::log(rng.uniform()));
    }
  }
  [[nodiscard]] MatrixView view() const {
    return MatrixView(x, y.size(), 2).with_categories(1, levels);
  }
};

TEST(Fit, columns_of_categories_are_encoded) {
  const Mixed mixed(200);
  const Model model = fit(mixed.view(), mixed.y);
  const Model by_hand = fit({mixed.dummies, 200, 3}, mixed.y);
  EXPECT_NEAR(model.training_risk().cvar, by_hand.training_risk().cvar,
              1e-5 * by_hand.training_risk().cvar);
  // Another order of the levels, and one that training did not have.
  Numbers moved = mixed.x;
  for (std::size_t i = 0; i < 200; ++i) moved[2 * i + 1] = 2 - mixed.x[2 * i + 1];
  const Words reversed = {"c", "a", "b", "d"};
  const MatrixView other = MatrixView(moved, 200, 2).with_categories(1, reversed);
  EXPECT_EQ(model.predict(other), model.predict(mixed.view()));
  const Numbers odd = {0.5, 3, 0.5, -1};
  const Numbers found = model.predict(MatrixView(odd, 2, 2).with_categories(1, reversed));
  EXPECT_EQ(found[0], found[1]);
}

TEST(Fit, wrong_categories_are_refused) {
  const Mixed mixed(50);
  const MatrixView plain(mixed.x, 50, 2);
  expect_words<DataError>([&] { (void)plain.with_categories(2, mixed.levels); },
                          "column 2 of categories ... has 2");
  const Words few = {"b"};
  expect_words<DataError>([&] { (void)fit(plain.with_categories(1, few), mixed.y); },
                          "column 'x2' ... [-1, 0]");
  expect_words<DataError>([&] { (void)fit(mixed.view(), mixed.y).predict(plain); },
                          "'x2' has categories");
}

TEST(Fit, equal_weights_are_none) {
  const Problem p = linear_problem(100);
  const Numbers weights(100, 7.0);
  const FitOptions steps{.algorithm = FitAlgorithm::adacvar};
  FitOptions weighted = steps;
  weighted.weights = weights;
  EXPECT_EQ(fit({p.x, 100, 3}, p.y, weighted).predict({p.x, 100, 3}),
            fit({p.x, 100, 3}, p.y, steps).predict({p.x, 100, 3}));
}

TEST(Fit, the_report_says_how_it_went) {
  const Problem p = linear_problem(100);
  const FitReport exact = fit_report({p.x, 100, 3}, p.y);
  EXPECT_GT(exact.iterations, 1);
  EXPECT_EQ(exact.risk, exact.model.training_risk());
  EXPECT_EQ(exact.model.stop_reason(), StopReason::optimal);
  const FitReport steps =
      fit_report({p.x, 100, 3}, p.y, {.algorithm = FitAlgorithm::trunc, .steps = {.epochs = 7}});
  EXPECT_EQ(steps.iterations, 7);
  Numbers constant = p.x;
  for (std::size_t i = 0; i < 100; ++i) constant[3 * i] = 1;
  const FitReport dropped = fit_report({constant, 100, 3}, p.y);
  ASSERT_FALSE(dropped.notes.empty());
  EXPECT_NE(dropped.notes[0].find("'x1' is constant"), std::string::npos);
}

TEST(Model, a_text_holds_all_of_it) {
  const Problem p = linear_problem(100);
  const Model model = fit({p.x, 100, 3}, p.y, {.alpha = 0.2});
  const Model other = Model::from_text(model.to_text());
  EXPECT_EQ(other.predict({p.x, 100, 3}), model.predict({p.x, 100, 3}));
  EXPECT_EQ(other.to_text(), model.to_text());
  EXPECT_EQ(other.options().alpha, 0.2);
  EXPECT_EQ(other.columns(), (Words{"x1", "x2", "x3"}));
  EXPECT_EQ(other.loss().kind(), LossKind::squared);
  expect_words<DataError>([] { (void)Model::from_text("{", "memory"); }, "memory ... truncated");
}

TEST(Model, scores_are_predictions_or_log_odds) {
  const Problem p = linear_problem(100);
  const MatrixView x(p.x, 100, 3);
  const Model numbers = fit(x, p.y);
  const Numbers scores = numbers.scores(x);
  const Numbers predictions = numbers.predict(x);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_DOUBLE_EQ(scores[i], predictions[i]);
  Numbers classes;
  for (std::size_t i = 0; i < 100; ++i)
    classes.push_back(p.y[i] > 950 + 5.0 * static_cast<double>(i % 7) ? 1 : 0);
  const Model classifier = fit(x, classes, {.alpha = 0.9});
  const Numbers odds = classifier.scores(x);
  const Numbers chances = classifier.predict_probabilities(x);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(chances[2 * i + 1], 1 / (1 + std::exp(-odds[i])), 1e-12);
  }
}

}  // namespace
}  // namespace adacvar
