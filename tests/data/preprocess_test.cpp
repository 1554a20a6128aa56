#include "data/preprocess.hpp"
#include <adacvar/base/error.hpp>
#include "data/read_table.hpp"

#include "data/preprocess_json.hpp"
#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/targets_in_units.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::message_of;
using Rows = std::vector<Index>;
using Floats = std::vector<float>;
using Words = std::vector<std::string>;

Table parse(std::string_view text, const ReadOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

Rows all_rows(std::size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

Preprocessor fit(const Table& table, const PreprocessOptions& options = {.target = "y"}) {
  return Preprocessor::fit(table, all_rows(table.rows), options);
}

std::string fit_refusal(std::string_view text, const PreprocessOptions& options = {.target = "y"}) {
  return message_of<DataError>([&] { return fit(parse(text), options); });
}

TEST(Preprocess, numbers_are_standardised_by_the_training_rows) {
  // Training rows 0, 1, 2: x = 1, 3 and one missing; mean 2, population sd 1. y: mean 4, sd sqrt 6.
  const Table table = parse("x,y\n1,1\n3,4\n?,7\n100,40\n");
  const Preprocessor preprocessor = Preprocessor::fit(table, Rows{0, 1, 2}, {.target = "y"});
  const Dataset data = preprocessor.apply(table, Rows{3, 0, 2});
  EXPECT_EQ(data.rows, 3U);
  EXPECT_EQ(data.features, 1U);
  EXPECT_EQ(data.dense, (Floats{98, -1, 0}));
  EXPECT_EQ(support::targets_in_units(data, preprocessor.target_scale()),
            (std::vector<double>{40, 1, 7}));
  EXPECT_DOUBLE_EQ(data.targets[0], 36 / std::sqrt(6.0));
  EXPECT_EQ(data.task, Task::regression);
  EXPECT_EQ(preprocessor.target_scale().mean, 4);
  EXPECT_DOUBLE_EQ(preprocessor.target_scale().sd, std::sqrt(6.0));
}

TEST(Preprocess, without_standardising_missing_is_still_the_mean) {
  const Table table = parse("x,y\n1,1\n3,4\n?,7\n");
  const Dataset data =
      fit(table, {.target = "y", .standardise = false}).apply(table, Rows{0, 1, 2});
  EXPECT_EQ(data.dense, (Floats{1, 3, 2}));
}

TEST(Preprocess, categories_become_columns) {
  const Table table = parse("c,y\nb,1\na,2\n?,3\nnew,5\n");
  const Preprocessor preprocessor = Preprocessor::fit(table, Rows{0, 1, 2}, {.target = "y"});
  EXPECT_EQ(preprocessor.feature_names(), (Words{"c=a", "c=b", "c is missing"}));
  ApplyReport report;
  const Dataset data = preprocessor.apply(table, Rows{0, 1, 2, 3}, &report);
  EXPECT_EQ(data.dense, (Floats{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(report.unknown_categories, 1U);
  EXPECT_EQ(report.unknown_columns, (Words{"c"}));
  EXPECT_EQ(data.reference_levels, (std::vector<std::uint32_t>{2}));
}

TEST(Preprocess, a_missing_category_that_training_did_not_have_is_unknown) {
  const Table table = parse("c,y\nb,1\na,2\n?,3\n");
  const Preprocessor preprocessor =
      Preprocessor::fit(table, Rows{0, 1}, {.target = "y", .task = Task::regression});
  ApplyReport report;
  EXPECT_EQ(preprocessor.apply(table, Rows{2}, &report).dense, (Floats{0, 0}));
  EXPECT_EQ(report.unknown_categories, 1U);
}

TEST(Preprocess, digits_as_categories_are_found_in_a_numeric_column) {
  const Preprocessor preprocessor = fit(parse("c,y\n1,1\n10,2\n2,3\n", {.categorical = {"c"}}));
  EXPECT_EQ(preprocessor.feature_names(), (Words{"c=1", "c=2", "c=10"}));
  EXPECT_EQ(preprocessor.apply(parse("y,c\n1,10\n2,2\n"), Rows{0, 1}).dense,
            (Floats{0, 0, 1, 0, 1, 0}));
}

PreprocessOptions for_trees() { return {.target = "y", .for_trees = true}; }

// Compares NaN as equal.
void expect_features(const Dataset& data, const Floats& expected) {
  ASSERT_EQ(data.dense.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(data.dense[i] == expected[i] ||
                (std::isnan(data.dense[i]) && std::isnan(expected[i])))
        << i << ": " << data.dense[i];
  }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(PreprocessForTrees, numbers_stay_and_missing_values_are_nan) {
  const Table table = parse("x,y\n1,1\n3,4\n?,7\n100,40\n");
  const Preprocessor preprocessor = Preprocessor::fit(table, Rows{0, 1, 2}, for_trees());
  const Dataset data = preprocessor.apply(table, Rows{3, 0, 2});
  expect_features(data, {100, 1, kNan});
  EXPECT_EQ(data.levels, (std::vector<std::uint32_t>{0}));
  // The target is standardised as for other models.
  EXPECT_DOUBLE_EQ(data.targets[0], 36 / std::sqrt(6.0));
}

TEST(PreprocessForTrees, a_category_is_one_feature) {
  const Table table = parse("c,x,y\nb,1,1\na,2,2\n?,3,3\nnew,4,5\n");
  const Preprocessor preprocessor = Preprocessor::fit(table, Rows{0, 1, 2}, for_trees());
  EXPECT_EQ(preprocessor.feature_names(), (Words{"c", "x"}));
  ApplyReport report;
  const Dataset data = preprocessor.apply(table, Rows{0, 1, 2, 3}, &report);
  expect_features(data, {1, 1, 0, 2, kNan, 3, kNan, 4});
  EXPECT_EQ(data.levels, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_TRUE(data.reference_levels.empty());
  EXPECT_EQ(report.unknown_categories, 1U);  // a missing one is not unknown
  const std::vector<std::string> notes = apply_notes(report, "new");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_PRED2(support::has_words, notes[0], "1 value of c ... missing");
  EXPECT_EQ(missing_note(report, "new"), "");
}

TEST(PreprocessForTrees, a_constant_with_missing_values_is_a_feature) {
  const Table table = parse("x,k,y\n1,5,1\n?,5,4\n1,5,7\n");
  EXPECT_EQ(fit(table, for_trees()).feature_names(), (Words{"x"}));
}

TEST(PreprocessForTrees, constant_columns_alone_are_refused) {
  EXPECT_PRED2(support::has_words, fit_refusal("x,c,y\n1,a,1\n1,a,2\n1,a,3\n", for_trees()),
               "constant");
}

TEST(PreprocessForTrees, many_categories_stay_dense) {
  std::string text = "c,y\n";
  for (int i = 0; i < 4000; ++i) {
    text += "l" + std::to_string(i % 1000) + "," + std::to_string(i % 7) + "\n";
  }
  const Table table = parse(text);
  const Dataset data = fit(table, for_trees()).apply(table, Rows{0, 1});
  EXPECT_FALSE(data.is_sparse());
  EXPECT_EQ(data.features, 1U);
}

TEST(PreprocessForTrees, round_trip_of_json_is_equal) {
  const Table table = parse("c,x,y\nb,1,1\na,?,2\n?,3,3\n");
  const Preprocessor before = fit(table, for_trees());
  const Preprocessor after =
      preprocessor_from_json(nlohmann::json::parse(to_json(before).dump()), "m.json");
  EXPECT_EQ(after.parts().columns, before.parts().columns);
  expect_features(after.apply(table, Rows{2, 1}), {kNan, 3, 0, kNan});
}

TEST(Preprocess, constant_columns_are_dropped_with_a_note) {
  const Table table = parse("k,c,m,x,y\n5,a,?,1,1\n5,a,?,2,2\n?,a,?,3,3\n");
  const Preprocessor preprocessor = fit(table);
  EXPECT_EQ(preprocessor.feature_names(), (Words{"x"}));
  EXPECT_EQ(preprocessor.notes()[0], "column 'k' is constant in the training rows and was dropped");
  EXPECT_EQ(preprocessor.parts().dropped, (Words{"k", "c", "m"}));
}

TEST(Preprocess, classes_are_sorted) {
  const auto classes = [](std::string_view text) { return fit(parse(text)).parts().class_names; };
  EXPECT_EQ(classes("x,y\n1,yes\n2,no\n"), (Words{"no", "yes"}));
  EXPECT_EQ(classes("x,y\n1,1\n2,-1\n"), (Words{"-1", "1"}));
  EXPECT_EQ(fit(parse("x,y\n1,10\n2,9\n3,9.5\n"), {.target = "y", .task = Task::multiclass})
                .parts()
                .class_names,
            (Words{"9", "9.5", "10"}));
}

TEST(Preprocess, the_task_is_found) {
  const auto task = [](std::string_view text) { return fit(parse(text)).parts().task; };
  EXPECT_EQ(task("x,y\n1,a\n2,b\n"), Task::binary);
  EXPECT_EQ(task("x,y\n1,a\n2,b\n3,c\n"), Task::multiclass);
  EXPECT_EQ(task("x,y\n1,0\n2,1\n3,0\n"), Task::binary);
  EXPECT_EQ(task("x,y\n1,0\n2,1\n3,2\n"), Task::regression);
  const Table table = parse("x,y\n1,b\n2,a\n3,b\n");
  EXPECT_EQ(fit(table).apply(table, Rows{0, 1, 2}).targets, (std::vector<double>{1, 0, 1}));
}

TEST(Preprocess, bad_training_data_is_refused) {
  EXPECT_PRED2(support::has_words, fit_refusal("x,z\n1,2\n"), "t.csv: target column 'y' ... x, z");
  EXPECT_PRED2(support::has_words, fit_refusal("x,y\n1,2\n2,2\n"),
               "t.csv: target 'y' ... constant ... 2");
  EXPECT_PRED2(support::has_words, fit_refusal("x,y\n1,1\n2,?\n"),
               "t.csv: target 'y' ... missing ... row 2");
  EXPECT_PRED2(support::has_words, fit_refusal("x,y\n1,a\n2,a\n"),
               "t.csv: target 'y' ... one class ... 'a'");
  EXPECT_PRED2(support::has_words,
               fit_refusal("x,y\n1,a\n2,b\n", {.target = "y", .task = Task::regression}),
               "t.csv: target 'y' ... numeric ... 'a' ... row 1");
  EXPECT_PRED2(support::has_words,
               fit_refusal("x,y\n1,a\n2,b\n3,c\n", {.target = "y", .task = Task::binary}),
               "t.csv: target 'y' ... 3 classes ... binary task ... 2");
  EXPECT_PRED2(support::has_words, fit_refusal("x,y\n1,1\n1,2\n"),
               "t.csv: no features ... constant");
  EXPECT_PRED2(support::has_words, fit_refusal("x,y\n1.7e308,1\n-1.7e308,2\n1.7e308,3\n"),
               "t.csv: ... deviation of column 'x' ... range");
  const Table table = parse("x,y\n1,1\n2,2\n");
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 return Preprocessor::fit(table, Rows{}, {.target = "y"});
               }),
               "t.csv: no rows ... given");
  EXPECT_PRED2(support::has_words, message_of<OptionError>([&] {
                 return Preprocessor::fit(table, Rows{2}, {.target = "y"});
               }),
               "row = 2 ... [0, 2)");
}

TEST(Preprocess, bad_later_data_is_refused) {
  const Preprocessor preprocessor = fit(parse("x,c,y\n1,p,a\n2,q,b\n"));
  const auto refusal = [&](std::string_view text) {
    return message_of<DataError>([&] { return preprocessor.apply(parse(text), Rows{0, 1}); });
  };
  EXPECT_PRED2(support::has_words, refusal("x,c,y\n1,p,a\n2,q,c\n"),
               "t.csv: class 'c' ... row 2 ... a, b");
  EXPECT_PRED2(support::has_words, refusal("x,c,y\n1,p,a\n2,q,?\n"),
               "t.csv: target 'y' ... missing ... row 2");
  EXPECT_PRED2(support::has_words, refusal("x,d,y\n1,p,a\n2,q,b\n"),
               "t.csv: feature column 'c' ... x, d, y");
  EXPECT_PRED2(support::has_words, refusal("x,c,z\n1,p,a\n2,q,b\n"),
               "t.csv: target column 'y' ... x, c, z");
  const std::string words = refusal("x,c,y\nno,p,a\nword,q,b\n");
  EXPECT_NE(words.find("column 'x' is numeric in training"), std::string::npos) << words;
  EXPECT_NE(words.find("'no' in row 1"), std::string::npos) << words;
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 return fit(parse("x,y\n1,0\n2,1\n3,0\n"))
                     .apply(parse("x,y\n1,0\n2,1\n3,0\n4,0\n5,0\n6,0\n7,0\n8,0\n9,0\n0,maybe\n"),
                            Rows{0, 9});
               }),
               "t.csv: target 'y' ... missing ... row 10 ... 'maybe'");
  EXPECT_PRED2(support::has_words, refusal("x,c,y\n1,p,a\n1e300,q,b\n"),
               "t.csv: column 'x' ... row 2 ... value ... fit ... float");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return preprocessor.apply(SparseRows{}, Rows{}); }),
               "training ... table ... these ... sparse rows");
}

