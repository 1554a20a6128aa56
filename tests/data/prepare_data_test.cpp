#include <adacvar/adacvar.hpp>

#include "data/images.hpp"
#include "data/prepare_data.hpp"
#include "data/read_data.hpp"

#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/targets_in_units.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;
using Words = std::vector<std::string>;
using Sizes = std::array<std::size_t, 3>;

Sizes sizes_of(const PreparedData& data) {
  return {data.train.rows, data.valid.rows, data.test.rows};
}

/// Rows `x,c,y` with y = 1, 2, ..., which names them.
class PrepareData : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) {
    return folder_.write(name, text).string();
  }

  std::string rows(const std::string& name, int count, const std::string& category = {}) {
    std::string text = "x,c,y\n";
    for (int i = 1; i <= count; ++i) {
      text += std::to_string(i * i) + "," +
              (category.empty() ? (i % 2 == 0 ? "even" : "odd") : category) + "," +
              std::to_string(i) + "\n";
    }
    return write(name, text);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(PrepareData, rows_are_split_half_three_tenths_two_tenths_by_the_seed) {
  const DataOptions options{.data = rows("t.csv", 100), .target = "y"};
  const PreparedData data = prepare_data(options, 5);
  EXPECT_EQ(sizes_of(data), (Sizes{50, 30, 20}));
  std::multiset<double> all;
  for (const Dataset* part : {&data.train, &data.valid, &data.test}) {
    all.insert(part->targets.begin(), part->targets.end());
  }
  EXPECT_EQ(all.size(), 100U);
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), 100U);
  EXPECT_EQ(data.source, options.data);
  EXPECT_EQ(data.fingerprint, fingerprint_of(read_data(options.data)));
  EXPECT_TRUE(data.notes.empty());

  EXPECT_EQ(prepare_data(options, 5).train.targets, data.train.targets);
  EXPECT_NE(prepare_data(options, 6).train.targets, data.train.targets);
}

/// 60 images of the classes 0, 1, 0, 1, ..., followed by 10 test rows.
RawData images_with_test_rows() {
  Images images;
  images.shape = {.channels = 1, .height = 1, .width = 1};
  for (std::uint8_t i = 0; i < 70; ++i) {
    images.pixels.push_back(i);
    images.labels.push_back(i % 2);
  }
  images.source = "p";
  return {std::move(images), "label", 10};
}

TEST_F(PrepareData, own_test_rows_stay_test_rows) {
  const RawData data = images_with_test_rows();
  const SplitShares shares{.train = 5.0 / 6, .valid = 1.0 / 6, .test = 0, .own_test = true};
  const Split split = split_data(data, "label", TaskChoice::automatic, shares, 4);
  EXPECT_EQ(split.test, (std::vector<Index>{60, 61, 62, 63, 64, 65, 66, 67, 68, 69}));
  EXPECT_EQ(split.valid.size(), 10U);
  EXPECT_EQ(std::ranges::count_if(split.valid, [](Index row) { return row % 2 == 1; }), 5);
  std::vector<Index> all;
  for (const auto* part : {&split.train, &split.valid}) {
    EXPECT_TRUE(std::ranges::is_sorted(*part));
    all.insert(all.end(), part->begin(), part->end());
  }
  std::ranges::sort(all);
  std::vector<Index> expected(60);
  std::iota(expected.begin(), expected.end(), Index{0});
  EXPECT_EQ(all, expected);
  EXPECT_EQ(split, split_data(data, "label", TaskChoice::automatic, shares, 4));
  EXPECT_NE(split, split_data(data, "label", TaskChoice::automatic, shares, 5));
  // With shares given, all rows are split.
  EXPECT_EQ(split_data(data, "label", TaskChoice::automatic, {1, 0, 0}, 4).train.size(), 70U);
  RawData without = data;
  without.own_test = 0;
  expect_words<OptionError>(
      [&] { (void)split_data(without, "label", TaskChoice::automatic, shares, 4); },
      "p has no test rows of its own");
}

