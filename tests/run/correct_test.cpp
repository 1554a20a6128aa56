#include <adacvar/adacvar.hpp>

#include "run/trained_model.hpp"
#include "support/expect_words.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Numbers = std::vector<double>;

/// Predictions f of y with two features; rows with a large second feature have a heavier tail.
struct Problem {
  std::size_t rows = 0;
  Numbers x;
  Numbers f;
  Numbers y;

  [[nodiscard]] MatrixView features() const { return {x, rows, 2}; }
  [[nodiscard]] Numbers with_predictions() const {
    Numbers all;
    for (std::size_t i = 0; i < rows; ++i) {
      all.insert(all.end(), {x[2 * i], x[2 * i + 1], f[i]});
    }
    return all;
  }
};

Problem biased_problem(std::size_t rows, double bias, std::uint64_t seed) {
  Rng rng(seed);
  Problem p;
  p.rows = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = support::normal(rng);
    const double b = support::normal(rng);
    p.x.insert(p.x.end(), {a, b});
    p.f.push_back(100 + 10 * a);
    p.y.push_back(p.f.back() + bias * std::max(b, 0.0) + support::normal(rng));
  }
  return p;
}

/// Probabilities of class 1 that are too extreme.
Problem overconfident_problem(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed);
  Problem p;
  p.rows = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = support::normal(rng);
    const double b = support::normal(rng);
    p.x.insert(p.x.end(), {a, b});
    p.f.push_back(1 / (1 + std::exp(-3 * a)));
    p.y.push_back(rng.uniform() < 1 / (1 + std::exp(-1.5 * a)) ? 1 : 0);
  }
  return p;
}

// With a ridge that leaves only the constant c, the residuals y - f are 0 five times and 4 once.
// The largest of c^2 and (4 - c)^2 is least at c = 2; a mean of (5 c^2 + (4 - c)^2) / 6 up to (1 +
// budget) 16 / 6 allows 6 c^2 - 8 c <= 16 budget.
TEST(Correct, a_constant_is_as_large_as_the_mean_budget_allows) {
  const Numbers x = {1, 2, 3, 1, 2, 3};
  const Numbers f = {1, 2, 3, 4, 5, 6};
  const Numbers y = {1, 2, 3, 4, 5, 10};
  const auto constant = [&](double budget) {
    CorrectOptions options{.alpha = 1.0 / 6,
                           .gamma = 0,
                           .mean_budget = budget,
                           .rho = 1e4,
                           .choose = CorrectionChoice::always};
    options.prediction.features = FeatureUse::no;
    const Correction found = correct({x, 6, 1}, f, y, options);
    EXPECT_TRUE(found.is_corrected);
    EXPECT_EQ(found.columns, 3U);
    const Numbers rows = {1, 3, 1, 6};
    const Numbers predictions = found.model.predict({rows, 2, 2});
    EXPECT_NEAR(predictions[0] - 3, predictions[1] - 6, 1e-3);
    EXPECT_LE(found.parts.at(0).corrected.risk.mean, (1 + budget) * 16.0 / 6 * (1 + 1e-9));
    EXPECT_LE(found.certificate->relative_gap(), 1e-5);
    return predictions[0] - 3;
  };
  EXPECT_NEAR(constant(0), 4.0 / 3, 2e-3);
  EXPECT_NEAR(constant(0.125), (8 + std::sqrt(112.0)) / 12, 2e-3);
  EXPECT_NEAR(constant(0.5), 2, 2e-3);
  EXPECT_NEAR(constant(5), 2, 2e-3);
}

TEST(Correct, a_shift_is_removed_whatever_the_ridge) {
  const Numbers x = {5, 1, 4, 2, 3};
  const Numbers f = {1, 2, 3, 4, 6};
  const Numbers y = {3, 4, 5, 6, 8};
  const Correction found =
      correct({x, 5, 1}, f, y, {.rho = 10, .choose = CorrectionChoice::always});
  const Numbers rows = {2, 100};
  EXPECT_NEAR(found.model.predict({rows, 1, 2})[0], 102, 1e-6);
}

