#include <adacvar/adacvar.hpp>

#include "data/class_labels.hpp"
#include "data/preprocess.hpp"
#include "data/read_table.hpp"
#include "learner/predict.hpp"
#include "run/feature_moments.hpp"
#include "run/trained_model.hpp"
#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Numbers = std::vector<double>;

std::vector<Index> first_rows(std::size_t count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// A model with the given parameters, fitted to nothing: the first `training` rows set the
/// preprocessing.
TrainedModel model_of(const Table& table, std::size_t training, LossKind loss,
                      const PreprocessOptions& options, const Numbers& parameters) {
  Preprocessor preprocessor = Preprocessor::fit(table, first_rows(training), options);
  const Dataset data = preprocessor.apply(table, first_rows(training));
  const Loss made(loss);
  TrainedModel model{
      .preprocessor = preprocessor,
      .loss = made,
      .model = LinearModel(data.features, made.outputs(preprocessor.parts().class_names.size())),
      .options = {},
      .source = "t.csv",
      .fingerprint = {},
      .shares = {}};
  for (std::size_t i = 0; i < model.model.parameters().size(); ++i) {
    model.model.parameters()[i] = parameters[i % parameters.size()];
  }
  model.moments = feature_moments(data);
  return model;
}

const ColumnCoefficients& column_of(const Coefficients& all, const std::string& name) {
  return *std::ranges::find(all.columns, name, &ColumnCoefficients::column);
}

TEST(Coefficients, by_hand) {
  // x: mean 3, standard deviation 1; y: mean 25, standard deviation 5; c: 3/4 a, 1/4 b.
  const Table table = parse_csv("x,c,y\n2,a,20\n4,a,30\n2,a,20\n4,b,30\n", "t.csv");
  // Features x, c = a, c = b, then the intercept.
  const TrainedModel parts = model_of(
      table, 4, LossKind::squared, {.target = "y", .task = Task::regression}, {2, 0.4, -0.8, 0.5});
  const Coefficients found = Model(parts).coefficients();
  // The average of c is 0.75 * 0.4 - 0.25 * 0.8 = 0.1.
  EXPECT_TRUE(found.outputs.empty());
  ASSERT_EQ(found.intercepts.size(), 1U);
  EXPECT_NEAR(found.intercepts[0], 25 + 5 * (0.5 - 2 * 3 + 0.1), 1e-12);
  ASSERT_EQ(found.columns.size(), 2U);
  EXPECT_EQ(found.columns[0].column, "x");
  EXPECT_FALSE(found.columns[0].categorical);
  EXPECT_NEAR(found.columns[0].terms.at(0).values.at(0), 10, 1e-12);
  EXPECT_DOUBLE_EQ(found.columns[0].fill, 3);
  const auto& terms = found.columns[1].terms;
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_EQ(terms[0].level, "a");
  EXPECT_NEAR(terms[0].values[0], 5 * 0.3, 1e-7);
  EXPECT_EQ(terms[1].level, "b");
  EXPECT_NEAR(terms[1].values[0], 5 * -0.9, 1e-7);
  EXPECT_EQ(terms[2].kind, TermKind::other);
  EXPECT_NEAR(terms[2].values[0], -5 * 0.1, 1e-7);
  // Standard deviations: 2 for x, sqrt(0.75 * 0.09 + 0.25 * 0.81) = 0.5196 for c.
  const double spread = std::sqrt(0.75 * 0.09 + 0.25 * 0.81);
  EXPECT_NEAR(found.columns[0].share, 2 / (2 + spread), 1e-6);
  EXPECT_NEAR(found.columns[1].share, spread / (2 + spread), 1e-6);
}

/// Sum of coefficient * raw value and the intercept.
double score_by_hand(const Coefficients& all, const Table& table, std::size_t row,
                     std::size_t output) {
  double score = all.intercepts[output];
  for (const ColumnCoefficients& column : all.columns) {
    const Column& raw = find_column(table, column.column, "test");
    const bool missing = is_missing_at(raw, row);
    if (!column.categorical) {
      score += column.terms[0].values[output] * (missing ? column.fill : raw.numbers[row]);
      continue;
    }
    const auto term = std::ranges::find_if(column.terms, [&](const Coefficient& one) {
      return missing ? one.kind == TermKind::missing
                     : one.kind == TermKind::level && one.level == value_name(raw, row);
    });
    score += (term != column.terms.end() ? *term : column.terms.back()).values[output];
  }
  return score;
}

/// Numbers far from 0 and of different sizes, categories, missing values; the last rows have levels
/// and missing values that training does not have.
std::string mixed_table(Rng& rng, std::size_t rows, std::size_t training,
                        const std::vector<std::string>& targets) {
  std::string text = "year,income,small,region,fuel,w,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const bool is_new = i >= training;
    const auto pick = [&](int count) { return static_cast<int>(rng.uniform() * count); };
    const std::string year = rng.uniform() < 0.1 ? "" : std::to_string(1990 + pick(30));
    const std::string region =
        is_new && pick(4) == 0 ? "new" : std::string(1, static_cast<char>('a' + pick(3)));
    const std::string fuel = pick(5) == 0 ? "" : pick(2) == 0 ? "petrol" : "diesel";
    const std::string target = targets.empty() ? std::to_string(100'000 + 5'000 * rng.uniform())
                                               : targets[i % targets.size()];
    text += year + ',' + std::to_string(1e6 * rng.uniform()) + ',' +
            std::to_string(1e-3 * rng.uniform()) + ',' + (is_new && pick(4) == 0 ? "" : region) +
            ',' + fuel + ',' + std::to_string(1 + pick(3)) + ',' + target + '\n';
  }
  return text;
}