TEST_F(PrepareData, the_target_of_images_is_their_label) {
  const RawData data = images_with_test_rows();
  const Split split{.train = {0, 1, 2}, .valid = {}, .test = {60}};
  const PreparedData prepared = prepare_split(data, {}, split);
  EXPECT_EQ(prepared.train.targets, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(prepared.train.image.size(), 1U);
  EXPECT_EQ(prepared.test.rows, 1U);
  expect_words<OptionError>([&] { (void)prepare_split(data, {.target = "y"}, split); },
                            "target = 'y': the target of images is their labels, called 'label'");
}

TEST_F(PrepareData, the_sets_are_the_rows_of_split_data) {
  const DataOptions options{.data = rows("t.csv", 40), .target = "y"};
  const PreparedData data = prepare_data(options, 9);
  const Split split =
      split_data(read_data(options.data), "y", TaskChoice::automatic, data.shares, 9);
  const auto targets = [](const std::vector<Index>& part) {
    std::vector<double> result;
    for (const Index row : part) result.push_back(row + 1);
    return result;
  };
  const TargetScale scale = data.preprocessor.target_scale();
  EXPECT_EQ(support::targets_in_units(data.train, scale), targets(split.train));
  EXPECT_EQ(support::targets_in_units(data.valid, scale), targets(split.valid));
  EXPECT_EQ(support::targets_in_units(data.test, scale), targets(split.test));
}

TEST_F(PrepareData, preprocessing_is_fitted_on_the_training_rows_only) {
  const std::string before = rows("t.csv", 40);
  const PreparedData first = prepare_data({.data = before, .target = "y"}, 1);
  // The same rows train; all others move far away and into a category of their own.
  const std::vector<double> targets =
      support::targets_in_units(first.train, first.preprocessor.target_scale());
  const std::set<double> training(targets.begin(), targets.end());
  std::string text = "x,c,y\n";
  for (int i = 1; i <= 40; ++i) {
    const bool stays = training.contains(i);
    text += std::to_string(stays ? i * i : -1'000'000 * i) + "," +
            (!stays       ? "other"
             : i % 2 == 0 ? "even"
                          : "odd") +
            "," + std::to_string(stays ? i : 1000 * i) + "\n";
  }
  const PreparedData second = prepare_data({.data = write("moved.csv", text), .target = "y"}, 1);
  EXPECT_EQ(second.preprocessor, first.preprocessor);
  EXPECT_EQ(second.train.dense, first.train.dense);
  EXPECT_EQ(second.train.targets, first.train.targets);
  EXPECT_NE(second.test.dense, first.test.dense);
  EXPECT_EQ(second.notes,
            (Words{"12 values of c in the validation rows were not seen in training: all zeros",
                   "8 values of c in the test rows were not seen in training: all zeros"}));
}

TEST_F(PrepareData, classes_have_the_same_shares_in_every_set) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i % 17) + "," + (i % 10 == 0 ? "rare" : "common") + "\n";
  }
  std::string numbers = text;
  for (std::size_t at = 0; (at = numbers.find("common")) != std::string::npos;) {
    numbers.replace(at, 6, "0");
  }
  for (std::size_t at = 0; (at = numbers.find("rare")) != std::string::npos;) {
    numbers.replace(at, 4, "1");
  }
  for (const auto& file : {write("text.csv", text), write("numbers.csv", numbers)}) {
    const PreparedData data = prepare_data({.data = file, .target = "y"}, 3);
    EXPECT_EQ(data.train.task, Task::binary);
    // 20 rare rows: 10, 6 and 4.
    EXPECT_EQ(sizes_of(data), (Sizes{100, 60, 40}));
    EXPECT_EQ(std::ranges::count(data.train.targets, 1.0), 10);
    EXPECT_EQ(std::ranges::count(data.valid.targets, 1.0), 6);
    EXPECT_EQ(std::ranges::count(data.test.targets, 1.0), 4);
  }
}

