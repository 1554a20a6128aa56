// Bad input: key words on standard error, the exit code, and no file left behind.

#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::Outcome;
using support::run_program;
using support::TemporaryFolder;

struct Case {
  std::string name;
  std::string arguments;  // separated by spaces
  int code;
  std::string words;                         // key words of standard error, see has_words
  std::map<std::string, std::string> files;  // to write besides good.csv and the model files
};

std::string numbers(int rows, const std::string& row_12 = {}) {
  std::string text = "x,z,y\n";
  for (int i = 1; i <= rows; ++i) {
    text += i == 12 && !row_12.empty() ? row_12 + "\n"
                                       : std::to_string(i) + "," + std::to_string(i % 7) + "," +
                                             std::to_string(i * 5 % 17) + "\n";
  }
  return text;
}

std::string classes(int rows, int kinds) {
  std::string text = "x,c\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i * 7 % 11) + "," + std::string(1, static_cast<char>('a' + i % kinds)) +
            "\n";
  }
  return text;
}

const std::string kBuiltIn =
    "normal, pareto, sinc, abalone, boston, cpu-small, adult, australian, german, monks, phoneme, "
    "spambase, splice, titanic, mnist, fashion-mnist, cifar-10";
const std::string kCommands =
    "train, compare, frontier, correct, evaluate, predict, reproduce, data list, data describe, "
    "data make, "
    "data fetch";