TEST(Preprocess, the_training_rows_determine_the_kind_of_a_column) {
  // A word in three of five rows, none of them a training row.
  const Table table = parse("x,y\n1,1\n3,4\nword,7\nother,2\nword,3\n");
  ASSERT_TRUE(table.columns[0].categorical);
  const Preprocessor preprocessor =
      Preprocessor::fit(table, Rows{0, 1}, {.target = "y", .task = Task::regression});
  EXPECT_EQ(preprocessor.feature_names(), Words{"x"});
  ApplyReport report;
  EXPECT_EQ(preprocessor.apply(table, Rows{0, 2, 3}, &report).dense, (Floats{-1, 0, 0}));
  EXPECT_EQ(report.numeric.at("x").texts, 2U);
  EXPECT_EQ(report.numeric.at("x").first_place, "row 3");
  // Declared, it is categories whatever the training rows hold.
  const Table declared = parse("x,y\n1,1\n3,4\nword,7\n", {.categorical = {"x"}});
  EXPECT_EQ(Preprocessor::fit(declared, Rows{0, 1}, {.target = "y", .task = Task::regression})
                .feature_names(),
            (Words{"x=1", "x=3"}));
}

TEST(Preprocess, a_text_among_numbers_is_refused_in_training_rows_and_missing_in_others) {
  std::string text = "x,y\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + "," + std::to_string(i * i) + "\n";
  const Table table = parse(text + "1O,5\n");
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] { return fit(table); }).substr(0, 29),
               "t.csv:22: '1O' ... column 'x'");
  ApplyReport report;
  const Dataset data =
      Preprocessor::fit(table, all_rows(20), {.target = "y"}).apply(table, Rows{20}, &report);
  EXPECT_EQ(data.dense, Floats{0}) << "the training mean";
  const Words notes = apply_notes(report, "the test");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("'1O' in line 22"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("'x'"), std::string::npos) << notes[0];
}