TEST_F(PrepareData, all_rows_determine_whether_numbers_are_classes) {
  // Two training rows have two values at most; the column has four.
  const std::string file = write("four.csv", "x,y\n1,10\n2,20\n3,30\n4,40\n");
  const PreparedData data = prepare_data({.data = file, .target = "y"}, 0);
  EXPECT_EQ(data.train.rows, 2U);
  EXPECT_EQ(data.train.task, Task::regression);
}

TEST_F(PrepareData, files_take_the_place_of_shares) {
  const std::string file = rows("t.csv", 80);
  const std::string valid = rows("v.csv", 7);
  const std::string test = rows("s.csv", 11);
  const auto prepare = [&](std::string valid_file, std::string test_file) {
    return prepare_data({.data = file,
                         .target = "y",
                         .valid_data = std::move(valid_file),
                         .test_data = std::move(test_file)},
                        0);
  };
  const auto expect_shares = [](const PreparedData& data, const SplitShares& expected) {
    EXPECT_DOUBLE_EQ(data.shares.train, expected.train);
    EXPECT_DOUBLE_EQ(data.shares.valid, expected.valid);
    EXPECT_DOUBLE_EQ(data.shares.test, expected.test);
  };
  EXPECT_EQ(sizes_of(prepare({}, test)), (Sizes{50, 30, 11}));
  expect_shares(prepare({}, test), {0.625, 0.375, 0});
  EXPECT_EQ(sizes_of(prepare(valid, {})), (Sizes{57, 7, 23}));
  expect_shares(prepare(valid, {}), {5.0 / 7, 0, 2.0 / 7});
  const PreparedData both = prepare(valid, test);
  EXPECT_EQ(sizes_of(both), (Sizes{80, 7, 11}));
  expect_shares(both, {1, 0, 0});
  EXPECT_EQ(support::targets_in_units(both.valid, both.preprocessor.target_scale()),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(both.fingerprint.rows, 80U);
  // In the units of the training rows: x = 1, 4, 9, ... with the mean of 80 of them.
  EXPECT_EQ(both.valid.dense[0], both.train.dense[0]);
}

TEST_F(PrepareData, shares_given_must_leave_a_file_its_part) {
  const std::string file = rows("t.csv", 20);
  const std::string other = rows("s.csv", 5);
  const auto words = [&](DataOptions options, const std::string& expected) {
    options.data = file;
    options.target = "y";
    expect_words<OptionError>([&] { (void)prepare_data(options, 0); }, expected);
  };
  words({.split = {0.5, 0.3, 0.2}, .test_data = other},
        "split = 0.5,0.3,0.2: the test rows come from a file, so their share is 0");
  words({.split = {0.5, 0.5, 0}, .valid_data = other},
        "split = 0.5,0.5,0: the validation rows come from a file, so their share is 0");
  words({.split = {0.5, 0.5}}, "split has 2 shares, it needs three: training, validation, test");
  words({.split = {0.5, 0.3, 0.3}}, "split = 0.5,0.3,0.3 adds up to 1.1, not 1");
  words({.split = {1.5, -0.5, 0}}, "split = 1.5 is outside [0, 1]");
  const PreparedData data =
      prepare_data({.data = file, .target = "y", .split = {0.75, 0.25, 0}, .test_data = other}, 0);
  EXPECT_EQ(sizes_of(data), (Sizes{15, 5, 5}));
}

TEST_F(PrepareData, a_file_of_test_rows_keeps_the_categories_and_needs_only_their_columns) {
  const std::string train = write("t.csv", "id,zip,x,y\n1,01,1,1\n2,02,2,2\n3,01,4,3\n4,02,5,9\n");
  const std::string test = write("s.csv", "y,zip,x\n1,01,3\n2,1,3\n");
  const DataOptions options{.data = train,
                            .target = "y",
                            .test_data = test,
                            .source = {.categorical = {"zip"}, .drop = {"id"}}};
  const PreparedData data = [&] {
    DataOptions all = options;
    all.split = {1, 0, 0};
    return prepare_data(all, 0);
  }();
  EXPECT_EQ(data.preprocessor.feature_names(), (Words{"zip=01", "zip=02", "x"}));
  // 01 is the category of training, 1 is none. x: mean 3.
  EXPECT_EQ(data.test.dense, (std::vector<float>{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(data.notes,
            Words{"1 value of zip in the test rows was not seen in training: all zeros"});
}

TEST_F(PrepareData, constant_columns_are_noted) {
  const std::string file = rows("t.csv", 20, "same");
  const PreparedData data = prepare_data({.data = file, .target = "y"}, 0);
  EXPECT_EQ(data.notes, Words{"column 'c' is constant in the training rows and was dropped"});
  EXPECT_EQ(data.preprocessor.feature_names(), Words{"x"});
}

TEST_F(PrepareData, raw_features_are_left_as_they_are) {
  const std::string file = write("t.csv", "x,y\n1,1\n5,2\n9,4\n");
  const PreparedData data =
      prepare_data({.data = file, .target = "y", .split = {1, 0, 0}, .raw_features = true}, 0);
  EXPECT_EQ(data.train.dense, (std::vector<float>{1, 5, 9}));
  EXPECT_EQ(sizes_of(data), (Sizes{3, 0, 0}));
}

TEST_F(PrepareData, sparse_rows_are_prepared_too) {
  const std::string file = write("t.txt", "1 1:2\n-1 2:4\n1 1:6\n-1 2:1\n1 1:1\n-1 2:3\n");
  const PreparedData data = prepare_data({.data = file, .split = {1, 0, 0}}, 0);
  EXPECT_TRUE(data.train.is_sparse());
  EXPECT_EQ(data.train.task, Task::binary);
  EXPECT_EQ(data.train.targets, (std::vector<double>{1, 0, 1, 0, 1, 0}));
  expect_words<OptionError>(
      [&] { (void)prepare_data({.data = file, .target = "y"}, 0); },
      "target = 'y': the target of a LIBSVM file is its labels, called 'target'");
}

TEST_F(PrepareData, what_cannot_be_trained_on_is_refused) {
  const std::string file = rows("t.csv", 20);
  expect_words<OptionError>([&] { (void)prepare_data({.data = file}, 0); },
                            "target is not given; the columns of " + file + " are: x, c, y");
  expect_words<DataError>([&] { (void)prepare_data({.data = file, .target = "q"}, 0); },
                          file + ": target column 'q' is not one of: x, c, y");
  expect_words<DataError>(
      [&] {
        (void)prepare_data({.data = file, .target = "y", .split = {0, 0.5, 0.5}}, 0);
      },
      file + ": of 20 rows, none is left for training");
  expect_words<DataError>(
      [&] { (void)prepare_data({.data = file, .target = "c", .task = TaskChoice::regression}, 0); },
      file + ": target 'c' is not numeric: 'even' in row 2");
}

bool mentions(const Words& notes, std::string_view text) {
  return std::ranges::any_of(
      notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST_F(PrepareData, rows_without_a_target_are_left_out_and_counted) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + "," + (i % 10 == 3 ? std::string() : std::to_string(i * i)) + "\n";
  }
  DataOptions options{.data = write("t.csv", text), .target = "y"};
  const PreparedData data = prepare_data(options, 1);
  EXPECT_EQ(sizes_of(data), (Sizes{18, 11, 7}));
  EXPECT_TRUE(mentions(data.notes, "4 of 40 rows")) << data.notes[0];
  for (const auto* part : {&data.rows.train, &data.rows.valid, &data.rows.test}) {
    for (const Index row : *part) EXPECT_NE(row % 10, 3U);
  }
  EXPECT_EQ(split_data(read_data(options.data), "y", TaskChoice::automatic, data.shares, 1),
            data.rows);
  options.strict = true;
  expect_words<DataError>([&] { (void)prepare_data(options, 1); },
                          options.data + ": target 'y' is missing in row 4");
  options = {.data = write("none.csv", "x,y\n1,\n2,?\n"), .target = "y"};
  expect_words<DataError>([&] { (void)prepare_data(options, 1); },
                          options.data + ": target 'y' is missing in every row");
}

TEST_F(PrepareData, rows_of_a_test_file_without_a_target_are_left_out) {
  const DataOptions options{.data = rows("t.csv", 20),
                            .target = "y",
                            .valid_data = write("v.csv", "x,c,y\n1,odd,?\n4,even,2\n"),
                            .test_data = write("e.csv", "x,c,y\n1,odd,\n4,even,n.a.\n9,odd,3\n")};
  const PreparedData data = prepare_data(options, 0);
  EXPECT_EQ(data.rows.valid, std::vector<Index>{1});
  EXPECT_EQ(data.rows.test, std::vector<Index>{2});
  EXPECT_EQ(support::targets_in_units(data.test, data.preprocessor.target_scale()),
            std::vector<double>{3});
  EXPECT_TRUE(mentions(data.notes, "1 of the validation rows"));
  EXPECT_TRUE(mentions(data.notes, "2 of the test rows"));
}

TEST_F(PrepareData, text_in_a_test_file_is_missing_and_counted) {
  const DataOptions options{.data = rows("t.csv", 20),
                            .target = "y",
                            .test_data = write("e.csv", "x,c,y\nabc,odd,1\n4,even,2\nx,odd,3\n")};
  const PreparedData data = prepare_data(options, 0);
  EXPECT_EQ(data.test.rows, 3U);
  EXPECT_TRUE(mentions(data.notes, "2 values of the numeric column 'x' in the test rows"));
  EXPECT_TRUE(mentions(data.notes, "'abc' in line 2"));
}

TEST_F(PrepareData, many_text_classes_need_the_task_option) {
  const auto table = [&](int rows, int classes) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i) + ",c" + std::to_string(i % classes) + "\n";
    }
    return write("t" + std::to_string(rows) + ".csv", text);
  };
  const auto refusal = [](const DataOptions& options) {
    return support::message_of<OptionError>([&] { return prepare_data(options, 0).train; });
  };
  const std::string many = refusal({.data = table(600, 51), .target = "y"});
  EXPECT_NE(many.find("51 different values in 600 rows"), std::string::npos) << many;
  EXPECT_NE(many.find("--task multiclass"), std::string::npos) << many;
  const std::string thin = refusal({.data = table(49, 10), .target = "y"});
  EXPECT_NE(thin.find("10 different values in 49 rows"), std::string::npos) << thin;
  EXPECT_EQ(prepare_data({.data = table(500, 50), .target = "y"}, 0).train.class_names.size(), 50U);
  EXPECT_EQ(prepare_data({.data = table(8, 2), .target = "y"}, 0).train.class_names.size(), 2U);
  EXPECT_EQ(prepare_data({.data = table(600, 51), .target = "y", .task = TaskChoice::multiclass}, 0)
                .train.class_names.size(),
            51U);
}

TEST_F(PrepareData, prices_are_numbers_not_classes) {
  std::string text = "x;y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i) + ";$" + std::to_string(i) + (i % 2 == 0 ? ".40\n" : ",234.50\n");
  }
  const PreparedData data = prepare_data({.data = write("p.csv", text), .target = "y"}, 0);
  EXPECT_EQ(data.train.task, Task::regression);
  EXPECT_EQ(data.preprocessor.parts().target_format, (NumberFormat{'.', "$", true}));
}