std::vector<Case> cases() {
  return {
      // Data.
      {"missing_file",
       "train no.csv --target y",
       3,
       "no.csv: ... built-in set ... " + kBuiltIn,
       {}},
      {"no_data", "train", 2, "data is not given ... " + kBuiltIn, {}},
      {"directory", "train . --target y", 3, ".: is a directory", {}},
      {"empty_file", "train e.csv --target y", 3, "e.csv: is empty", {{"e.csv", ""}}},
      {"header_only", "train h.csv --target y", 3, "h.csv: ... no rows", {{"h.csv", "x,y\n"}}},
      {"ragged_row",
       "train r.csv --target y",
       3,
       "r.csv:13: 2 columns ... 3",
       {{"r.csv", numbers(40, "1,2")}}},
      {"word_among_numbers",
       "train w.csv --target y --split 1,0,0",
       3,
       "w.csv:13: '1O' ... column 'z' ... categorical",
       {{"w.csv", numbers(40, "3,1O,4")}}},
      {"infinity",
       "train i.csv --target y",
       3,
       "i.csv:13: infinite ... 'x'",
       {{"i.csv", numbers(40, "inf,2,3")}}},
      {"missing_target_value",
       "train m.csv --target y --strict",
       3,
       "m.csv: target 'y' ... row 12",
       {{"m.csv", numbers(40, "1,2,NaN")}}},
      {"not_text",
       "train b.csv --target y",
       3,
       "b.csv:2: NUL",
       {{"b.csv", std::string("x,y\n1,\0\n", 8)}}},
      {"unknown_drop",
       "train good.csv --target y --drop q",
       3,
       "good.csv: drop ... 'q' ... x, z, y",
       {}},
      {"no_feature_left",
       "train good.csv --target y --drop x,z",
       3,
       "good.csv: ... no features ... 'y'",
       {}},
      {"constant_features",
       "train k.csv --target y",
       3,
       "k.csv: ... no features ... constant",
       {{"k.csv", "x,y\n7,1\n7,2\n7,3\n7,4\n7,5\n"}}},
      {"quote_not_closed",
       "train good.csv --target y --drop \"x,z",
       2,
       "drop = '\"x,z' ... quote",
       {}},
      {"type_of_numpy",
       "train a.npy --target c1",
       3,
       "a.npy: ... '<c8' ... '|b1' ... '<f4', '<f8'",
       {{"a.npy", std::string("\x93NUMPY\x01\0\x46\0", 10) +
                      "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }            \n"}}},
      {"device", "train /dev/zero --target y", 3, "/dev/zero: ... file ... pipe", {}},
      // Predictions to correct.
      {"no_prediction", "correct good.csv --target y", 2, "prediction is not given", {}},
      {"unknown_prediction",
       "correct good.csv --target y --prediction q",
       3,
       "good.csv: prediction ... 'q' ... x, z, y",
       {}},
      {"prediction_is_target",
       "correct good.csv --target y --prediction y",
       2,
       "prediction = 'y' ... target",
       {}},
      {"prediction_is_weight",
       "correct good.csv --target y --prediction x --weight x",
       2,
       "prediction = 'x' ... weights",
       {}},
      {"copied_target",
       "correct t.csv --target y --prediction x",
       3,
       "t.csv: ... 'x' ... targets",
       {{"t.csv", "x,y\n1,1\n2,2\n5,5\n4,4\n9,9\n3,3\n8,8\n"}}},
      {"missing_prediction",
       "correct m.csv --target y --prediction z --split 1,0,0",
       3,
       "m.csv: prediction 'z' ... row 12",
       {{"m.csv", numbers(40, "1,,3")}}},
      {"text_prediction",
       "correct w.csv --target y --prediction z --split 1,0,0",
       3,
       "w.csv:13: '1O' ... 'z'",
       {{"w.csv", numbers(40, "3,1O,4")}}},
      {"categorical_prediction",
       "correct l.csv --target x --prediction c",
       3,
       "l.csv: prediction 'c' ... numeric",
       {{"l.csv", classes(40, 2)}}},
      {"constant_prediction",
       "correct k.csv --target y --prediction x",
       3,
       "k.csv: ... 'x' ... 7",
       {{"k.csv", "x,y\n7,1\n7,2\n7,3\n7,4\n7,5\n"}}},
      {"no_probability",
       "correct l.csv --target c --prediction x",
       3,
       "l.csv: prediction 'x' ... [0, 1] ... logit",
       {{"l.csv", classes(40, 2)}}},
      {"prediction_of_three_classes",
       "correct l.csv --target c --prediction x",
       2,
       "3 classes ... one class against the others",
       {{"l.csv", classes(40, 3)}}},
      {"unknown_positive",
       "correct l.csv --target c --prediction x --positive z --prediction-scale logit",
       2,
       "positive = 'z' ... a, b",
       {{"l.csv", classes(40, 2)}}},
      {"logit_of_a_number",
       "correct good.csv --target y --prediction x --prediction-scale logit",
       2,
       "prediction-scale = logit ... two classes",
       {}},
      {"more_folds_than_rows",
       "correct good.csv --target y --prediction x --folds 999",
       3,
       "good.csv: ... 999 folds",
       {}},
      {"prediction_of_sparse_rows",
       "correct s.svm --prediction c1",
       2,
       "prediction = 'c1' ... LIBSVM",
       {{"s.svm", "1 1:2\n2 1:3\n4 1:1\n3 2:1\n6 1:1 2:4\n"}}},
      {"hinge_correction",
       "correct l.csv --target c --prediction x --prediction-scale logit --loss hinge",
       2,
       "loss = hinge ... logistic",
       {{"l.csv", classes(40, 2)}}},
      {"negative_budget",
       "correct good.csv --target y --prediction x --mean-budget -1%",
       2,
       "mean-budget = -0.01 ... [0, inf)",
       {}},
      // Target.
      {"no_target", "train good.csv", 2, "target ... good.csv ... x, z, y", {}},
      {"unknown_target",
       "train good.csv --target q",
       3,
       "good.csv: target ... 'q' ... x, z, y",
       {}},
      {"constant_target",
       "train c.csv --target y --task regression",
       3,
       "c.csv: target 'y' ... constant ... 3",
       {{"c.csv", "x,y\n1,3\n2,3\n5,3\n7,3\n"}}},
      {"target_out_of_range",
       "train c.csv --target y --task regression --split 1,0,0",
       3,
       "c.csv: ... squared loss ... 1e+200 ... range",
       {{"c.csv", "x,y\n1,1e200\n2,-1e200\n5,1e200\n8,-1e200\n"}}},
      {"one_class",
       "train c.csv --target c",
       3,
       "c.csv: target 'c' ... one class ... 'a'",
       {{"c.csv", classes(20, 1)}}},
      {"three_classes_for_hinge",
       "train c.csv --target c --loss hinge",
       2,
       "loss = hinge ... two classes ... 3 classes: a, b, c",
       {{"c.csv", classes(30, 3)}}},
      {"number_for_hinge",
       "train good.csv --target y --loss hinge",
       2,
       "loss = hinge ... two classes ... number",
       {}},
      {"three_classes_for_binary",
       "train c.csv --target c --task binary",
       3,
       "c.csv: target 'c' ... 3 classes ... binary",
       {{"c.csv", classes(30, 3)}}},
      {"text_for_regression",
       "train c.csv --target c --task regression",
       3,
       "c.csv: target 'c' ... numeric ... row 3",
       {{"c.csv", classes(30, 3)}}},
      {"new_class_in_test",
       "train c.csv --target c --test-data d.csv --quiet",
       3,
       "d.csv: class 'c' in row 3 ... training: a, b",
       {{"c.csv", classes(20, 2)}, {"d.csv", classes(20, 3)}}},
      // Experiments.
      {"experiment_unknown",
       "reproduce foo",
       2,
       "experiment = 'foo' ... convex, shift-train ... gradients, all",
       {}},
      {"experiment_set",
       "reproduce shift-test --sets normal",
       2,
       "sets ... 'normal' ... adult, australian ... splice, titanic",
       {}},
      {"experiment_seeds", "reproduce convex --seeds 1001", 2, "seeds = 1001 ... [0, 1000]", {}},
      {"experiment_out",
       "reproduce tradeoff --sets normal --out good.csv",
       2,
       "out: ... good.csv: Not a directory",
       {}},
      {"experiment_data",
       "reproduce convex --data-dir nowhere",
       3,
       "nowhere: ... ADACVAR_DATA",
       {}},

      // Options.
      {"unknown_command", "trian good.csv", 2, "'trian' ... " + kCommands + " ... mean train", {}},
      {"unknown_option", "train good.csv --alpa 0.1", 2, "--alpa ... mean --alpha", {}},
      {"missing_value", "train good.csv --alpha", 2, "--alpha needs a value", {}},
      {"option_twice",
       "train good.csv --alpha 0.1 --alpha 0.2",
       2,
       "--alpha ... more than once",
       {}},
      {"one_argument_too_many", "train good.csv more", 2, "argument 'more'", {}},
      {"alpha_zero", "train good.csv --target y --alpha 0", 2, "alpha = 0 ... (0, 1]", {}},
      {"alpha_negative",
       "train good.csv --target y --alpha -0.5",
       2,
       "alpha = -0.5 ... (0, 1]",
       {}},
      {"alpha_nan", "train good.csv --target y --alpha nan", 2, "alpha = nan ... (0, 1]", {}},
      {"alpha_word",
       "train good.csv --target y --alpha small",
       2,
       "alpha = 'small' ... number",
       {}},
      {"seed_fraction",
       "train good.csv --target y --seed 1.5",
       2,
       "seed = '1.5' ... integer ... [0, inf)",
       {}},
      {"unknown_algorithm",
       "train good.csv --target y --algorithm goss",
       2,
       "algorithm = 'goss' ... adacvar, trunc, soft, mean, exact",
       {}},
      {"two_shares",
       "train good.csv --target y --split 0.5,0.5",
       2,
       "split ... 2 shares ... three",
       {}},
      {"shares_above_one",
       "train good.csv --target y --split 0.5,0.5,0.5",
       2,
       "split = 0.5,0.5,0.5 ... 1.5",
       {}},
      {"share_and_file",
       "train good.csv --target y --split 0.5,0.3,0.2 --test-data good.csv",
       2,
       "split = 0.5,0.3,0.2 ... test rows ... file",
       {}},
      {"tuning_without_validation",
       "train good.csv --target y --tune --split 1,0,0",
       2,
       "tune ... validation rows",
       {}},
      {"accuracy_of_numbers",
       "train good.csv --target y --tune --select accuracy",
       2,
       "select = accuracy ... classes",
       {}},
      {"best_without_validation",
       "train good.csv --target y --iterate best --split 1,0,0",
       2,
       "iterate = best ... validation",
       {}},
      {"alphas_twice",
       "train good.csv --target y --algorithm exact --alphas 0.1,0.5,0.1",
       2,
       "alphas ... 0.1 ... more than once",
       {}},
      {"leader_of_hinge",
       "train c.csv --target c --loss hinge --learner btl",
       2,
       "learner = btl ... squared, huber, logistic or softmax",
       {{"c.csv", classes(30, 2)}}},
      {"tolerance_zero",
       "train good.csv --target y --algorithm exact --tolerance 0",
       2,
       "tolerance = 0 ... [1e-12, 1]",
       {}},
      // Configuration.
      {"config_missing", "train good.csv --config no.toml", 3, "no.toml: ... No such file", {}},
      {"config_value",
       "train good.csv --config c.toml",
       2,
       "c.toml:3: alpha = 7 ... (0, 1]",
       {{"c.toml", "# comment\n[train]\nalpha = 7\n"}}},
      {"config_section",
       "train good.csv --config c.toml",
       2,
       "c.toml:1: ... [trian] ... " + kCommands + " ... mean train",
       {{"c.toml", "[trian]\nalpha = 0.1\n"}}},
      {"config_section_of_no_command",
       "train good.csv --config c.toml",
       2,
       "c.toml:1: ... [data] ... " + kCommands,
       {{"c.toml", "[data]\nrows = 3\n"}}},
      {"config_key_of_another_command",
       "train good.csv --config c.toml",
       2,
       "c.toml:4: ... 'row' ... name, output, rows, seed ... mean rows",
       {{"c.toml", "[data.make]\nrows = 3\n\nrow = 4\n"}}},
      {"config_line",
       "train good.csv --config c.toml",
       2,
       "c.toml:2: 'alpha 0.1' ... key = value",
       {{"c.toml", "\nalpha 0.1\n"}}},
      {"config_twice",
       "train good.csv --config c.toml",
       2,
       "c.toml:2: ... 'alpha' ... more than once",
       {{"c.toml", "alpha = 0.1\nalpha = 0.2\n"}}},
      // Outputs, which are checked before any work.
      {"no_folder_for_model",
       "train good.csv --target y --model no/m.json",
       2,
       "'no/m.json' ... No such file",
       {}},
      {"model_is_folder", "train good.csv --target y --model .", 2, "'.' ... folder", {}},
      {"unwritable_before_reading",
       "train no.csv --target y --model no/m.json",
       2,
       "'no/m.json' ... No such file",
       {}},
      {"no_folder_for_predictions",
       "predict model.json good.csv -o no/p.csv",
       2,
       "'no/p.csv' ... No such file",
       {}},
      // Model files.
      {"no_model", "predict", 2, "model is not given", {}},
      {"missing_model", "predict no.json good.csv", 3, "no.json: ... No such file", {}},
      {"truncated_model", "predict half.json good.csv", 3, "half.json: is truncated", {}},
      {"newer_model",
       "evaluate newer.json good.csv",
       3,
       "newer.json: ... version 5 ... adacvar 0.1.0 ... up to 4",
       {}},
      {"no_model_file", "predict o.json good.csv", 3, "o.json: ... model file", {{"o.json", "{}"}}},
      {"no_json", "predict good.csv good.csv", 3, "good.csv: ... JSON ... byte 1", {}},
      {"other_columns",
       "predict model.json o.csv",
       3,
       "o.csv: feature ... 'z' ... x, q",
       {{"o.csv", "x,q\n1,2\n3,4\n"}}},
      {"text_where_numbers_were",
       "predict model.json o.csv",
       3,
       "'one' in line 3",
       {{"o.csv", "x,z\n?,2\none,4\n"}}},
      {"evaluate_without_target",
       "evaluate model.json o.csv",
       3,
       "o.csv: target ... 'y' ... x, z",
       {{"o.csv", "x,z\n1,2\n3,4\n"}}},
      {"part_of_other_data",
       "evaluate model.json o.csv --part test",
       2,
       "part ... good.csv, 40 rows ... o.csv",
       {{"o.csv", numbers(41)}}},
      {"unknown_group",
       "evaluate model.json good.csv --group q",
       3,
       "good.csv: group ... 'q' ... x, z, y",
       {}},
      {"guarantee_without_largest_loss",
       "evaluate model.json good.csv --guarantee 0.95",
       2,
       "guarantee ... loss-max",
       {}},
      {"guarantee_on_training_rows",
       "evaluate model.json good.csv --guarantee 0.95 --loss-max 1e6",
       2,
       "guarantee ... training ... good.csv",
       {}},
      {"missing_other_model",
       "evaluate model.json good.csv --against no.json",
       3,
       "no.json: ... No such file",
       {}},
      // Sets.
      {"unknown_synthetic", "data make what", 2, "'what' ... normal, pareto, sinc", {}},
      {"more_rows_than_memory",
       "data make sinc --rows 4294967294",
       2,
       "rows = 4294967294 ... 378 GB ... memory",
       {}},
      {"more_rows_than_memory_in_training",
       "train sinc --make-rows 4294967294",
       2,
       "rows = 4294967294 ... 378 GB ... memory",
       {}},
      {"empty_model", "train good.csv --target y --model ''", 2, "model = ''", {}},
      {"empty_missing", "train good.csv --target y --missing ''", 2, "missing = ''", {}},
      {"categorical_weight",
       "train good.csv --target y --weight z --categorical x,z",
       2,
       "categorical = 'z' ... weights",
       {}},
      {"huge_weight",
       "train huge.csv --target y --weight z",
       3,
       "huge.csv: ... weight 'z' is '1e+308' in row 12 ... 1e100",
       {{"huge.csv", numbers(40, "1,1e308,3")}}},
      {"tiny_weight",
       "train tiny.csv --target y --weight z",
       3,
       "tiny.csv: ... weight 'z' ... in row 12 ... 1e-100",
       {{"tiny.csv", numbers(40, "1,5e-324,3")}}},
      {"seeds_beyond_the_last",
       "compare good.csv --target y --repeats 2 --seed 18446744073709551615",
       2,
       "seed = 18446744073709551615 ... repeats = 2",
       {}},
      {"frontier_gamma_beyond_1",
       "frontier good.csv --target y --at gamma=2",
       2,
       "gamma = 2 ... [0, 1]",
       {}},
      {"frontier_less_than_the_least_mean",
       "frontier good.csv --target y --at mean=-5% --model new.json",
       2,
       "mean=-5% ... least mean",
       {}},
      {"frontier_unknown_mark",
       "frontier good.csv --target y --at elbow",
       2,
       "at = 'elbow' ... knee, gamma= ... mean=+",
       {}},
      {"frontier_of_the_mean",
       "frontier good.csv --target y --alpha 1",
       2,
       "alpha = 1 ... one point",
       {}},
      {"frontier_of_one_point", "frontier good.csv --target y --points 1", 2, "points = 1", {}},
      {"frontier_by_the_mean",
       "frontier good.csv --target y --algorithm mean",
       2,
       "algorithm = mean ... one point",
       {}},
      {"frontier_csv_in_no_folder",
       "frontier good.csv --target y --csv no/curve.csv",
       2,
       "no/curve.csv",
       {}},
      {"no_data_folder", "train adult --data-dir no", 3, "no: ... ADACVAR_DATA", {}},
      {"keep_unknown_column",
       "predict model.json good.csv --keep x,yy",
       3,
       "good.csv: keep ... 'yy' ... x, z, y ... mean y",
       {}},
      {"keep_unknown_column_of_a_set",
       "predict model.json sinc --keep id",
       3,
       "sinc: keep ... 'id' ... x1, ",
       {}},
      {"keep_twice",
       "predict model.json good.csv --keep x,z,x",
       2,
       "keep ... 'x' ... more than once",
       {}},
      {"keep_the_name_of_predictions",
       "predict model.json good.csv --keep prediction",
       2,
       "keep = 'prediction' ... column of that name",
       {}},
      {"keep_nothing", "predict model.json good.csv --keep ''", 2, "keep = ''", {}},
      {"model_folder_is_a_file",
       "compare good.csv --target y --model half.json",
       2,
       "model = 'half.json' ... folder",
       {}},
      {"unknown_shell", "completion csh", 2, "shell = 'csh' ... bash, zsh, fish", {}},
  };
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word == "''" ? "" : word);
  return words;
}