void expect_same_scores(const Table& table, const TrainedModel& parts) {
  const Coefficients found = Model(parts).coefficients();
  const Dataset data = parts.preprocessor.apply_features(table, first_rows(table.rows));
  const Numbers scores = all_scores(parts.model, data);
  const TargetScale scale = parts.preprocessor.target_scale();
  const std::size_t outputs = parts.model.outputs();
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t o = 0; o < outputs; ++o) {
      const double expected = scale.mean + scale.sd * scores[i * outputs + o];
      // Features have single precision, and are of size 10 at most.
      ASSERT_NEAR(score_by_hand(found, table, i, o), expected,
                  1e-5 * scale.sd + 1e-9 * std::abs(expected))
          << "row " << i << ", output " << o;
    }
  }
}

TEST(Coefficients, of_raw_values_give_the_predictions) {
  Rng rng(11);
  const Numbers parameters = {0.7, -1.2, 0.3, 0.9, -0.4, 0.1, 1.1, -0.6, 0.25, -0.05};
  for (int trial = 0; trial < 20; ++trial) {
    const Table regression = parse_csv(mixed_table(rng, 60, 40, {}), "t.csv");
    const std::string weight = trial % 2 == 0 ? "w" : "";
    for (const LossKind loss : {LossKind::squared, LossKind::absolute, LossKind::pinball}) {
      expect_same_scores(regression, model_of(regression, 40, loss,
                                              {.target = "y", .weight = weight}, parameters));
    }
    const Table binary = parse_csv(mixed_table(rng, 60, 40, {"no", "yes"}), "t.csv");
    for (const LossKind loss : {LossKind::logistic, LossKind::hinge}) {
      expect_same_scores(binary,
                         model_of(binary, 40, loss, {.target = "y", .weight = weight}, parameters));
    }
    const Table classes = parse_csv(mixed_table(rng, 60, 40, {"a", "b", "c"}), "t.csv");
    const TrainedModel softmax =
        model_of(classes, 40, LossKind::softmax, {.target = "y", .weight = weight}, parameters);
    expect_same_scores(classes, softmax);
    EXPECT_EQ(Model(softmax).coefficients().outputs, (std::vector<std::string>{"a", "b", "c"}));
  }
}