TEST_F(PrepareData, whole_targets_of_few_values_get_a_note) {
  const auto notes = [&](int rows, int values, TaskChoice task = TaskChoice::automatic) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i * i) + "," + std::to_string(1 + i % values) + "\n";
    }
    return prepare_data({.data = write("w.csv", text), .target = "y", .task = task}, 0).notes;
  };
  EXPECT_TRUE(mentions(notes(70, 7), "--task multiclass"));
  EXPECT_TRUE(mentions(notes(70, 7), "7 whole values, 1 to 7"));
  EXPECT_TRUE(notes(70, 7, TaskChoice::regression).empty());
  EXPECT_TRUE(notes(70, 35).empty());
  EXPECT_TRUE(notes(70, 2).empty()) << "two values are classes already";
}

TEST_F(PrepareData, a_column_that_is_distinct_in_nearly_every_row_is_named) {
  std::string text = "id,x,y\n";
  for (int i = 0; i < 200; ++i) {
    text += "u" + std::to_string(i) + "," + std::to_string(i % 9) + "," + std::to_string(i) + "\n";
  }
  const PreparedData data = prepare_data({.data = write("i.csv", text), .target = "y"}, 0);
  EXPECT_TRUE(mentions(data.notes, "'id'"));
  EXPECT_TRUE(mentions(data.notes, "--categorical id"));
  EXPECT_EQ(data.train.features, 1U) << "it is left out";
  DataOptions kept{.data = write("i.csv", text), .target = "y"};
  kept.source.categorical = {"id"};
  EXPECT_EQ(prepare_data(kept, 0).train.features, 101U);
  // Too few rows to tell for sure: it stays, with a note.
  const std::string few = text.substr(0, text.find("u60,"));
  const PreparedData small = prepare_data({.data = write("f.csv", few), .target = "y"}, 0);
  EXPECT_TRUE(mentions(small.notes, "--drop id"));
  EXPECT_EQ(small.train.features, 31U);
}