/// A column of that many distinct ids, one of five kinds, one number.
Table ids(std::size_t rows, const ReadOptions& options = {.categorical = {"id"}}) {
  std::string text = "id,kind,x,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += "r" + std::to_string(i) + ",k" + std::to_string(i % 5) + "," + std::to_string(i % 7) +
            "," + std::to_string(i % 11) + "\n";
  }
  return parse(text, options);
}

TEST(Preprocess, identifiers_are_left_out_unless_declared) {
  const Preprocessor without = fit(ids(51, {}));
  EXPECT_EQ(without.parts().identifiers, Words{"id"});
  EXPECT_EQ(without.feature_names(),
            (Words{"kind=k0", "kind=k1", "kind=k2", "kind=k3", "kind=k4", "x"}));
  const Words notes = without.notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("'id'"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("--categorical id"), std::string::npos) << notes[0];
  EXPECT_EQ(preprocessor_from_json(to_json(without), "m.json"), without);
  EXPECT_EQ(fit(ids(51)).features(), 51U + 5 + 1);
  EXPECT_EQ(fit(ids(50, {})).features(), 50U + 5 + 1) << "too few rows to tell";
  // Half of the rows that have a value, and a little more.
  const auto text = [](int distinct) {
    std::string rows = "id,x,y\n";
    for (int i = 0; i < 100; ++i) {
      rows += "r" + std::to_string(i % distinct) + "," + std::to_string(i % 7) + "," +
              std::to_string(i) + "\n?,1,1\n";
    }
    return rows;
  };
  EXPECT_TRUE(fit(parse(text(50))).parts().identifiers.empty());
  EXPECT_EQ(fit(parse(text(51))).parts().identifiers, Words{"id"});
}