TEST(Correct, the_model_adds_the_clipped_columns_to_the_prediction) {
  const Problem p = biased_problem(300, 5, 1);
  const Correction found = correct(p.features(), p.f, p.y, {.choose = CorrectionChoice::always});
  const LinearModel& theta = *found.model.linear();
  ASSERT_EQ(theta.features(), 4U);
  const auto moments = [](const Numbers& values) {
    double mean = 0;
    double square = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) square += (v - mean) * (v - mean);
    return std::pair(mean, std::sqrt(square / static_cast<double>(values.size())));
  };
  const auto clipped = [](double v, const std::pair<double, double>& m) {
    return std::clamp((v - m.first) / m.second, -5.0, 5.0);
  };
  Numbers a;
  Numbers b;
  Numbers squares;
  for (std::size_t i = 0; i < p.rows; ++i) {
    a.push_back(p.x[2 * i]);
    b.push_back(p.x[2 * i + 1]);
    squares.push_back(std::pow(clipped(p.f[i], moments(p.f)), 2));
  }
  const double sd = moments(p.y).second;
  for (const Numbers& row : {Numbers{0.5, -1, 103}, Numbers{90, 1, 60}, Numbers{0, 0, 1e6}}) {
    const double z = clipped(row[2], moments(p.f));
    const double sum = theta.weights(0)[0] * clipped(row[0], moments(a)) +
                       theta.weights(0)[1] * clipped(row[1], moments(b)) + theta.weights(0)[2] * z +
                       theta.weights(0)[3] * clipped(z * z, moments(squares)) + theta.intercept(0);
    EXPECT_NEAR(found.model.predict({row, 1, 3})[0], row[2] + sd * sum, 1e-5 * row[2]);
  }
}

// The squared loss of y given f as an offset is that of y - f without one.
TEST(Correct, equals_a_fit_of_the_residuals) {
  const Problem p = biased_problem(200, 5, 2);
  const Correction found =
      correct(p.features(), p.f, p.y, {.mean_budget = 100, .choose = CorrectionChoice::always});
  const TrainedModel& model = found.model.parts();
  const Numbers all = p.with_predictions();
  std::vector<Index> rows(p.rows);
  for (std::size_t i = 0; i < p.rows; ++i) rows[i] = static_cast<Index>(i);
  Dataset data = model.preprocessor.apply_features(MatrixView(all, p.rows, 3), rows);
  ASSERT_EQ(data.offsets.size(), p.rows);
  const TargetScale scale = model.preprocessor.target_scale();
  double cvar_scale = 0;
  Numbers losses;
  for (std::size_t i = 0; i < p.rows; ++i) {
    data.targets.push_back((p.y[i] - p.f[i]) / scale.sd);
    EXPECT_NEAR(data.offsets[i], (p.f[i] - scale.mean) / scale.sd, 1e-12);
    losses.push_back(data.targets[i] * data.targets[i]);
    cvar_scale += losses.back() / static_cast<double>(p.rows);
  }
  data.offsets.clear();
  EXPECT_DOUBLE_EQ(found.rho, 0.3 * 5 / (0.1 * 200));
  EXPECT_NEAR(model.options.ridge, 2 * found.rho * cvar(losses, 0.1) / cvar_scale, 1e-9);
  const ExactResult twin = solve_exact(data, Loss(LossKind::squared),
                                       {.risk = {0.1, 0.1}, .ridge = model.options.ridge});
  for (std::size_t j = 0; j < twin.model.parameters().size(); ++j) {
    EXPECT_NEAR(twin.model.parameters()[j], model.model.parameters()[j], 1e-3);
  }
  EXPECT_NEAR(twin.certificate.upper * scale.sd * scale.sd, found.certificate->upper,
              1e-5 * found.certificate->upper);
}

TEST(Correct, a_tail_that_features_explain_is_corrected) {
  const Problem p = biased_problem(500, 5, 3);
  const Correction found = correct(p.features(), p.f, p.y);
  EXPECT_TRUE(found.is_corrected);
  EXPECT_TRUE(found.trial->lowers_cvar());
  EXPECT_LT(found.parts.at(0).corrected.risk.cvar, 0.7 * found.parts.at(0).given.risk.cvar);
  EXPECT_LE(found.parts.at(0).corrected.risk.mean, 1.02 * found.parts.at(0).given.risk.mean);
  EXPECT_EQ(found.model.training_risk(), found.parts.at(0).corrected.risk);
}