/// 20 rows `x,y` with the target 0, 1, 4, 9, ...; `text` in place of every target in `rows`.
std::string squares(const std::string& text, const std::vector<Index>& rows) {
  std::string result = "x,y\n";
  for (Index i = 0; i < 20; ++i) {
    const bool is_text = std::ranges::find(rows, i) != rows.end();
    result += std::to_string(i) + "," + (is_text ? text : std::to_string(i * i)) + "\n";
  }
  return result;
}

TEST_F(PrepareData, text_in_the_target_of_other_than_training_rows_changes_no_task) {
  const std::vector<Index> none;
  const Split split =
      prepare_data({.data = write("a.csv", squares("", none)), .target = "y"}, 4).rows;
  // Three of twenty rows: the column as a whole is text.
  const std::vector<Index> held_out = {split.test[0], split.test[1], split.valid[0]};
  const std::string file = write("b.csv", squares("n.m.", held_out));
  ASSERT_TRUE(find_column(std::get<Table>(read_data(file).content), "y", "").categorical);
  const PreparedData data = prepare_data({.data = file, .target = "y"}, 4);
  EXPECT_EQ(data.train.task, Task::regression);
  EXPECT_EQ(data.rows.train, split.train);
  EXPECT_EQ(sizes_of(data), (Sizes{10, 5, 2}));
  EXPECT_TRUE(mentions(data.notes, "2 of the test rows")) << data.notes[0];
  EXPECT_TRUE(mentions(data.notes, "'n.m.'")) << data.notes[0];
  EXPECT_EQ(split_data(read_data(file), "y", TaskChoice::automatic, data.shares, 4).train,
            split.train);
  expect_words<DataError>(
      [&] { (void)prepare_data({.data = file, .target = "y", .strict = true}, 4); }, "'n.m.'");
  const std::string in_training =
      write("c.csv", squares("n.m.", {split.train[0], split.test[0], split.test[1]}));
  expect_words<OptionError>([&] { (void)prepare_data({.data = in_training, .target = "y"}, 4); },
                            "--task");
}