TEST(Coefficients, features_that_are_not_standardised_give_the_same) {
  const Table table = parse_csv("x,c,y\n2,a,20\n4,a,30\n?,a,20\n4,b,35\n7,b,9\n", "t.csv");
  const TrainedModel raw = model_of(table, 5, LossKind::squared,
                                    {.target = "y", .standardise = false}, {0.5, 0.2, -0.3, 1});
  expect_same_scores(table, raw);
  const double sd = raw.preprocessor.target_scale().sd;
  EXPECT_DOUBLE_EQ(column_of(Model(raw).coefficients(), "x").terms[0].values[0], 0.5 * sd);
}

// The share is the standard deviation of a column's part of the score, computed row by row.
TEST(Coefficients, shares_are_standard_deviations_over_the_training_rows) {
  Rng rng(5);
  const Table table = parse_csv(mixed_table(rng, 80, 80, {}), "t.csv");
  const TrainedModel parts = model_of(table, 80, LossKind::squared, {.target = "y", .weight = "w"},
                                      {0.7, -1.2, 0.3, 0.9, -0.4, 0.1, 1.1, -0.6, 0.25});
  const Coefficients found = Model(parts).coefficients();
  const Column& weights = find_column(table, "w", "test");
  std::vector<double> spreads;
  for (const ColumnCoefficients& column : found.columns) {
    Coefficients alone{.outputs = {}, .intercepts = {0}, .columns = {column}};
    double total = 0;
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < table.rows; ++i) total += weights.numbers[i];
    for (std::size_t i = 0; i < table.rows; ++i) {
      mean += weights.numbers[i] / total * score_by_hand(alone, table, i, 0);
    }
    for (std::size_t i = 0; i < table.rows; ++i) {
      square += weights.numbers[i] / total * std::pow(score_by_hand(alone, table, i, 0) - mean, 2);
    }
    spreads.push_back(std::sqrt(square));
    if (column.categorical) {
      EXPECT_NEAR(mean, 0, 1e-6 * spreads.back()) << column.column;
    }
  }
  const double sum = std::accumulate(spreads.begin(), spreads.end(), 0.0);
  double shares = 0;
  for (std::size_t c = 0; c < spreads.size(); ++c) {
    EXPECT_NEAR(found.columns[c].share, spreads[c] / sum, 1e-6) << found.columns[c].column;
    if (c > 0) {
      EXPECT_LE(found.columns[c].share, found.columns[c - 1].share);
    }
    shares += found.columns[c].share;
  }
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(Coefficients, of_sparse_rows_are_per_unit_and_absent_values_are_0) {
  const SparseRows rows = parse_libsvm("1 1:2 3:10\n5 1:4\n2 3:30\n7 1:2 3:20\n", "t.svm");
  const Preprocessor preprocessor = Preprocessor::fit(rows, first_rows(4));
  const Dataset data = preprocessor.apply(rows, first_rows(4));
  TrainedModel parts{.preprocessor = preprocessor,
                     .model = LinearModel(2, 1),
                     .options = {},
                     .source = "t.svm",
                     .fingerprint = {},
                     .shares = {}};
  std::ranges::copy(Numbers{0.5, -1, 0.25}, parts.model.parameters().begin());
  parts.moments = feature_moments(data);
  EXPECT_NEAR(parts.moments->sds[0], 1, 1e-6);
  const Coefficients found = Model(parts).coefficients();
  EXPECT_EQ(found.columns[0].column, "c3");
  const double first = column_of(found, "c1").terms[0].values[0];
  const double third = column_of(found, "c3").terms[0].values[0];
  const Numbers scores = all_scores(parts.model, data);
  const TargetScale scale = preprocessor.target_scale();
  EXPECT_NEAR(found.intercepts[0] + 2 * first + 10 * third, scale.mean + scale.sd * scores[0],
              1e-5);
  EXPECT_NEAR(found.intercepts[0] + 4 * first, scale.mean + scale.sd * scores[1], 1e-5);
}