TEST(Preprocess, identifiers_alone_are_no_features) {
  std::string text = "id,y\n";
  for (int i = 0; i < 60; ++i) text += "r" + std::to_string(i) + "," + std::to_string(i) + "\n";
  const std::string refusal = fit_refusal(text);
  EXPECT_NE(refusal.find("no features are left"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("--categorical id"), std::string::npos) << refusal;
}

/// Repeats each row by its weight.
Table repeated(const Table& table, std::span<const std::size_t> weights) {
  Table result = table;
  result.rows = 0;
  for (Column& column : result.columns) {
    column.numbers = {};
    column.codes.clear();
  }
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t copy = 0; copy < weights[row]; ++copy) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& from = table.columns[c];
        if (from.categorical) result.columns[c].codes.push_back(from.codes[row]);
        if (!from.categorical) result.columns[c].numbers.push_back(from.numbers[row]);
      }
      ++result.rows;
    }
  }
  return result;
}

TEST(RowWeights, are_repeated_rows) {
  const std::vector<std::size_t> weights = {3, 1, 2, 5, 1};
  const Table table = parse("x,c,w,y\n1,b,3,10\n4,a,1,-2\n?,a,2,3\n0.5,c,5,4.5\n8,?,1,1\n");
  Table twin = repeated(table, weights);
  std::erase_if(twin.columns, [](const Column& column) { return column.name == "w"; });
  const Preprocessor weighted = fit(table, {.target = "y", .weight = "w"});
  const Preprocessor plain = fit(twin);
  const auto& a = weighted.parts();
  const auto& b = plain.parts();
  EXPECT_NEAR(a.target_mean, b.target_mean, 1e-14 * std::abs(b.target_mean));
  EXPECT_NEAR(a.target_sd, b.target_sd, 1e-14 * b.target_sd);
  ASSERT_EQ(a.columns.size(), 2U) << "the weight is not a feature";
  EXPECT_NEAR(a.columns[0].mean, b.columns[0].mean, 1e-14);
  EXPECT_NEAR(a.columns[0].scale, b.columns[0].scale, 1e-14);
  EXPECT_NEAR(a.columns[0].fill, b.columns[0].fill, 1e-14);
  EXPECT_EQ(a.columns[1], b.columns[1]);
  // By hand: x is 1 three times, 4, 0.5 five times and 8; 17.5 over 10.
  EXPECT_DOUBLE_EQ(a.columns[0].mean, 1.75);
  EXPECT_EQ(weighted.apply(table, Rows{3, 0}).weights, (std::vector<double>{5, 3}));
  EXPECT_TRUE(plain.apply(table, Rows{3, 0}).weights.empty());
}