TEST_F(PrepareData, text_where_training_has_two_numbers_is_a_missing_target) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  const PreparedData data =
      prepare_data({.data = write("t.csv", text),
                    .target = "y",
                    .test_data = write("s.csv", "x,y\n1,1\n2,unknown\n3,0\n4,unknown\n")},
                   0);
  EXPECT_EQ(data.train.task, Task::binary);
  EXPECT_EQ(data.test.targets, (std::vector<double>{1, 0}));
  EXPECT_TRUE(mentions(data.notes, "2 of the test rows"));
}

/// 60 rows `x,y,w`; the weight is 0 in every sixth.
std::string weighted_rows() {
  std::string text = "x,y,w\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i * 7 % 13) + "," + std::to_string(i) + "," +
            (i % 6 == 0 ? "0" : std::to_string(i % 3 + 0.5)) + "\n";
  }
  return text;
}

TEST_F(PrepareData, rows_of_weight_0_are_absent) {
  const std::string file = write("w.csv", weighted_rows());
  const PreparedData data = prepare_data({.data = file, .target = "y", .weight = "w"}, 2);
  EXPECT_EQ(sizes_of(data), (Sizes{25, 15, 10}));
  EXPECT_TRUE(mentions(data.notes, "10 of 60 rows have weight 0")) << data.notes[0];
  EXPECT_EQ(data.train.features, 1U) << "the weight is not a feature";
  for (const auto* part : {&data.train, &data.valid, &data.test}) {
    ASSERT_EQ(part->weights.size(), part->rows);
    const std::vector<double> targets =
        support::targets_in_units(*part, data.preprocessor.target_scale());
    for (std::size_t i = 0; i < part->rows; ++i) {
      EXPECT_EQ(part->weights[i], static_cast<int>(targets[i]) % 3 + 0.5);
    }
  }
  EXPECT_EQ(split_data(read_data(file), "y", TaskChoice::automatic, data.shares, 2, "w"),
            data.rows);
  // The same rows as in a file without the others.
  std::string without = "x,y,w\n";
  for (int i = 0; i < 60; ++i) {
    if (i % 6 == 0) continue;
    without += std::to_string(i * 7 % 13) + "," + std::to_string(i) + "," +
               std::to_string(i % 3 + 0.5) + "\n";
  }
  const PreparedData twin =
      prepare_data({.data = write("o.csv", without), .target = "y", .weight = "w"}, 2);
  EXPECT_EQ(twin.train.dense, data.train.dense);
  EXPECT_EQ(twin.train.targets, data.train.targets);
  EXPECT_EQ(twin.preprocessor, data.preprocessor);
}