TEST(Coefficients, of_a_constant_model_have_no_share) {
  const Table table = parse_csv("x,y\n1,1\n2,2\n3,4\n", "t.csv");
  const Coefficients found =
      Model(model_of(table, 3, LossKind::squared, {.target = "y"}, {0, 0})).coefficients();
  EXPECT_EQ(found.columns[0].share, 0);
  EXPECT_EQ(found.columns[0].terms[0].values[0], 0);
}

TEST(Coefficients, of_fit_recover_a_line) {
  Numbers x;
  Numbers y;
  for (int i = 0; i < 50; ++i) {
    x.insert(x.end(), {double(i), double(i * i % 17)});
    y.push_back(1000 + 3 * i - 2 * (i * i % 17));
  }
  const Coefficients found = fit({x, 50, 2}, y, {.algorithm = FitAlgorithm::exact}).coefficients();
  EXPECT_NEAR(found.intercepts[0], 1000, 1e-2);
  EXPECT_NEAR(column_of(found, "x1").terms[0].values[0], 3, 1e-3);
  EXPECT_NEAR(column_of(found, "x2").terms[0].values[0], -2, 1e-3);
}

TEST(Coefficients, are_kept_by_the_model_file) {
  const TemporaryFolder folder;
  const Table table = parse_csv("x,c,y\n2,a,20\n4,a,30\n2,a,20\n4,b,30\n", "t.csv");
  const Model model(model_of(table, 4, LossKind::squared, {.target = "y", .task = Task::regression},
                             {2, 0.4, -0.8, 0.5}));
  const auto path = folder.path() / "m.json";
  model.save(path);
  const Coefficients before = model.coefficients();
  const Coefficients after = Model::load(path).coefficients();
  EXPECT_EQ(after.intercepts, before.intercepts);
  EXPECT_EQ(after.columns[1].terms[1].values, before.columns[1].terms[1].values);
  EXPECT_EQ(after.columns[1].share, before.columns[1].share);
}

TEST(Coefficients, that_a_model_does_not_have_are_refused) {
  const Table table = parse_csv("x,y\n1,1\n2,2\n3,4\n", "t.csv");
  TrainedModel old = model_of(table, 3, LossKind::squared, {.target = "y"}, {1, 0});
  old.moments.reset();
  expect_words<OptionError>([&] { (void)Model(old).coefficients(); }, "train again");
  Preprocessor::Parts parts;
  parts.task = Task::binary;
  parts.class_names = {"0", "1"};
  parts.image = {1, 1, 2};
  parts.channel_means = {0};
  parts.channel_scales = {1};
  parts.labels = {0, 1};
  TrainedModel images = old;
  images.preprocessor = Preprocessor(parts);
  expect_words<OptionError>([&] { (void)Model(images).coefficients(); }, "images");
}

TEST(Coefficients, with_damaged_moments_are_refused) {
  const TemporaryFolder folder;
  const Table table = parse_csv("x,y\n1,1\n2,2\n3,4\n", "t.csv");
  const auto path = folder.path() / "m.json";
  Model(model_of(table, 3, LossKind::squared, {.target = "y"}, {1, 0})).save(path);
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t at = text.find("\"sds\": [");
  ASSERT_NE(at, std::string::npos);
  const auto damaged = [&](const std::string& sds) {
    const std::size_t end = text.find(']', at);
    return folder.write("d.json", text.substr(0, at) + "\"sds\": [" + sds + text.substr(end));
  };
  expect_words<DataError>([&] { (void)Model::load(damaged("1, 1")); }, "wrong length");
  expect_words<DataError>([&] { (void)Model::load(damaged("-1")); }, "moment");
  expect_words<DataError>([&] { (void)Model::load(damaged("\"a\"")); }, "sds");
}

}  // namespace
}  // namespace adacvar