TEST(RowWeights, classes_keep_their_order) {
  const Table table = parse("x,w,y\n1,1,b\n2,9,a\n3,0.5,b\n");
  const Preprocessor preprocessor = fit(table, {.target = "y", .weight = "w"});
  EXPECT_EQ(preprocessor.parts().class_names, (Words{"a", "b"}));
  EXPECT_EQ(preprocessor.apply(table, Rows{0, 1, 2}).weights, (std::vector<double>{1, 9, 0.5}));
}

TEST(RowWeights, are_kept_by_name) {
  const Table table = parse("x,w,y\n1,1,1\n2,9,5\n3,0.5,4\n");
  const Preprocessor preprocessor = fit(table, {.target = "y", .weight = "w"});
  EXPECT_EQ(preprocessor.parts().weight, "w");
  EXPECT_EQ(preprocessor_from_json(to_json(preprocessor), "m.json"), preprocessor);
  ApplyReport report;
  EXPECT_TRUE(preprocessor.apply(parse("x,y\n1,1\n2,5\n"), Rows{0, 1}, &report).weights.empty());
  EXPECT_TRUE(report.lacks_weights);
  EXPECT_EQ(apply_notes(report, "these").size(), 1U);
  (void)preprocessor.apply(table, Rows{0, 1}, &report);
  EXPECT_FALSE(report.lacks_weights);
  EXPECT_EQ(preprocessor.rows_with_weight(parse("x,w,y\n1,0,1\n2,1,5\n"), Rows{0, 1}), Rows{1});
  EXPECT_TRUE(preprocessor.apply_features(parse("x\n1\n2\n"), Rows{0, 1}).weights.empty());
}