// Without anything to correct the trial has a lower CVaR only by chance.
TEST(Correct, cross_validation_leaves_noise_alone) {
  int none = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem p = biased_problem(80, 0, seed);
    const Correction found = correct(p.features(), p.f, p.y, {.seed = seed});
    ASSERT_TRUE(found.trial.has_value());
    EXPECT_EQ(found.is_corrected, found.trial->lowers_cvar() && found.trial->keeps_budget());
    if (found.is_corrected) continue;
    ++none;
    EXPECT_FALSE(found.certificate.has_value());
    EXPECT_EQ(found.parts.at(0).given.risk, found.parts.at(0).corrected.risk);
    const Numbers all = p.with_predictions();
    const Numbers same = found.model.predict({all, p.rows, 3});
    for (std::size_t i = 0; i < p.rows; ++i) EXPECT_NEAR(same[i], p.f[i], 1e-10);
  }
  EXPECT_GE(none, 7);
}

TEST(Correct, probabilities_are_corrected_in_log_odds) {
  const Problem p = overconfident_problem(600, 4);
  const Correction found = correct(p.features(), p.f, p.y);
  EXPECT_TRUE(found.is_corrected);
  EXPECT_EQ(found.model.classes(), (std::vector<std::string>{"0", "1"}));
  const Numbers all = p.with_predictions();
  const Numbers probabilities = found.model.predict_probabilities({all, p.rows, 3});
  std::vector<Index> first = {0};
  const Dataset row =
      found.model.parts().preprocessor.apply_features(MatrixView(all, p.rows, 3), first);
  EXPECT_NEAR(row.offsets[0], std::log(p.f[0] / (1 - p.f[0])), 1e-9);
  double score = row.offsets[0] + found.model.linear()->intercept(0);
  for (std::size_t j = 0; j < 4; ++j) {
    score += found.model.linear()->weights(0)[j] * double{row.dense[j]};
  }
  EXPECT_NEAR(probabilities[1], 1 / (1 + std::exp(-score)), 1e-9);

  // The other class and the other scale say the same.
  Problem other = p;
  for (double& value : other.f) value = std::log(1 / value - 1);
  CorrectOptions options;
  options.prediction.prediction_scale = PredictionScale::logit;
  options.prediction.positive = "0";
  const Correction same = correct(other.features(), other.f, other.y, options);
  EXPECT_NEAR(same.certificate->upper, found.certificate->upper, 1e-5);
  EXPECT_TRUE(same.headlines.empty());
  options.prediction.positive = "1";
  EXPECT_NE(correct(other.features(), other.f, other.y, options).headlines.at(0).find("positive 0"),
            std::string::npos);
}

TEST(Correct, a_tail_of_few_rows_is_named) {
  const auto is_named = [](std::size_t rows) {
    const Problem p = biased_problem(rows, 5, 5);
    const Correction found = correct(p.features(), p.f, p.y, {.alpha = 0.1});
    return std::ranges::any_of(found.headlines, [&](const std::string& line) {
      return line.find(std::to_string(rows) + " training rows") != std::string::npos;
    });
  };
  EXPECT_TRUE(is_named(99));
  EXPECT_FALSE(is_named(100));
}

TEST(Correct, weights_count_as_repeated_rows) {
  const Problem p = biased_problem(100, 5, 5);
  Problem twice = p;
  twice.rows = 0;
  twice.x.clear();
  twice.f.clear();
  twice.y.clear();
  Numbers weights;
  for (std::size_t i = 0; i < p.rows; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (std::size_t copy = 0; copy < i % 3; ++copy) {
      twice.x.insert(twice.x.end(), {p.x[2 * i], p.x[2 * i + 1]});
      twice.f.push_back(p.f[i]);
      twice.y.push_back(p.y[i]);
      ++twice.rows;
    }
  }
  CorrectOptions options{.rho = 0.1, .choose = CorrectionChoice::always};
  const Correction repeated = correct(twice.features(), twice.f, twice.y, options);
  options.weights = weights;
  const Correction weighted = correct(p.features(), p.f, p.y, options);
  EXPECT_NEAR(weighted.certificate->upper, repeated.certificate->upper,
              2e-6 * repeated.certificate->upper);
}