class BadInput : public testing::TestWithParam<Case> {
 protected:
  // One model for all cases: training is not tested here.
  static void SetUpTestSuite() {
    const TemporaryFolder folder;
    (void)folder.write("good.csv", numbers(40));
    const Outcome trained = run_program(
        ADACVAR_PROGRAM, {"train", "good.csv", "--target", "y", "--model", "m.json", "--quiet"},
        folder.path());
    ASSERT_EQ(trained.code, 0) << trained.err;
    model = support::content_of(folder.path() / "m.json");
  }

  static std::string model;
};

std::string BadInput::model;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST_P(BadInput, is_refused_with_key_words) {
  const Case& given = GetParam();
  const TemporaryFolder folder;
  (void)folder.write("good.csv", numbers(40));
  (void)folder.write("model.json", model);
  (void)folder.write("half.json", model.substr(0, model.size() / 2));
  std::string newer = model;
  newer.replace(newer.rfind("\"version\": 1"), 12, "\"version\": 5");
  (void)folder.write("newer.json", newer);
  (void)folder.write(".out", "");
  (void)folder.write(".err", "");
  for (const auto& [name, text] : given.files) (void)folder.write(name, text);
  const std::set<std::string> before = names_in(folder.path());

  const Outcome outcome = run_program(ADACVAR_PROGRAM, words_of(given.arguments), folder.path());
  EXPECT_EQ(outcome.code, given.code);
  EXPECT_EQ(outcome.err.find("adacvar: "), 0U) << outcome.err;
  EXPECT_PRED2(support::has_words, outcome.err, given.words);
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one line: " << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(names_in(folder.path()), before);
}

INSTANTIATE_TEST_SUITE_P(Program, BadInput, testing::ValuesIn(cases()),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace adacvar