TEST(RowWeights, invalid_weights_are_refused) {
  const auto refusal = [](const std::string& weight) {
    return fit_refusal("x,w,y\n1,1,1\n2," + weight + ",5\n3,2,4\n4,2,4\n",
                       {.target = "y", .weight = "w"});
  };
  for (const char* const weight : {"-1", "?", "heavy", "0"}) {
    const std::string message = refusal(weight);
    EXPECT_NE(message.find("weight 'w'"), std::string::npos) << message;
    EXPECT_NE(message.find("row 2"), std::string::npos) << message;
  }
  EXPECT_NE(refusal("-1").find("'-1'"), std::string::npos) << refusal("-1");
  EXPECT_NE(
      fit_refusal("x,y\n1,1\n2,5\n", {.target = "y", .weight = "w"}).find("weight column 'w'"),
      std::string::npos);
  EXPECT_NE(message_of<OptionError>([] {
              return fit(parse("x,y\n1,1\n2,5\n"), {.target = "y", .weight = "y"});
            }).find("is the target"),
            std::string::npos);
  SparseRows sparse{.start = {0, 1, 2},
                    .column = {0, 0},
                    .value = {1, 2},
                    .target = {1, 2},
                    .columns = 1,
                    .source = "s"};
  EXPECT_NE(message_of<OptionError>([&] {
              return Preprocessor::fit(sparse, Rows{0, 1}, {.weight = "w"});
            }).find("LIBSVM"),
            std::string::npos);
}

TEST(Preprocess, many_categories_stay_sparse) {
  constexpr std::size_t kRows = 100'000;  // 40 GB if dense
  const Table table = ids(kRows + 1);
  const Preprocessor preprocessor = Preprocessor::fit(table, all_rows(kRows), {.target = "y"});
  EXPECT_EQ(preprocessor.features(), kRows + 6);
  const Dataset data = preprocessor.apply(table, all_rows(kRows + 1));
  ASSERT_TRUE(data.is_sparse());
  EXPECT_TRUE(data.dense.empty());
  EXPECT_EQ(data.value.size(), 3 * kRows + 2) << "the last id was not seen in training";
  EXPECT_EQ(data.start.back(), data.value.size());
  for (std::size_t row = 0; row < data.rows; ++row) {
    ASSERT_TRUE(std::ranges::is_sorted(data.column.begin() + static_cast<long>(data.start[row]),
                                       data.column.begin() + static_cast<long>(data.start[row + 1]),
                                       std::ranges::less_equal()));
  }
  EXPECT_EQ(preprocessor_from_json(to_json(preprocessor)), preprocessor);
}

TEST(Preprocess, sparse_and_dense_rows_of_categories_agree) {
  const Table table = ids(300);
  const Preprocessor dense = fit(table);
  Preprocessor::Parts parts = dense.parts();
  EXPECT_FALSE(parts.sparse_categories) << "small tables stay dense";
  parts.sparse_categories = true;
  const Dataset rows = Preprocessor(parts).apply(table, Rows{7, 7, 299, 0});
  const Dataset expected = dense.apply(table, Rows{7, 7, 299, 0});
  std::vector<float> written(expected.dense.size(), 0.0F);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t e = rows.start[row]; e < rows.start[row + 1]; ++e) {
      written[row * rows.features + rows.column[e]] = rows.value[e];
    }
  }
  EXPECT_EQ(written, expected.dense);
  EXPECT_EQ(rows.targets, expected.targets);
}

TEST(Preprocess, sparse_rows_of_categories_alone_store_no_values) {
  const Table table = parse("a,b,y\nu,p,1\nv,q,2\nu,q,3\nw,p,4\n");
  Preprocessor::Parts parts = fit(table).parts();
  parts.sparse_categories = true;
  const Dataset rows = Preprocessor(parts).apply(table, Rows{0, 1, 2, 3});
  EXPECT_TRUE(rows.value.empty());
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 3, 1, 4, 0, 4, 2, 3}));
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 2, 4, 6, 8}));
}

TEST(Preprocess, prediction_needs_no_target) {
  const Preprocessor preprocessor = fit(parse("x,y\n1,1\n3,2\n2,3\n"));
  EXPECT_TRUE(preprocessor.apply_features(parse("x\n2\n"), Rows{0}).targets.empty());
}