TEST(Correct, a_saved_model_is_the_same_and_has_version_2) {
  const TemporaryFolder folder;
  const Problem p = biased_problem(200, 5, 6);
  const Correction found = correct(p.features(), p.f, p.y);
  const auto path = folder.path() / "m.json";
  found.model.save(path);
  const Model loaded = Model::load(path);
  EXPECT_EQ(loaded.parts().preprocessor, found.model.parts().preprocessor);
  const Numbers all = p.with_predictions();
  EXPECT_EQ(loaded.predict({all, p.rows, 3}), found.model.predict({all, p.rows, 3}));
  EXPECT_EQ(loaded.score({all, p.rows, 3}, p.y).risk, found.parts.at(0).corrected.risk);
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("\"version\": 2"), std::string::npos);
  EXPECT_NE(text.find("\"clip\": 5"), std::string::npos);
  expect_words<DataError>([&] { (void)loaded.predict({p.x, p.rows, 2}); }, "2 columns ... 3");
}

TEST(Correct, a_damaged_model_file_is_refused) {
  const TemporaryFolder folder;
  const Problem p = overconfident_problem(200, 8);
  const auto path = folder.path() / "m.json";
  correct(p.features(), p.f, p.y, {.choose = CorrectionChoice::always}).model.save(path);
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto refused = [&](const std::string& old, const std::string& now,
                           const std::string& words) {
    std::string damaged = text;
    ASSERT_NE(damaged.find(old), std::string::npos) << old;
    damaged.replace(damaged.find(old), old.size(), now);
    const auto written = folder.write("bad.json", damaged);
    expect_words<DataError>([&] { (void)Model::load(folder.path() / "bad.json"); }, words);
  };
  refused("\"logistic\"", "\"hinge\"", "corrects predictions ... logistic");
  refused("\"scale\": \"probability\"", "\"scale\": \"value\"", "scale of the predictions");
  refused("\"scale\": \"probability\"", "\"scale\": \"auto\"", "scale 'auto' is not one of");
  refused("\"clip\": 5.0", "\"clip\": 0.0", "scale is not positive");
  refused("\"positive\": 1", "\"positive\": 2", "class of the predictions");
  refused("\"column\": \"prediction\"", "\"column\": \"x1\"", "prediction is a feature");
}

TEST(Correct, refuses_what_it_cannot_use) {
  const Problem p = biased_problem(40, 1, 7);
  const Problem c = overconfident_problem(40, 7);
  const auto refused = [](const Problem& given, const CorrectOptions& options,
                          const std::string& words) {
    expect_words<DataError>([&] { (void)correct(given.features(), given.f, given.y, options); },
                            words);
  };
  const auto refused_option = [](const Problem& given, const CorrectOptions& options,
                                 const std::string& words) {
    expect_words<OptionError>([&] { (void)correct(given.features(), given.f, given.y, options); },
                              words);
  };
  Problem bad = p;
  bad.f.pop_back();
  refused(bad, {}, "39 predictions ... 40 rows");
  bad = p;
  bad.f[4] = std::numeric_limits<double>::quiet_NaN();
  refused(bad, {}, "prediction 5 ... finite");
  bad.f.assign(40, 3);
  refused(bad, {}, "predictions ... same ... 3");
  bad.f = bad.y;
  refused(bad, {}, "predictions ... are the targets");
  refused(p, {.folds = 41}, "40 training rows, fewer than the 41 folds");
  bad = c;
  bad.f[2] = 1.5;
  refused(bad, {}, "1.5 in row 3 ... [0, 1] ... logit");
  refused_option(p, {.mean_budget = -0.1}, "mean-budget");
  refused_option(p, {.gamma = 1}, "gamma");
  refused_option(c, {.loss = {.loss = LossChoice::hinge}}, "hinge ... logistic");
  CorrectOptions options;
  options.prediction.prediction_scale = PredictionScale::probability;
  refused_option(p, options, "prediction-scale = probability ... two classes");
  options.prediction = {.positive = "2"};
  refused_option(c, options, "positive = '2' ... 0, 1");
}

}  // namespace
}  // namespace adacvar