TEST_F(PrepareData, a_class_that_only_rows_of_weight_0_have_does_not_count) {
  std::string text = "x,y,w\n9,2,0\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + "," + std::to_string(i % 2) + ",1\n";
  const PreparedData data =
      prepare_data({.data = write("t.csv", text), .target = "y", .weight = "w"}, 0);
  EXPECT_EQ(data.train.task, Task::binary);
}

TEST_F(PrepareData, weights_of_other_files) {
  const PreparedData data = prepare_data({.data = write("w.csv", weighted_rows()),
                                          .target = "y",
                                          .valid_data = write("v.csv", "x,y,w\n1,2,3\n4,5,0\n"),
                                          .test_data = write("s.csv", "x,y\n1,2\n4,5\n"),
                                          .weight = "w"},
                                         2);
  EXPECT_EQ(data.valid.weights, std::vector<double>{3});
  EXPECT_TRUE(mentions(data.notes, "1 of the validation rows has weight 0"));
  EXPECT_TRUE(data.test.weights.empty());
  EXPECT_TRUE(mentions(data.notes, "the test rows have no column of weights"));
}

TEST_F(PrepareData, bad_weights_are_refused) {
  const auto refused = [&]<class Error>(Error, const std::string& text, const std::string& words,
                                        const std::string& target = "y") {
    const std::string file = write("b.csv", text);
    expect_words<Error>(
        [&] { (void)prepare_data({.data = file, .target = target, .weight = "w"}, 0); }, words);
  };
  refused(DataError(""), "x,y,w\n1,2,0\n3,4,0\n", "weight 'w' is 0 in every row");
  refused(DataError(""), "x,y,w\n1,2,1\n3,4,-2\n5,6,1\n", "'-2' in row 2");
  refused(DataError(""), "x,y,w\n1,2,1\n3,4,\n5,6,1\n", "missing in row 2");
  refused(DataError(""), "x,y,v\n1,2,1\n3,4,1\n", "weight column 'w'");
  refused(OptionError(""), "1 1:2\n2 1:3\n3 1:1\n", "LIBSVM", "");
}

}  // namespace
}  // namespace adacvar