TEST(Preprocess, sparse_rows_stay_sparse) {
  // Column 1: 2, 0 in training: mean 1, sd 1. Column 2 is constant, column 3 is not in training.
  const SparseRows sparse = parse_libsvm("1 1:2 2:5\n2 2:5\n7 1:4 2:5 3:1\n", "t.svm");
  const Preprocessor preprocessor =
      Preprocessor::fit(sparse, Rows{0, 1}, {.task = Task::regression});
  const Dataset data = preprocessor.apply(sparse, Rows{2, 1});
  EXPECT_TRUE(data.is_sparse());
  EXPECT_TRUE(data.dense.empty());
  EXPECT_EQ(data.features, 1U);
  EXPECT_EQ(preprocessor.feature_names(), (Words{"c1"}));
  EXPECT_EQ(data.start, (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(data.column, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(data.value, (Floats{4}));
  EXPECT_EQ(data.targets, (std::vector<double>{11, 1}));  // mean 1.5, standard deviation 0.5
}

TEST(PreprocessJson, round_trip_is_equal) {
  const std::vector<Preprocessor> all = {
      fit(parse("x,c,k,y\n0.1,p,1,1\n0.7,?,1,2\n-3e-7,q,1,7.3\n")),
      fit(parse("x,y\n1,a\n2,b\n3,c\n")), fit(parse("x;y\n0,5;$1,234.50\n1,25;$7\n2,0;$8\n")),
      Preprocessor::fit(parse_libsvm("1 1:2 2:5\n-1 2:3\n", "t"), Rows{0, 1})};
  for (const Preprocessor& preprocessor : all) {
    const std::string text = to_json(preprocessor).dump();
    EXPECT_EQ(preprocessor_from_json(nlohmann::json::parse(text)), preprocessor) << text;
  }
}

TEST(PreprocessJson, damaged_forms_are_refused) {
  const nlohmann::json good = to_json(fit(parse("x,c,y\n1,p,a\n2,q,b\n")));
  const auto refusal = [&](const std::string& patch) {
    nlohmann::json bad = good;
    bad.merge_patch(nlohmann::json::parse(patch));
    return message_of<DataError>([&] { return preprocessor_from_json(bad, "m.json"); });
  };
  EXPECT_PRED2(support::has_words, refusal(R"({"version": 2})"),
               "m.json: preprocessing ... version 2 ... program reads 1");
  EXPECT_PRED2(support::has_words, refusal(R"({"task": "ranking"})"),
               "m.json: task 'ranking' ... regression, binary, multiclass");
  EXPECT_PRED2(support::has_words, refusal(R"({"classes": ["a"]})"),
               "m.json: preprocessing ... damaged ... number ... classes");
  EXPECT_PRED2(support::has_words, refusal(R"({"classes": ["a", "a"]})"),
               "m.json: preprocessing ... damaged ... class appears twice");
  EXPECT_PRED2(support::has_words, refusal(R"({"target_sd": 0})"),
               "m.json: preprocessing ... damaged ... target sd ... positive");
  EXPECT_PRED2(support::has_words, refusal(R"({"columns": []})"),
               "m.json: preprocessing ... damaged ... no features");
  EXPECT_PRED2(support::has_words, refusal(R"({"columns": [{"name": "x", "kind": "odd"}]})"),
               "m.json: kind 'odd' ... numeric, categorical");
  EXPECT_PRED2(
      support::has_words,
      refusal(R"({"columns": [{"name":"x","kind":"numeric","mean":0,"scale":-1,"fill":0}]})"),
      "m.json: preprocessing ... damaged ... scale ... positive");
  EXPECT_PRED2(support::has_words, refusal(R"({"sparse": {"columns": [-1], "scales": [1]}})"),
               "m.json: sparse column -1");
  EXPECT_PRED2(support::has_words, refusal(R"({"target": null})"),
               "m.json: ... damaged ... preprocessing.target ... missing");
  EXPECT_PRED2(support::has_words, refusal(R"({"target": 3})"),
               "m.json: ... damaged ... preprocessing.target ... number ... text");
}

TEST(Preprocess, a_constant_sparse_column_is_dropped_whatever_rounding_says) {
  SparseRows sparse;
  for (int i = 0; i < 99; ++i) {  // 99 times 0.1F / 99 is not 0.1F
    sparse.column.insert(sparse.column.end(), {0, 4});
    sparse.value.insert(sparse.value.end(), {static_cast<float>(i % 5), 0.1F});
    sparse.start.push_back(sparse.column.size());
    sparse.target.push_back(i % 2);
  }
  sparse.columns = 5;
  std::vector<Index> rows(99);
  std::iota(rows.begin(), rows.end(), Index{0});
  EXPECT_EQ(Preprocessor::fit(sparse, rows).parts().sparse_columns, std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace adacvar
